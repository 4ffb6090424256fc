/** Signing in with e-mail and password, at the beginning and where the hub wants a recent login. */
import { Refused } from "@hub/client"
import { useState } from "preact/hooks"
import { Dialog } from "../components/dialog.tsx"
import { Field } from "../components/field.tsx"
import { Failure } from "../components/notices.tsx"
import { useAction } from "../state/action.ts"
import { leaveForProvider } from "../state/federated-sign-in.ts"
import { NotConfirmed, passwordQuestion } from "../state/recent-login.ts"
import { session, signedOutBecause, signIn, signInAgain } from "../state/session.ts"
import { useStore } from "../state/store.ts"

/** Says of a refused sign-in what may be the reason: the hub tells none apart. */
const signing = async (signedIn: Promise<void>): Promise<void> => {
  try {
    await signedIn
  } catch (error) {
    if (!(error instanceof Refused && error.status === 401 && error.problem !== undefined)) throw error
    throw new Error("E-mail address or password is wrong.")
  }
}

/** The other way to sign in. */
const AtProvider = () => {
  const { failure, run } = useAction()
  return (
    <>
      <button type="button" class="quiet" onClick={() => void run(leaveForProvider)}>
        Sign in at your provider
      </button>
      <Failure text={failure} />
    </>
  )
}

/** The page of who is not signed in. */
export const SignIn = () => {
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const because = useStore(signedOutBecause)
  const { busy, failure, submit } = useAction()
  return (
    <main class="sign-in" id="main">
      <h1>Console</h1>
      <p class="soft">{because ?? "Sign in to your account at this hub."}</p>
      <form onSubmit={submit(() => signing(signIn(email, password)))}>
        <Field
          label="E-mail"
          type="text"
          inputMode="email"
          autoComplete="username"
          required
          value={email}
          put={setEmail}
        />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          put={setPassword}
        />
        <Failure text={failure} />
        <button type="submit" disabled={busy}>
          {busy ? "Signing in…" : "Sign in"}
        </button>
      </form>
      <AtProvider />
    </main>
  )
}

const AskPassword = ({ answered, given }: { readonly answered: () => void; readonly given: (up: Error) => void }) => {
  const [password, setPassword] = useState("")
  const { busy, failure, submit } = useAction()
  const signInNow = submit(async () => {
    await signing(signInAgain(password))
    answered()
  })
  const close = () => given(new NotConfirmed())
  return (
    <Dialog title="Is it you?" close={close}>
      <p>What others depend on changes only for someone who has just signed in. Please give your password again.</p>
      <form onSubmit={signInNow}>
        <input type="text" autoComplete="username" value={session.value?.email} readOnly hidden />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          put={setPassword}
        />
        <Failure text={failure} />
        <div class="actions">
          <button type="submit" disabled={busy}>
            {busy ? "Signing in…" : "Go on"}
          </button>
          <button type="button" class="quiet" onClick={close}>
            Not now
          </button>
        </div>
      </form>
      <p class="soft">Without a password you sign in at your provider, and then begin here again.</p>
      <AtProvider />
    </Dialog>
  )
}

/** Asks for the password while something waits for it. */
export const SignInAgain = () => {
  const question = useStore(passwordQuestion)
  return question === undefined ? null : <AskPassword answered={question.answered} given={question.given} />
}
