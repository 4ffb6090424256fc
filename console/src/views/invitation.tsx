/**
 * Shows what an invitation is to, and accepts it: of who is signed in, of who signs in first, or of who is new and
 * chooses a password.
 */
import { Refused } from "@hub/client"
import { useState } from "preact/hooks"
import { useNewPassword } from "../components/new-password.tsx"
import { Failure, Reading } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { readMe } from "../state/membership.ts"
import { acceptAsNew, client, session, showInvitation, signedOutBecause, switchAccount } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { SignIn } from "./sign-in.tsx"

/** Goes to the account, unless the person has gone elsewhere meanwhile. */
const toAccount = (from: string): void => {
  if (location.hash === from) location.hash = linkTo("daemons")
}

/** Says of a link that is good for nothing what may be the reason: the hub tells none apart. */
const saying = async <A,>(accepting: Promise<A>): Promise<A> => {
  try {
    return await accepting
  } catch (error) {
    if (!(error instanceof Refused && error.reason === "NOT_FOUND")) throw error
    throw new Error("This invitation was used, is over, or is for another address. Ask for a new one.")
  }
}

const useInvitation = (token: string) => useFetched((signal) => saying(showInvitation(token, signal)), [token])
type Shown = NonNullable<ReturnType<typeof useInvitation>["value"]>

/** Whose account, which role and machines, and who is meant. */
const What = ({ account, role, selector, email }: Shown) => (
  <p>
    <strong class="break">{account.email}</strong> invites <strong class="break">{email}</strong> to their account, as{" "}
    <strong>{role}</strong>
    {selector === null ? "" : ` of the machines with the tags ${selector}`}.
  </p>
)

/** The view of who is signed in. */
export const Invited = ({ token }: { readonly token: string }) => {
  const { busy, failure, run } = useAction()
  const { value, failure: unread } = useInvitation(token)
  const email = useStore(session)?.email
  const accept = () =>
    run(async () => {
      const from = location.hash
      const { accountId } = await saying(client.members.accept({ token }))
      await switchAccount(accountId)
      await readMe()
      toAccount(from)
    })
  return (
    <Page title="Invitation">
      <Failure text={unread ?? failure} />
      {value === undefined && unread === undefined && <Reading />}
      {value !== undefined && (
        <>
          <What {...value} />
          <p>
            You are signed in as <strong class="break">{email}</strong>, and join it under this address.
          </p>
          <div class="actions">
            <button type="button" disabled={busy} onClick={() => void accept()}>
              Join the account
            </button>
          </div>
        </>
      )}
    </Page>
  )
}

/** The page of who is not: a new person chooses a password, another signs in first. */
export const InvitedStranger = ({ token }: { readonly token: string }) => {
  const { fields, read } = useNewPassword()
  const [isKnown, setKnown] = useState(false)
  const { busy, failure, submit } = useAction()
  const { value, failure: unread } = useInvitation(token)
  const signInFirst = (): void => {
    signedOutBecause.set("Sign in under the address that is invited, to join the account.")
    setKnown(true)
  }
  const accept = submit(async () => {
    const password = read()
    const from = location.hash
    try {
      await saying(acceptAsNew(token, password))
      toAccount(from)
    } catch (error) {
      if (!(error instanceof Refused && error.reason === "AUTH_REQUIRED")) throw error
      signInFirst()
    }
  })
  if (isKnown) return <SignIn />
  return (
    <main class="sign-in" id="main">
      <h1>You are invited</h1>
      <Failure text={unread ?? failure} />
      {value === undefined && unread === undefined && <Reading />}
      {value !== undefined && <What {...value} />}
      {value?.signsIn === false && (
        <form onSubmit={accept}>
          <p class="soft">Choose a password. From now on you sign in with it and your address.</p>
          {fields}
          <button type="submit" disabled={busy}>
            Join the account
          </button>
        </form>
      )}
      {value?.signsIn === true && (
        <button type="button" onClick={signInFirst}>
          Sign in to join
        </button>
      )}
    </main>
  )
}
