/** Enrols a machine: makes its token, shows the command to paste there, and waits for it. */
import { useState } from "preact/hooks"
import { Field } from "../components/field.tsx"
import { Done, Failure } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { Copyable } from "../components/secret-once.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useEvents } from "../state/live-events.ts"
import { client } from "../state/session.ts"

interface Enrolled {
  readonly daemonId: string
  readonly token: string
  readonly name: string
}

const word = (text: string): string => (/^[\w.-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** The command for the machine. The token is in its environment: an argument would be seen by all its users. */
const commandOf = ({ token, name }: Enrolled): string =>
  `HUB_TOKEN=${token} ./hub daemon --url ${location.origin}${name === "" ? "" : ` --name ${word(name)}`}`

const Waiting = ({ enrolled }: { readonly enrolled: Enrolled }) => {
  const [connected, setConnected] = useState(false)
  useEvents((event) => {
    if (event === "gap" || event.event !== "daemon:connect") return
    if (event.payload.daemonId === enrolled.daemonId) setConnected(true)
  })
  return (
    <>
      <p>Run this on the machine, in the hub's folder. The token in it is shown once.</p>
      <Copyable label="Command for the machine" text={commandOf(enrolled)} />
      {connected ? (
        <Done>
          It is connected. <a href={linkTo("daemons", enrolled.daemonId)}>Go to the daemon</a>
        </Done>
      ) : (
        <p class="soft" role="status">
          Waiting for the machine to connect…
        </p>
      )}
    </>
  )
}

/** The view. */
export const Enrol = () => {
  const [name, setName] = useState("")
  const [enrolled, setEnrolled] = useState<Enrolled | undefined>(undefined)
  const { busy, failure, run } = useAction()
  const enrol = (event: SubmitEvent) => {
    event.preventDefault()
    void run(async () => {
      const given = name.trim()
      const { daemonId, token } = await client.daemons.enroll(given === "" ? {} : { name: given })
      if (token === undefined) throw new Error("The hub gave no token.")
      setEnrolled({ daemonId, token, name: given })
    })
  }
  return (
    <Page title="Enrol a machine">
      {enrolled === undefined ? (
        <form onSubmit={enrol}>
          <Field
            label="Name"
            hint="What it is listed under; its host name without one."
            maxLength={100}
            value={name}
            put={setName}
          />
          <Failure text={failure} />
          <button type="submit" disabled={busy}>
            {busy ? "Enrolling…" : "Make a token"}
          </button>
        </form>
      ) : (
        <>
          <Waiting key={enrolled.daemonId} enrolled={enrolled} />
          <button type="button" class="quiet" onClick={() => setEnrolled(undefined)}>
            Enrol another
          </button>
        </>
      )}
    </Page>
  )
}
