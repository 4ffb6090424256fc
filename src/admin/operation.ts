/** What all operations of an administrator share: how a request names an account, the refusal, the answer. */
import { Data, Effect } from "effect"
import type { ApiKeyLimitReached, DaemonLimitReached, Overloaded, StoreFailed, ValidationFailed } from "../errors.ts"
import { type Account, Accounts } from "../store/accounts/accounts.ts"
import type { AdminOp, AdminRequest } from "./requests.ts"

/** The operation is refused, with the reason for the person who asked. */
export class Refused extends Data.TaggedError("Refused")<{ readonly sentence: string }> {}

export type Answer = Readonly<Record<string, unknown>>

/** A part of an answer; `after`: where the rest begins. */
export interface Part {
  readonly answer: Answer
  readonly after: string | undefined
}

/** How an operation fails. */
export type Failure = Refused | DaemonLimitReached | ApiKeyLimitReached | StoreFailed | ValidationFailed | Overloaded

/** The request of one operation. */
export type Request<Op extends AdminOp> = Extract<AdminRequest, { op: Op }>

/** The account of an id or an e-mail address. */
export const account = Effect.fnUntraced(function* (named: string) {
  const accounts = yield* Accounts
  const found: Account | undefined = yield* named.includes("@") ? accounts.byEmail(named) : accounts.byId(named)
  if (found === undefined) return yield* new Refused({ sentence: `there is no account ${named}` })
  return found
})
