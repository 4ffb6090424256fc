/** The request log of the account: the latest calls of its API, with those that failed on demand. */
import type { Input, Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Choice } from "../components/field.tsx"
import { ListEnd } from "../components/notices.tsx"
import { Page, Refresh } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { queryOf } from "../routing.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client } from "../state/session.ts"

type Logged = Output<"requests.list">["requests"][number]
type Asked = Input<"requests.list">

const page = 50
/** Pages that are read for one that has a call of the chosen callers. */
const pagesReadMax = 5

const statuses: ReadonlyArray<readonly [word: string, says: string]> = [
  ["", "All answers"],
  ["2xx", "Successes"],
  ["4xx", "Refusals (4xx)"],
  ["5xx", "Failures (5xx)"],
  ["none", "Left by their caller"]
]
const callersOf = [
  ["keys", "By API keys and apps"],
  ["all", "By this console too"]
] as const

const toneOf = ({ status, reason }: Pick<Logged, "status" | "reason">): string =>
  reason === "DAEMON_OFFLINE"
    ? "warn"
    : status === null
      ? "off"
      : status >= 500
        ? "bad"
        : status >= 400
          ? "warn"
          : "good"

const callerOf = ({ credential }: Logged): string =>
  credential.kind === "session"
    ? "session"
    : `${credential.kind === "grant" ? "app" : "key"} ${credential.name ?? credential.id}`

const Row = ({ request }: { readonly request: Logged }) => {
  const { method, path, status, reason, durationMs, requestId, at, omitted } = request
  return (
    <li>
      <div class="row">
        <span class="grow">
          <code class="break">
            {method} {path}
          </code>
          <small class="soft">
            <RelativeTime at={at} /> · {durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms · {callerOf(request)} ·{" "}
            <code>{requestId}</code>
          </small>
          {omitted > 0 && <small class="soft">{omitted} more in that second are not kept</small>}
        </span>
        <span class={`badge ${toneOf(request)}`}>
          {status ?? "left"}
          {reason === null ? "" : ` ${reason}`}
        </span>
      </div>
    </li>
  )
}

/** The view. */
export const Requests = () => {
  const [status, setStatus] = useState("")
  const [pathContains, setPath] = useState("")
  const [callers, setCallers] = useState<"keys" | "all">("keys")
  const [key] = useState(() => queryOf(location.hash).get("key") ?? "")
  const pages = usePagedList(async ({ cursor }, signal) => {
    let next = cursor
    let rows: ReadonlyArray<Logged> = []
    for (let read = 0; read < pagesReadMax && rows.length === 0 && (read === 0 || next !== undefined); read++) {
      const asked: Asked = {
        limit: page,
        ...(next === undefined ? {} : { cursor: next }),
        ...(key === "" ? {} : { key }),
        ...(status === "" ? {} : { status }),
        ...(pathContains === "" ? {} : { pathContains })
      }
      const { requests, nextCursor } = await client.requests.list(asked, { signal })
      rows = callers === "all" ? requests : requests.filter(({ credential }) => credential.kind !== "session")
      next = nextCursor
    }
    return { rows, next }
  }, `${status} ${callers} ${pathContains}`)
  return (
    <Page title="Requests" actions={<Refresh act={pages.reload} />}>
      <p class="soft">The latest calls of the API{key !== "" && ` by ${key}`}, for 24 hours, without their bodies.</p>
      <div class="row">
        <Choice label="Answers" of={statuses} value={status} put={setStatus} />
        <Choice label="Callers" of={callersOf} value={callers} put={setCallers} />
        <input
          class="grow"
          aria-label="Path contains"
          placeholder="Path contains…"
          value={pathContains}
          onChange={(event) => setPath(event.currentTarget.value.trim())}
        />
      </div>
      <ul class="list" aria-label="Requests">
        {pages.rows?.map((request) => (
          <Row key={request.id} request={request} />
        ))}
      </ul>
      <ListEnd pages={pages} none="There is no such request." />
    </Page>
  )
}
