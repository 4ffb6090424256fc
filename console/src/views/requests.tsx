/** The request log of the account: the latest calls of its API, with those that failed on demand. */
import type { Input, Output } from "@hub/client"
import { useState } from "preact/hooks"
import { ListEnd } from "../components/list-end.tsx"
import { Page } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { usePagedList } from "../state/paged-list.ts"
import { client } from "../state/session.ts"

type Logged = Output<"requests.list">["requests"][number]
type Asked = Input<"requests.list">

const page = 50

const statuses = [
  { word: "", says: "All answers" },
  { word: "2xx", says: "Successes" },
  { word: "4xx", says: "Refusals (4xx)" },
  { word: "5xx", says: "Failures (5xx)" },
  { word: "none", says: "Left by their caller" }
]

const toneOf = (status: number | null): string =>
  status === null ? "off" : status >= 500 ? "bad" : status >= 400 ? "warn" : "good"

const callerOf = ({ credential }: Logged): string =>
  credential.kind === "session" ? "session" : `key ${credential.name ?? credential.id}`

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
        <span class={`badge ${toneOf(status)}`}>
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
  const pages = usePagedList(async (cursor, signal) => {
    const asked: Asked = {
      limit: page,
      ...(cursor === undefined ? {} : { cursor }),
      ...(status === "" ? {} : { status }),
      ...(pathContains === "" ? {} : { pathContains })
    }
    const { requests, nextCursor } = await client.requests.list(asked, { signal })
    return { rows: requests, next: nextCursor }
  }, `${status} ${pathContains}`)
  const actions = (
    <button type="button" class="quiet" onClick={pages.reload}>
      Refresh
    </button>
  )
  return (
    <Page title="Requests" actions={actions}>
      <p class="soft">The latest calls of the API, for 24 hours, without their bodies.</p>
      <div class="row">
        <select aria-label="Answers" value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
          {statuses.map(({ word, says }) => (
            <option key={word} value={word}>
              {says}
            </option>
          ))}
        </select>
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
