/** Real proxies in front of the hub, and every row of the tables through each: both must agree where a request ends. */
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { useEdge } from "../../support/edge.ts"
import { useStarted } from "../../support/use-started.ts"
import { chunks } from "./framing/chunks.ts"
import { lengths } from "./framing/content-lengths.ts"
import { proxies } from "./framing/proxies.ts"
import { exchange, isHere, startProxy } from "./framing/proxy-process.ts"
import { head, type Row, smuggled } from "./framing/raw-request.ts"
import { heads } from "./framing/request-heads.ts"
import { codings } from "./framing/transfer-codings.ts"

const open = access({ kind: "public", onHangUp: "cancel" })
const Mark = Schema.Struct({ mark: Schema.String })
const Of = Schema.Struct({ row: Schema.optional(Schema.String) })
const Ran = Schema.Struct({ row: Schema.String })
const Garden = HttpApiGroup.make("garden").add(
  HttpApiEndpoint.post("take", "/take", { query: Of, payload: Mark, success: Ran }).annotateMerge(open),
  HttpApiEndpoint.post("act", "/act/:mark", { query: Of, params: Mark, success: Ran }).annotateMerge(open),
  HttpApiEndpoint.get("mark", "/mark/:mark", { query: Of, params: Mark, success: Ran }).annotateMerge(open),
  HttpApiEndpoint.delete("drop", "/mark/:mark", { query: Of, params: Mark, success: Ran }).annotateMerge(open)
)

const numberShape = /[sv]\d{7}/u

/** How many requests of each row ran at the hub. */
const ran = new Map<string, number>()
/** A request of a row says so in its query; what is hidden in a body has no room for one and says it in its path. */
const run = (query: { readonly row?: string }, mark: string) => {
  // what a proxy takes for part of the target stands beside the number
  const given = query.row ?? mark
  const row = numberShape.exec(given)?.[0] ?? given
  ran.set(row, (ran.get(row) ?? 0) + 1)
  return Effect.succeed({ row })
}
type Call = { readonly query: { row?: string }; readonly params: { mark: string } }
const named = ({ query, params }: Call) => run(query, params.mark)
const routes = { garden: { take: ({ query }: Call) => run(query, "take"), act: named, mark: named, drop: named } }

/**
 * What the library hides from the hub where no length is missed: only the proxy can refuse it, or leave the name out.
 */
const hidden: ReadonlyArray<Row> = ["GET", "HEAD", "DELETE", "OPTIONS"].flatMap((method) =>
  ["Content-Length: 40", "Transfer-Encoding: chunked"].map((line) => ({
    name: `${method} with an empty name before ${line}`,
    source: "review of the hub",
    bytes: head(`${method} /mark/a`, [": x", line], smuggled),
    want: "",
    ran: ""
  }))
)

const rows: ReadonlyArray<Row> = [...lengths, ...codings, ...chunks, ...heads, ...hidden]
const lanes = 40

/** The row's bytes, with its number in every request of it; the hidden one keeps its length. */
const numbered = (row: Row, id: string): Buffer =>
  Buffer.from(
    row.bytes
      .replaceAll("/mark/smuggled", `/mark/${id}`)
      .replaceAll(/(\/take|\/act\/a|\/mark\/a)(?=[ \r])/gu, `$1?row=${id}`),
    "latin1"
  )

describe.each(proxies.filter(isHere))("behind $name", (proxy) => {
  const edge = useEdge({ settings: { trustedProxies: ["127.0.0.0/8"] } }, routes, HttpApi.make("garden").add(Garden))
  const running = useStarted(() => {
    ran.clear()
    return startProxy(proxy, edge.edge.port)
  })

  /** What is wrong with how a row went, or undefined. */
  const judged = async (row: Row, at: number): Promise<string | undefined> => {
    const id = `s${String(at).padStart(7, "0")}`
    const { statuses, text } = await exchange(running.port, numbered(row, id))
    const answered = [...text.matchAll(/"row":"([^"]*)"/gu)].map(([, other]) => other)
    const foreign = answered.filter((other) => other !== id)
    if (foreign.length > 0) return `${row.name}: got the answer of ${foreign.join()}`
    const runs = ran.get(id) ?? 0
    const answers = Math.max(statuses.length, answered.length) // HTTP/0.9 has no statuses
    if (runs > answers) return `${row.name}: ${runs} ran, and the proxy answered ${answers}`
    const after = `v${String(at).padStart(7, "0")}`
    const next = Buffer.from(`GET /mark/${after} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
    let whole = await exchange(running.port, next)
    // a proxy that waits no longer for a hub that has no core for seconds: no answer of anyone's
    while (/^HTTP\/1\.1 50[34] /u.test(whole.text)) whole = await exchange(running.port, next)
    if (!whole.text.includes(`{"row":"${after}"}`))
      return `${row.name}: the next caller got ${whole.text.slice(0, 300)}`
    return undefined
  }

  it("no row runs more than the proxy answered, and no caller gets the answer of another", async () => {
    const wrong: Array<string> = []
    let at = 0
    const lane = async (): Promise<void> => {
      while (at < rows.length) {
        const mine = at++
        const found = await judged(rows[mine]!, mine)
        if (found !== undefined) wrong.push(found)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    expect(wrong).toEqual([])
    expect(ran.size).toBeGreaterThan(rows.length)
  })
})
