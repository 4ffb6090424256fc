/** The audit log of the account: who changed what, and who commanded which machine. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Choice } from "../components/field.tsx"
import { ListEnd } from "../components/notices.tsx"
import { Page, Refresh } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { useFetched } from "../state/fetched.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client } from "../state/session.ts"

type AuditEvent = Output<"audit.list">["events"][number]

const page = 50
const membersPage = 200
const tones = { done: "good", refused: "warn", failed: "bad" } as const

/** The members' addresses by their person; of an account with more members than a page, those of the first. */
type Names = ReadonlyMap<string, string>

const actorOf = ({ actor: { kind, id } }: AuditEvent): string => (id === null ? kind.replaceAll("_", " ") : id)

const Row = ({ event, names }: { readonly event: AuditEvent; readonly names: Names | undefined }) => {
  const { at, action, object, detail, outcome, reason, address, actor } = event
  const name = actor.person === null ? undefined : names?.get(actor.person)
  return (
    <li>
      <div class="row">
        <span class="grow">
          <strong>{action}</strong>
          <small class="soft break">
            {object !== null && <code>{object}</code>} {detail}
          </small>
          <small class="soft break">
            <RelativeTime at={at} /> · by {name} <code>{actorOf(event)}</code>
            {address !== null && ` from ${address}`}
          </small>
        </span>
        <span class={`badge ${tones[outcome]}`}>{reason ?? outcome}</span>
      </div>
    </li>
  )
}

const outcomes = [
  ["", "All outcomes"],
  ["done", "Done"],
  ["refused", "Refused"],
  ["failed", "Failed"]
] as const

/** The view. */
export const Audit = () => {
  const [outcome, setOutcome] = useState<(typeof outcomes)[number][0]>("")
  const [object, setObject] = useState("")
  const { value: names } = useFetched(async (signal) => {
    const { members } = await client.members.list({ limit: membersPage }, { signal })
    return new Map(members.map(({ personId, email }) => [personId, email]))
  }, [])
  const pages = usePagedList(async (from, signal) => {
    const asked = {
      limit: page,
      ...from,
      ...(outcome === "" ? {} : { outcome }),
      ...(object === "" ? {} : { object })
    }
    const { events, nextCursor } = await client.audit.list(asked, { signal })
    return { rows: events, next: nextCursor }
  }, `${outcome} ${object}`)
  return (
    <Page title="Audit log" actions={<Refresh act={pages.reload} />}>
      <div class="row">
        <Choice label="Outcomes" of={outcomes} value={outcome} put={setOutcome} />
        <input
          class="grow"
          aria-label="Id of what was acted upon"
          placeholder="Id of a machine, a key, a webhook…"
          value={object}
          onChange={({ currentTarget }) => setObject(currentTarget.value.trim())}
        />
      </div>
      <ul class="list" aria-label="Audit log">
        {pages.rows?.map((event) => (
          <Row key={event.id} event={event} names={names} />
        ))}
      </ul>
      <ListEnd pages={pages} none="Nothing was noted." />
    </Page>
  )
}
