/** Gives a program that shows a code a key of its own: what it asks for, and the owner's yes or no. */
import type { Output } from "@hub/client"
import { useEffect, useState } from "preact/hooks"
import { Choices, Field } from "../components/field.tsx"
import { Done, Failure } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { linkTo } from "../routing.ts"
import { type Scope, scopesNamed } from "../scopes.ts"
import { useAction } from "../state/action.ts"
import { may, me } from "../state/membership.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"

type Waiting = Output<"deviceCodes.show">

interface DecisionProps {
  readonly code: string
  readonly device: Waiting
  readonly decided: (words: string) => void
}

/** What the program asks for. The owner may give less of it. */
const Decision = ({ code, device, decided }: DecisionProps) => {
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(device.scopes)
  const mayJoin = may(useStore(me), "admin")
  const [joinKey, setJoinKey] = useState(true)
  const { busy, failure, run, submit } = useAction()
  const approve = submit(async () => {
    await client.deviceCodes.approve({ userCode: code, scopes: chosen as Array<Scope>, joinKey: joinKey && mayJoin })
    decided(`${device.name} gets its key within seconds.`)
  })
  const deny = () =>
    run(async () => {
      await client.deviceCodes.deny({ userCode: code })
      decided(`${device.name} was refused.`)
    })
  return (
    <form onSubmit={approve}>
      <p>
        <strong>
          <bdi>{device.name}</bdi>
        </strong>{" "}
        asks for an API key of this account. It must show this code, on a screen of yours:{" "}
        <code>{code.toUpperCase()}</code>. Refuse what you did not begin yourself.
      </p>
      <Choices label="What it may do" all={scopesNamed(device.scopes)} chosen={chosen} put={setChosen} />
      {mayJoin && (
        <label class="choice">
          <input
            type="checkbox"
            checked={joinKey}
            onChange={({ currentTarget }) => setJoinKey(currentTarget.checked)}
          />
          <span>
            It may connect machines that demonstrate{" "}
            <small class="soft">hub trigger; each is removed when it left</small>
          </span>
        </label>
      )}
      <Failure text={failure} />
      <div class="actions">
        <button type="submit" disabled={busy || chosen.length === 0}>
          Allow
        </button>
        <button type="button" class="danger" disabled={busy} onClick={() => void deny()}>
          Refuse
        </button>
      </div>
    </form>
  )
}

/** The view. `code`: the one of the address, where it has one. */
export const Device = ({ code = "" }: { readonly code?: string | undefined }) => {
  const [typed, setTyped] = useState(code)
  const [device, setDevice] = useState<Waiting | undefined>(undefined)
  const [outcome, setOutcome] = useState<string | undefined>(undefined)
  const { busy, failure, run, submit } = useAction()
  const look = async () => setDevice(await client.deviceCodes.show({ userCode: typed.trim() }))
  useEffect(() => {
    if (code !== "") void run(look)
  }, [])
  if (outcome !== undefined) {
    return (
      <Page title="A key for a program">
        <Done>
          {outcome} <a href={linkTo("keys")}>All keys</a>
        </Done>
      </Page>
    )
  }
  return (
    <Page title="A key for a program">
      {device === undefined ? (
        <form onSubmit={submit(look)}>
          <Field
            label="Code"
            hint="Eight letters, as the program shows them."
            autoComplete="off"
            placeholder="WDJB-MJHT"
            required
            maxLength={32}
            value={typed}
            put={setTyped}
          />
          <Failure text={failure} />
          <button type="submit" disabled={busy}>
            {busy ? "Looking…" : "Look it up"}
          </button>
        </form>
      ) : (
        <Decision code={typed.trim()} device={device} decided={setOutcome} />
      )}
    </Page>
  )
}
