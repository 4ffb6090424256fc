/** Pipelined requests on one connection, while one of them waits and while none does. */
import { Deferred, Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterEach, describe, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { takeShare } from "../../../http/native/requests-per-turn.ts"
import { Streaming } from "../../../http/pipeline/response.ts"
import { requestsPerTurnMax, unreadLookMillis } from "../../../src/limits.ts"
import { useEdge } from "../../support/edge.ts"
import { openWire, type Wire } from "../../support/raw-http-connection.ts"
import { until } from "../../support/until.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

const open = access({ kind: "public", onHangUp: "cancel" })
const Named = Schema.Struct({ name: Schema.String })
const Line = HttpApiGroup.make("line").add(
  HttpApiEndpoint.get("quick", "/quick", { success: Named }).annotateMerge(open),
  HttpApiEndpoint.get("slow", "/slow", { success: Named }).annotateMerge(open),
  HttpApiEndpoint.post("run", "/run", { payload: Named, success: Named }).annotateMerge(open),
  HttpApiEndpoint.get("stream", "/stream", { success: Schema.String }).annotateMerge(
    access({ kind: "public", streams: "StreamedEvent", onHangUp: "cancel" })
  )
)

let ran: Array<string> = []
let released = Deferred.makeUnsafe<void>()
const whenReleased = <A>(name: string, value: A) =>
  Effect.sync(() => ran.push(name)).pipe(
    Effect.andThen(Deferred.await(released)),
    Effect.as(value),
    Effect.onInterrupt(() => Effect.sync(() => ran.push(`${name} interrupted`)))
  )
const routes = {
  line: {
    quick: () => Effect.sync(() => ran.push("quick")).pipe(Effect.as({ name: "quick" })),
    slow: () => whenReleased("slow", { name: "slow" }),
    run: ({ payload }: { payload: { name: string } }) => whenReleased(payload.name, payload),
    stream: () =>
      whenReleased(
        "stream",
        new Streaming([["content-type", "text/event-stream"]], (outlet) =>
          Effect.sync(() => outlet.write("data: 1\n\n")).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => ran.push("reader left")))
          )
        )
      )
  }
}

const edge = useEdge({}, routes, HttpApi.make("pipelining").add(Line))

const wires: Array<Wire> = []
afterEach(async () => {
  Deferred.doneUnsafe(released, Effect.void)
  for (const wire of wires.splice(0)) wire.destroy()
  await until("nothing is under way", () => edge.edge.server.exchanges.live === 0)
  expect(edge.edge.server.exchanges.paused.size).toBe(0)
  ran = []
  edge.asked.length = 0
  released = Deferred.makeUnsafe<void>()
})
const wireOf = async (text: string): Promise<Wire> => {
  const wire = await openWire(edge.url)
  wires.push(wire)
  wire.write(text)
  return wire
}
const get = (path: string, method = "GET") => `${method} ${path} HTTP/1.1\r\nhost: h\r\n\r\n`
const post = (name: string) => {
  const body = JSON.stringify({ name })
  return `POST /run HTTP/1.1\r\nhost: h\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}
const chunked = (name: string) => {
  const body = JSON.stringify({ name })
  const head = "POST /run HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n"
  return `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}
const release = () => Deferred.doneUnsafe(released, Effect.void)
const name = async (wire: Wire) => JSON.parse((await wire.answer())?.body ?? "null")?.name

describe("requests of one segment", () => {
  it("are answered in order when each can be at once, HEAD and refusals among them", async () => {
    const wire = await wireOf(get("/quick") + get("/quick", "HEAD") + get("/nowhere") + get("/quick"))
    expect(await name(wire)).toBe("quick")
    expect(await wire.answer({ head: true })).toMatchObject({ status: 200 })
    expect(await wire.answer()).toMatchObject({ status: 404 })
    expect(await name(wire)).toBe("quick")
  })

  it("behind one that waits end the connection, and are neither run nor charged", async () => {
    const wire = await wireOf(get("/slow") + get("/quick"))
    await wire.closed
    await until("the first is given up", () => ran.includes("slow interrupted"))
    expect(ran).toEqual(["slow", "slow interrupted"])
    expect(edge.asked).toEqual(["address"])
  })

  it("are served up to a bound in one turn of the event loop; past it the connection ends, and others are served", async () => {
    const wire = await wireOf(get("/quick").repeat(requestsPerTurnMax * 4))
    await wire.closed
    expect(ran.length).toBeGreaterThan(1)
    expect(ran.length).toBeLessThanOrEqual(requestsPerTurnMax)
    expect(edge.asked).toHaveLength(ran.length)
    expect(await name(await wireOf(get("/quick")))).toBe("quick")
  })
})

