/** Actions that need a recent login: the password is asked for again, and the action is tried once more. */
import { Refused } from "@hub/client"
import { onOtherOwner } from "./session.ts"
import { Store } from "./store.ts"

/** A question for the password that is open. */
export interface PasswordQuestion {
  readonly answered: () => void
  readonly given: (up: Error) => void
}

/** The open question; one at a time. */
export const passwordQuestion = new Store<PasswordQuestion | undefined>(undefined)

/** The owner gave no password. */
export class NotConfirmed extends Error {
  override readonly name = "NotConfirmed"
}

// what one owner began no other one goes on with
onOtherOwner(() => passwordQuestion.value?.given(new NotConfirmed()))

let asking: Promise<void> | undefined

const ask = (): Promise<void> => {
  asking ??= new Promise<void>((resolve, reject) => {
    passwordQuestion.set({ answered: resolve, given: reject })
  }).finally(() => {
    asking = undefined
    passwordQuestion.set(undefined)
  })
  return asking
}

/** Runs an action; where the hub wants a recent login, once more after the owner signed in again. */
export const withRecentLogin = async <A>(action: () => Promise<A>): Promise<A> => {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof Refused && error.reason === "RECENT_LOGIN_REQUIRED")) throw error
    await ask()
    return await action()
  }
}
