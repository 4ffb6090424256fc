/** One daemon: what it is, its sessions and agents, its terminal, its commands, and its end. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Badge, OnlineBadge } from "../components/badge.tsx"
import { Confirm } from "../components/dialog.tsx"
import { Empty, Failure, Reading } from "../components/notices.tsx"
import { Page, Refresh, Section } from "../components/page.tsx"
import { gatherMillis } from "../limits.ts"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { nameOf } from "../state/daemon-list.ts"
import { useFetched } from "../state/fetched.ts"
import { useEvents } from "../state/live-events.ts"
import { may, me } from "../state/membership.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { useGathered } from "../state/throttled-state.ts"
import { Commands } from "./commands.tsx"
import { DaemonFacts } from "./daemon-facts.tsx"
import { Terminal } from "./terminal.tsx"

type Status = Output<"daemons.status">

const Targets = ({ daemon }: { readonly daemon: Status }) => {
  const all = [
    ...daemon.ides.map((one) => ({ ...one, kind: "IDE" })),
    ...daemon.clis.map((one) => ({ ...one, kind: "CLI" })),
    ...daemon.acps.map((one) => ({ ...one, kind: "ACP agent" }))
  ]
  if (all.length === 0) return null
  return (
    <Section title="IDEs and agents">
      <ul class="list">
        {all.map(({ id, type, kind, workspaceName }) => (
          <li key={id} class="row">
            <span class="grow">
              <strong>{type}</strong>
              <small class="soft">{workspaceName ?? "no folder"}</small>
            </span>
            <small class="soft">{kind}</small>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const Sessions = ({ daemon }: { readonly daemon: Status }) =>
  daemon.sessions.length === 0 ? (
    <Empty>No session runs.</Empty>
  ) : (
    <ul class="list" aria-label="Sessions">
      {daemon.sessions.map(({ id, providerName, providerType, workspace, status }) => (
        <li key={id}>
          <a class="row" href={linkTo("daemons", daemon.id, "sessions", id)}>
            <span class="grow">
              <strong>{providerName ?? providerType}</strong>
              <small class="soft">
                {workspace?.name ?? "no folder"} · {id}
              </small>
            </span>
            <Badge state={status} />
          </a>
        </li>
      ))}
    </ul>
  )

const Launch = ({ daemon, launched }: { readonly daemon: Status; readonly launched: () => void }) => {
  const types = daemon.availableProviders.map(({ type, displayName }) => ({ type, name: displayName ?? type }))
  const [chosen, setChosen] = useState("")
  const { busy, failure, submit } = useAction()
  if (types.length === 0) return null
  const type = chosen || types[0]!.type
  const launch = submit(async () => {
    const answer = await client.shortcuts.launch({ daemonId: daemon.id, type })
    if (!answer.success) throw new Error(answer.error)
    launched()
  })
  return (
    <>
      <form class="inline" onSubmit={launch}>
        <select aria-label="Agent" value={type} onChange={(event) => setChosen(event.currentTarget.value)}>
          {types.map((one) => (
            <option key={one.type} value={one.type}>
              {one.name}
            </option>
          ))}
        </select>
        <button type="submit" disabled={busy || !daemon.online}>
          {busy ? "Launching…" : "Launch"}
        </button>
      </form>
      <Failure text={failure} />
    </>
  )
}

const Ending = ({ daemon, reload }: { readonly daemon: Status; readonly reload: () => void }) => {
  const { busy, failure, run } = useAction()
  const revoke = () =>
    run(async () => {
      await client.daemons.revoke({ daemonId: daemon.id })
      reload()
    })
  const remove = () =>
    run(async () => {
      await client.daemons.remove({ daemonId: daemon.id })
      location.hash = linkTo("daemons")
    })
  return (
    <Section title="End" says="A revoked daemon is disconnected and its token is void; a removed one is forgotten.">
      <Failure text={failure} />
      <div class="actions">
        {!daemon.revoked && (
          <Confirm
            label="Revoke"
            question={`Revoke ${nameOf(daemon)}?`}
            says="Its token is void for ever. To come back the machine needs a new one."
            busy={busy}
            act={revoke}
          />
        )}
        {!daemon.online && (
          <Confirm
            label="Remove"
            question={`Remove ${nameOf(daemon)}?`}
            says="It is forgotten with its tokens and its commands, for ever."
            busy={busy}
            act={remove}
          />
        )}
      </div>
    </Section>
  )
}

/** The view. */
export const DaemonView = ({ daemonId }: { readonly daemonId: string }) => {
  const { value, failure, reload } = useFetched((signal) => client.daemons.status({ daemonId }, { signal }), [daemonId])
  const [ran, setRan] = useState(0)
  const who = useStore(me)
  const mayCommand = may(who, "operator")
  const readSoon = useGathered(reload, gatherMillis)
  useEvents((event) => {
    if (event === "gap" || ("daemonId" in event.payload && event.payload.daemonId === daemonId)) readSoon()
  })
  return (
    <Page
      title={value === undefined ? "Daemon" : nameOf(value)}
      above={<a href={linkTo("daemons")}>Daemons</a>}
      beside={value !== undefined && <OnlineBadge online={value.online} />}
      actions={<Refresh act={reload} />}
    >
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value !== undefined && (
        <>
          <DaemonFacts daemon={value} changed={reload} />
          <Section title="Sessions" actions={mayCommand ? <Launch daemon={value} launched={reload} /> : undefined}>
            <Sessions daemon={value} />
          </Section>
          <Targets daemon={value} />
          {mayCommand && (
            <Terminal daemonId={daemonId} online={value.online} ended={() => setRan((count) => count + 1)} />
          )}
          <Commands daemonId={daemonId} ran={ran} />
          {may(who, "admin") && <Ending daemon={value} reload={reload} />}
        </>
      )}
    </Page>
  )
}