describe("requests that one turn of the event loop has no time for", () => {
  const crowded = async (text: string): Promise<Wire> => {
    const wire = await wireOf("")
    while (takeShare());
    wire.write(text)
    return wire
  }

  it.each([
    ["without a body", get("/quick"), "quick"],
    ["with one", post("late"), "late"],
    ["with one in chunks", chunked("late"), "late"]
  ])("are run in a later one and answered: %s", async (_, text, expected) => {
    release()
    const wires: Array<Wire> = []
    for (let nth = 0; nth < 3; nth++) wires.push(await crowded(text))
    for (const wire of wires) expect(await name(wire)).toBe(expected)
    expect(ran).toEqual([expected, expected, expected])
    expect(edge.edge.server.exchanges.bodies.size).toBe(0)
  })

  it("with a body that comes in pieces are run once it is whole", async () => {
    release()
    const text = post("late")
    const wire = await crowded(text.slice(0, -4))
    await turns()
    wire.write(text.slice(-4))
    expect(await name(wire)).toBe("late")
    expect(ran).toEqual(["late"])
  })
})

describe("a request of a later segment", () => {
  it("waits while the one before it does, and both are answered in order, each run and charged once", async () => {
    const wire = await wireOf(get("/slow"))
    await until("the first waits", () => ran.includes("slow"))
    wire.write(get("/quick") + get("/quick", "HEAD"))
    await turns()
    expect(ran).toEqual(["slow"])
    release()
    expect([await name(wire), await name(wire)]).toEqual(["slow", "quick"])
    expect(await wire.answer({ head: true })).toMatchObject({ status: 200 })
    expect(ran).toEqual(["slow", "quick", "quick"])
    expect(edge.asked).toEqual(["address", "address", "address"])
  })

  it("with a body waits too, and is run once", async () => {
    const wire = await wireOf(post("first"))
    await until("the first is run", () => ran.includes("first"))
    wire.write(post("second"))
    await turns()
    expect(ran).toEqual(["first"])
    release()
    expect([await name(wire), await name(wire)]).toEqual(["first", "second"])
    expect(ran).toEqual(["first", "second"])
  })

  it("is read although the body before it came in pieces", async () => {
    const text = post("first")
    const wire = await wireOf(text.slice(0, -4))
    await turns()
    wire.write(text.slice(-4))
    await until("the first is run", () => ran.includes("first"))
    wire.write(get("/quick"))
    release()
    expect([await name(wire), await name(wire)]).toEqual(["first", "quick"])
  })
})

it("the connection of a request that waits is looked at: a caller that hung up is found, and one that stays is answered", async () => {
  const [gone, stays] = [await wireOf(post("gone")), await wireOf(post("stays"))]
  await until("both wait", () => ran.length === 2)
  gone.destroy()
  await until("the one is given up", async () => {
    await edge.clock.advance(unreadLookMillis, turns)
    return ran.includes("gone interrupted")
  })
  expect(ran).not.toContain("stays interrupted")
  release()
  expect(await name(stays)).toBe("stays")
})

it("the connection of a request that waits is read all the while when the answer is a stream: a reader that leaves is noticed at once", async () => {
  const wire = await wireOf(get("/stream"))
  await until("the stream is on its way", () => ran.includes("stream"))
  expect(edge.edge.server.exchanges.paused.size).toBe(0)
  release()
  expect(await wire.answer()).toMatchObject({ status: 200 })
  wire.destroy()
  await until("the stream ends", () => ran.includes("reader left"))
})
