/** What a person sets for themselves: the password, where else they are signed in, and which browsers are told. */
import { useState } from "preact/hooks"
import { Confirm } from "../components/dialog.tsx"
import { useNewPassword } from "../components/new-password.tsx"
import { Failure } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { may, me } from "../state/membership.ts"
import { stayTold } from "../state/push.ts"
import { client, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { Notifications } from "./notifications.tsx"

const others = (count: number): string =>
  count === 0 ? "No other session was open." : `${count} other ${count === 1 ? "session has" : "sessions have"} ended.`

const Password = ({ changed }: { readonly changed: () => void }) => {
  const { fields, read, clear } = useNewPassword()
  const [said, setSaid] = useState("")
  const { busy, failure, submit } = useAction()
  const save = submit(async () => {
    setSaid("")
    const { ended } = await stayTold(() => client.auth.setPassword({ password: read() }))
    clear()
    changed()
    setSaid(`The password is changed. ${others(ended)}`)
  })
  return (
    <Section
      title="Password"
      says="A new one ends every other session of yours, and that other browsers are told of questions."
    >
      <form onSubmit={save}>
        <input type="text" autoComplete="username" value={session.value?.email} readOnly hidden />
        {fields}
        <Failure text={failure} />
        <button type="submit" disabled={busy}>
          Change the password
        </button>
        <p role="status">{said}</p>
      </form>
    </Section>
  )
}

const Sessions = ({ changed }: { readonly changed: () => void }) => {
  const [said, setSaid] = useState("")
  const { busy, failure, run } = useAction()
  const end = (): void => {
    void run(async () => {
      const { ended } = await stayTold(() => client.auth.logoutOthers())
      changed()
      setSaid(others(ended))
    })
  }
  return (
    <Section title="Other sessions" says="Browsers and programs that are signed in as you, beside this browser.">
      <Failure text={failure} />
      <div class="actions">
        <Confirm
          label="Sign out everywhere else"
          question="Sign out everywhere else?"
          says="Keys go on working; every other browser and program has to sign in again, and is told of no questions."
          busy={busy}
          act={end}
        />
      </div>
      <p role="status">{said}</p>
    </Section>
  )
}

/** The view. */
export const Settings = () => {
  const who = useStore(me)
  // the browsers that are told are read again
  const [changes, setChanges] = useState(0)
  const changed = (): void => setChanges((count) => count + 1)
  return (
    <Page title="Settings">
      <Password changed={changed} />
      <Sessions changed={changed} />
      {may(who, "operator") && <Notifications key={changes} />}
      <Section title="Plan">
        <p>
          What your plan allows, and what is used of it: <a href={linkTo("usage")}>Usage</a>
        </p>
      </Section>
    </Page>
  )
}
