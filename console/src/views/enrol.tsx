/** Enrols a machine: makes a join key for it, shows the command to paste there, and waits for it. */
import { useRef, useState } from "preact/hooks"
import { Field } from "../components/field.tsx"
import { Done, Failure } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { Copyable } from "../components/secret-once.tsx"
import { joinKeyMillis } from "../limits.ts"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useEvents } from "../state/live-events.ts"
import { client, shownOnce } from "../state/session.ts"

interface Enrolment {
  readonly keyId: string
  readonly key: string
  readonly name: string
}

const word = (text: string): string => (/^[\w.-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
const named = (name: string): string => (name === "" ? "" : ` --name ${word(name)}`)

/** The key is in the environment: an argument would be seen by all users of the machine. */
const installCommand = ({ key, name }: Enrolment): string =>
  `curl -fsSL ${location.origin}/install.sh | HUB_JOIN_KEY=${key} sh -s -- --url ${location.origin}${named(name)}`
const runCommand = ({ key, name }: Enrolment): string =>
  `HUB_JOIN_KEY=${key} ./hub daemon --url ${location.origin} --state .hub-daemon.json${named(name)}`

/** The machine that came by a key; undefined as long as none has. Any daemon may connect meanwhile. */
const hasJoined = async (keyId: string): Promise<boolean> => {
  const { joinKeys } = await client.joinKeys.list()
  return joinKeys.some(({ id, uses }) => id === keyId && uses > 0)
}

const Waiting = ({ enrolment }: { readonly enrolment: Enrolment }) => {
  const [connected, setConnected] = useState<string | undefined>(undefined)
  const asking = useRef(false)
  useEvents((event) => {
    if (event === "gap" || event.event !== "daemon:connect" || connected !== undefined || asking.current) return
    const { daemonId } = event.payload
    asking.current = true
    hasJoined(enrolment.keyId)
      .then((joined) => joined && setConnected(daemonId))
      .catch(() => undefined)
      .finally(() => {
        asking.current = false
      })
  })
  return (
    <>
      <p>
        Run this on the machine (Linux or macOS, with Node 20 or later): as root it serves the whole machine, otherwise
        your user. The key in it is good once, for an hour.
      </p>
      <Copyable label="Command for the machine" text={installCommand(enrolment)} />
      <p>Or only for now, in the hub's folder:</p>
      <Copyable label="Command in the hub's folder" text={runCommand(enrolment)} />
      {connected !== undefined ? (
        <Done>
          It is connected. <a href={linkTo("daemons", connected)}>Go to the daemon</a>
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
  const [enrolled, setEnrolled] = useState<Enrolment | undefined>(undefined)
  const { busy, failure, submit } = useAction()
  const enrol = submit(async () => {
    const given = name.trim()
    const expiresAt = Date.now() + joinKeyMillis
    const { id, key = "" } = await client.joinKeys.create(
      { name: given || "console", maxUses: 1, expiresAt },
      shownOnce
    )
    setEnrolled({ keyId: id, key, name: given })
  })
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
            {busy ? "Making…" : "Make a key"}
          </button>
        </form>
      ) : (
        <>
          <Waiting key={enrolled.keyId} enrolment={enrolled} />
          <button type="button" class="quiet" onClick={() => setEnrolled(undefined)}>
            Enrol another
          </button>
        </>
      )}
    </Page>
  )
}
