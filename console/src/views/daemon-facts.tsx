/** What a daemon is and how it does: its facts, its tags, why it left, and what it sent that did not fit. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { UpdateBadge } from "../components/badge.tsx"
import { Failure } from "../components/notices.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { useAction } from "../state/action.ts"
import { tagChanges } from "../state/chosen-daemons.ts"
import { tagWords } from "../state/daemon-list.ts"
import { may, me } from "../state/membership.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"

type Status = Output<"daemons.status">

const endWords: Readonly<Record<string, string>> = {
  closed: "it closed its connection",
  timeout: "its connection was lost",
  replaced: "another connection with its token took its place",
  disconnected: "it was disconnected from here",
  revoked: "its token was revoked"
}

const percent = (share: number): string => `${Math.round(share * 100)} %`

const Health = ({ health }: { readonly health: NonNullable<Status["health"]> }) => {
  const { cpu, memory, disk } = health
  const words = [
    ...(cpu === undefined ? [] : [`load ${percent(cpu)}`]),
    ...(memory === undefined ? [] : [`memory ${percent(memory)}`]),
    ...(disk === undefined ? [] : [`disk ${percent(disk)}`])
  ]
  return (
    <>
      <dt>In use</dt>
      <dd>{words.join(", ")}</dd>
    </>
  )
}

const LastEnd = ({ end }: { readonly end: NonNullable<Status["lastEnd"]> }) => (
  <>
    <dt>Left</dt>
    <dd>
      <RelativeTime at={end.at} />
      {end.reason !== null && `: ${endWords[end.reason] ?? end.reason}`}
      {end.code !== null && ` (code ${end.code})`}
    </dd>
  </>
)

interface UpdateProps {
  readonly has: string
  readonly update: NonNullable<Status["update"]>
}

const Update = ({ has, update: { state, version, policy, reason } }: UpdateProps) => (
  <>
    <dt>Update</dt>
    <dd class="break">
      <UpdateBadge state={state} /> {version !== null && version !== has && `to ${version}, `}
      {`by the policy ${policy}`}
      {state === "failed" && `; it stays on ${has}: ${reason ?? "not known why"}`}
    </dd>
  </>
)

const Tags = ({ daemon, changed }: { readonly daemon: Status; readonly changed: () => void }) => {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const { busy, failure, submit } = useAction()
  const mayChange = may(useStore(me), "admin")
  const save = submit(async () => {
    await client.tags.merge({ daemonId: daemon.id, tags: tagChanges(typed ?? "") })
    setTyped(undefined)
    changed()
  })
  if (typed === undefined)
    return (
      <>
        {tagWords(daemon.tags) || "none"}{" "}
        {mayChange && (
          <button type="button" class="quiet" onClick={() => setTyped("")}>
            Change tags
          </button>
        )}
      </>
    )
  return (
    <form class="inline" onSubmit={save}>
      <span>{tagWords(daemon.tags)}</span>
      <input
        aria-label="Tags to set or remove"
        placeholder="env=prod gpu old-"
        required
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <button type="submit" disabled={busy}>
        Save
      </button>
      <button type="button" class="quiet" onClick={() => setTyped(undefined)}>
        Leave them
      </button>
      <Failure text={failure} />
    </form>
  )
}

/** The facts. */
export const DaemonFacts = ({ daemon, changed }: { readonly daemon: Status; readonly changed: () => void }) => (
  <>
    <dl class="facts">
      <dt>Id</dt>
      <dd>
        <code>{daemon.id}</code>
      </dd>
      <dt>Host</dt>
      <dd>
        {daemon.hostname}, {daemon.platform}
      </dd>
      <dt>Version</dt>
      <dd>{daemon.version}</dd>
      {daemon.update !== undefined && <Update has={daemon.version} update={daemon.update} />}
      <dt>Tags</dt>
      <dd class="break">
        <Tags daemon={daemon} changed={changed} />
      </dd>
      <dt>{daemon.online ? "Connected" : "Last seen"}</dt>
      <dd>
        <RelativeTime at={daemon.online ? daemon.connectedAt : daemon.lastSeenAt} />
      </dd>
      {daemon.lastEnd !== undefined && <LastEnd end={daemon.lastEnd} />}
      {daemon.health !== undefined && <Health health={daemon.health} />}
    </dl>
    {daemon.problems.length > 0 && (
      <details>
        <summary>{`${daemon.problems.length} of what it sent did not fit`}</summary>
        <ul>
          {daemon.problems.map(({ at, reason }) => (
            <li key={`${at} ${reason}`} class="break">
              <code>{at}</code> {reason}
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
)
