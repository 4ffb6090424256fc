/** The client's streams: blocks of bytes however they are cut, and what a lost connection means. */
import { describe, expect, it } from "vitest"
import { createClient } from "../../../client/src/client.ts"
import { eventCharsMax, type ServerSentEvent, serverSentEvents } from "../../../client/src/server-sent-events.ts"
import type { StreamOptions } from "../../../client/src/stream-item.ts"
import { fc, forAllAsync } from "../../support/properties.ts"
import { problem, type Scripted, scripted, stream } from "../scripted-fetch.ts"

const encoder = new TextEncoder()
const bytesOf = (parts: ReadonlyArray<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    }
  })
const read = async (parts: ReadonlyArray<Uint8Array>): Promise<Array<ServerSentEvent>> => {
  const blocks: Array<ServerSentEvent> = []
  for await (const one of serverSentEvents(bytesOf(parts))) blocks.push(one)
  return blocks
}

const lineText = fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !/[\r\n\0]/u.test(text))
const block = fc.record({
  id: lineText,
  event: lineText.filter((text) => text !== ""),
  data: fc.array(lineText, { minLength: 1 })
})
const ends = fc.constantFrom("\n", "\r\n", "\r")

describe("Server-Sent Events", () => {
  it("are read the same however the bytes are cut and lines end", () =>
    forAllAsync(fc.array(block), ends, fc.array(fc.nat()), async (blocks, end, cuts) => {
      const text = blocks.map(({ id, event, data }) =>
        [`id: ${id}`, `event: ${event}`, ...data.map((line) => `data: ${line}`), "", ""].join(end)
      )
      // a comment at the end, so that no carriage return is the last character of the stream
      const bytes = encoder.encode(`${text.join("")}: end`)
      const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
        (a, b) => a - b
      )
      const parts = places.slice(1).map((to, at) => bytes.slice(places[at], to))
      const seen = (await read(parts)).map(({ id, event, data }) => ({ id, event, data }))
      expect(seen).toEqual(blocks.map(({ data, ...rest }) => ({ ...rest, data: data.join("\n") })))
    }))

  it("leave out comments and what is cut off at the end", async () => {
    expect(await read([encoder.encode(": hello\n\ndata: a\n\ndata: b")])).toMatchObject([
      { data: undefined },
      { data: "a" }
    ])
  })

  it(`end with an error at an event of more than ${eventCharsMax} characters`, async () => {
    const part = new Uint8Array(1_048_576).fill(97)
    await expect(read(Array.from({ length: 17 }, () => part))).rejects.toThrow(RangeError)
  })
})

const lost = new TypeError("fetch failed")
const event = (id: string) => `id: ${id}\nevent: agent:status\ndata: {"event":"agent:status","n":"${id}"}\n\n`

const follow = async (
  script: ReadonlyArray<Scripted>,
  options: StreamOptions = {},
  itemsMax = Number.POSITIVE_INFINITY
) => {
  const all = scripted(script)
  const states: Array<string> = []
  const items: Array<string> = []
  const controller = new AbortController()
  const given = { signal: controller.signal, onState: (state: string) => states.push(state), ...options }
  let error: unknown
  try {
    for await (const item of createClient(all.options).events.stream({ event: ["agent:status"] }, given)) {
      items.push(
        item.type === "event" ? String(item.id) : item.type === "gap" ? `gap ${item.after}` : `end ${item.reason}`
      )
      if (items.length >= itemsMax) controller.abort()
    }
  } catch (thrown) {
    error = thrown
  }
  return { ...all, items, states, error, places: all.asked.map(({ headers }) => headers["last-event-id"]) }
}

describe("a stream", () => {
  it("is opened again behind its last event when its connection is lost", async () => {
    const { items, places, states } = await follow([stream(event("1") + event("2")), lost, stream(event("3"))], {}, 3)
    expect(items).toEqual(["1", "2", "3"])
    expect(places).toEqual([undefined, "2", "2"])
    expect(states).toEqual(["open", "lost", "lost", "open"])
  })

  it("begins behind the place it is given, and knows its place before the first event", async () => {
    const { places } = await follow([stream("id: 9\n\n"), stream(event("10"))], { lastEventId: "5" }, 1)
    expect(places).toEqual(["5", "9"])
  })

  it("tells a gap and goes on", async () => {
    const { items } = await follow([stream(`event: gap\ndata: {"after":"4"}\n\n${event("7")}`)], {}, 2)
    expect(items).toEqual(["gap 4", "7"])
  })

  it("ends when the hub ends it for good, and comes back when it read too slowly", async () => {
    const end = (reason: string) => `event: end\ndata: {"reason":"${reason}"}\n\n`
    const { items, places } = await follow([stream(event("1") + end("slow_reader")), stream(end("log_ended"))])
    expect(items).toEqual(["1", "end log_ended"])
    expect(places).toEqual([undefined, "1"])
  })

  it("waits as long as the hub says when it is refused for now", async () => {
    const { waited } = await follow([problem(503, "OVERLOADED", 5), stream(event("1"))], {}, 1)
    expect(waited).toEqual([5_000])
  })

  it("asks again after an hour at the latest, where it waits without an end", async () => {
    const lostMillisMax = Number.POSITIVE_INFINITY
    const { waited } = await follow([problem(503, "OVERLOADED", 3_000_000), stream(event("1"))], { lostMillisMax }, 1)
    expect(waited).toEqual([3_600_000])
  })

  it("goes on after what a proxy answers once the hub has opened it, and fails of the same before", async () => {
    const page = (status: number) =>
      new Response("<html>\n\n</html>\n\n", { status, headers: { "content-type": "text/html" } })
    const { items } = await follow(
      [stream(event("1")), page(404), page(403), page(401), page(308), page(200), stream(event("2"))],
      {},
      2
    )
    expect(items).toEqual(["1", "2"])
    for (const status of [404, 200]) {
      const { error, asked } = await follow([page(status)], { lostMillisMax: 60_000 })
      expect([String(error), asked.length]).toEqual([
        `Refused: events.stream: http://hub.test answers ${status} (text/html), which does not come from a hub`,
        1
      ])
    }
  })

  it("fails where a proxy answers with a page for longer than the hub may be away", async () => {
    const page = new Response("<p>\n\n</p>\n\n", { status: 200, headers: { "content-type": "text/html" } })
    const pages = Array.from({ length: 100 }, () => page)
    const { error } = await follow([stream(event("1")), ...pages], { lostMillisMax: 60_000 })
    expect(error).toMatchObject({ _tag: "Refused", status: 200 })
  })

  it("fails when it is refused for good", async () => {
    const { error, asked } = await follow([problem(403, "AUTH_FORBIDDEN")])
    expect(error).toMatchObject({ reason: "AUTH_FORBIDDEN" })
    expect(asked.length).toBe(1)
  })

  it("fails when the hub is away for longer than it may be", async () => {
    const { error, waited } = await follow(
      Array.from({ length: 100 }, () => lost),
      { lostMillisMax: 60_000 }
    )
    expect(error).toMatchObject({ _tag: "ConnectionFailed" })
    expect(waited.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(60_000)
    expect(waited.length).toBeGreaterThan(3)
  })
})
