/** Raw requests, one row per connection; the files beside this one have the rows. */
import { readFileSync } from "node:fs"
import { setImmediate as turn } from "node:timers/promises"
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterEach, describe, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { useEdge } from "../../support/edge.ts"
import { fc, forAllAsync } from "../../support/properties.ts"
import { openWire, type Wire } from "../../support/raw-http-connection.ts"
import { until } from "../../support/until.ts"
import { chunks } from "./framing/chunks.ts"
import { lengths } from "./framing/content-lengths.ts"
import type { Row } from "./framing/raw-request.ts"
import { heads } from "./framing/request-heads.ts"
import { codings } from "./framing/transfer-codings.ts"

const open = access({ kind: "public", onHangUp: "cancel" })
const Mark = Schema.Struct({ mark: Schema.String })
const Probe = HttpApiGroup.make("probe").add(
  HttpApiEndpoint.post("take", "/take", { payload: Mark, success: Mark }).annotateMerge(open),
  HttpApiEndpoint.post("may", "/may", {
    payload: Schema.Struct({ mark: Schema.optionalKey(Schema.String) }),
    success: Mark
  }).annotateMerge(open),
  HttpApiEndpoint.post("act", "/act/:mark", { params: Mark, success: Mark }).annotateMerge(open),
  HttpApiEndpoint.get("mark", "/mark/:mark", { params: Mark, success: Mark }).annotateMerge(open),
  HttpApiEndpoint.delete("drop", "/mark/:mark", { params: Mark, success: Mark }).annotateMerge(open)
)

const ran: Array<string> = []
const run = (given: { readonly mark: string }) => {
  ran.push(given.mark)
  return Effect.succeed(given)
}
const routes = {
  probe: {
    take: ({ payload }: { payload: { mark: string } }) => run(payload),
    may: ({ payload }: { payload: { mark?: string } }) => run({ mark: payload.mark ?? "none" }),
    act: ({ params }: { params: { mark: string } }) => run(params),
    mark: ({ params }: { params: { mark: string } }) => run(params),
    drop: ({ params }: { params: { mark: string } }) => run(params)
  }
}
const tables = { lengths, codings, chunks, heads }
const folder = new URL("../../support/tls/", import.meta.url).pathname

const statusesOf = async (wire: Wire, bodiless: boolean, count: number): Promise<Array<number>> => {
  const statuses: Array<number> = []
  while (statuses.length < count) {
    const answer = await wire.answer({ head: bodiless })
    if (answer === undefined) break
    statuses.push(answer.status)
  }
  return statuses
}

/** What becomes of a row, in the words of its `want`, as far as that asks for it. */
const observed = async (wire: Wire, row: Row): Promise<string> => {
  const end = row.want.split(" ").at(-1)!
  const wanted = row.want.split(" ").length - 1
  const bodiless = row.bytes.startsWith("HEAD")
  wire.write(Buffer.from(row.bytes, "latin1"))
  if (end === "closes") {
    const statuses = await statusesOf(wire, bodiless, 9)
    await wire.closed
    return [...statuses, end].join(" ")
  }
  const statuses = await statusesOf(wire, bodiless, wanted)
  if (end === "stays") {
    wire.write("GET /mark/next HTTP/1.1\r\nHost: h\r\n\r\n")
    const next = await wire.answer()
    if (ran.pop() !== "next" || next?.body !== '{"mark":"next"}') return "the connection is out of step"
    wire.destroy()
    return [...statuses, end].join(" ")
  }
  wire.finish()
  statuses.push(...(await statusesOf(wire, bodiless, 9)))
  return [...statuses, end].join(" ")
}

describe.each([
  ["plain", {}],
  ["TLS", { tlsCert: `${folder}cert.pem`, tlsKey: `${folder}key.pem` }]
] as const)("over %s", (_, settings) => {
  const edge = useEdge({ settings }, routes, HttpApi.make("framing").add(Probe))
  afterEach(async () => {
    await until("nothing is under way", () => edge.edge.server.exchanges.live === 0)
    expect(edge.edge.server.exchanges.bodies.size).toBe(0)
  })
  const connect = () => openWire(edge.url, { ca: readFileSync(`${folder}cert.pem`) })

  it("runs no request of a row's body, wherever the row is cut into segments", async () => {
    const rows = Object.values(tables).flat()
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 })
    ran.length = 0
    await forAllAsync(400, fc.constantFrom(...rows), cuts, async ({ bytes }, places) => {
      const wire = await connect()
      const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length].sort((a, b) => a - b)
      let at = 0
      for (const end of ends) {
        wire.write(Buffer.from(bytes.slice(at, end), "latin1"))
        at = end
        await turn()
        await turn()
      }
      wire.finish()
      await wire.closed
      expect(ran).not.toContain("smuggled")
    })
  })

  it("runs no request behind the end of chunks, wherever the chunks are cut into segments", async () => {
    const { bytes } = chunks.find(({ name }) => name === "a chunk, its end, and a request")!
    ran.length = 0
    for (let cut = bytes.indexOf("c\r\n{"); cut <= bytes.indexOf("0\r\n\r\n"); cut++) {
      const wire = await connect()
      wire.write(bytes.slice(0, cut))
      await until("the head is read", () => edge.edge.server.exchanges.live === 1)
      await turn()
      wire.write(bytes.slice(cut))
      wire.finish()
      await wire.closed
    }
    expect(ran).not.toContain("smuggled")
  })

  describe.each(Object.entries(tables))("the table of %s", (__, rows) => {
    it.each(rows)("$name: $want", async (row) => {
      ran.length = 0
      const wire = await connect()
      expect(await observed(wire, row)).toBe(row.want)
      await until("nothing is under way", () => edge.edge.server.exchanges.live === 0)
      expect(ran.join(" ")).toBe(row.ran)
    })
  })
})

it("has 150 rows or more, each of a name of its own", () => {
  const names = Object.values(tables).flatMap((rows) => rows.map(({ name }) => name))
  expect(names.length).toBeGreaterThanOrEqual(150)
  expect(new Set(names).size).toBe(names.length)
})
