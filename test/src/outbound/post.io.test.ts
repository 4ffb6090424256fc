/** One POST to an integrator's endpoint, over real sockets. */
import { readFileSync } from "node:fs"
import { createServer as createHttpsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { createServer, type Server } from "node:net"
import { Effect, Exit, Fiber, Layer, ManagedRuntime, Scope } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, describe, expect, it } from "vitest"
import type { AttemptResult } from "../../../src/domain/webhook/delivery.ts"
import { attemptMillisMax, originsMax } from "../../../src/limits/delivery.ts"
import { Outbound, type OutboundOptions } from "../../../src/outbound/post.ts"
import type { ResolvedAddress } from "../../../src/outbound/resolve.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"
import { startReceiver } from "../../support/webhook-receiver.ts"

const loopback = ["127.0.0.0/8", "::1/128"]
const here: ResolvedAddress = { address: "127.0.0.1", family: 4 }

const charge = (): void => undefined

describe("a post", () => {
  const receiver = useReceiver()
  const ends: Array<() => Promise<void>> = []
  afterAll(async () => {
    for (const end of ends) await end()
  })

  const wayOut = async (options: Partial<OutboundOptions> = {}) => {
    const runtime = ManagedRuntime.make(Outbound.layerOf({ allowCidrs: loopback, ...options }))
    ends.push(() => runtime.dispose())
    const outbound = await runtime.runPromise(Outbound)
    const effect = (url: string, body = "{}") => outbound.post({ url, headers: { "x-a": "b" }, body, charge })
    return {
      runtime,
      outbound,
      effect,
      post: (url: string, body?: string): Promise<AttemptResult> => runtime.runPromise(effect(url, body))
    }
  }

  it("carries the headers and the body as they are, and gives back status, body and time", async () => {
    receiver.react("/a?b=c", { status: 201, body: "thanks", headers: { "retry-after": "7" } })
    const { post } = await wayOut()
    const answer = await post(receiver.url("/a?b=c"), '{"é":1}')
    expect(answer).toEqual({
      statusCode: 201,
      error: undefined,
      retryAfter: "7",
      body: "thanks",
      truncated: false,
      durationMs: expect.any(Number)
    })
    expect(receiver.at("/a?b=c")[0]).toMatchObject({ text: '{"é":1}', headers: { "x-a": "b" } })
  })

  it("keeps its connections for the next: a second one at most while the first is being freed", async () => {
    const ports = new Set<number | undefined>()
    receiver.react("/kept", {
      by: (response) => {
        ports.add(response.socket?.remotePort)
        response.end()
      }
    })
    const { post } = await wayOut()
    for (let n = 0; n < 20; n++) await post(receiver.url("/kept"))
    expect(ports.size).toBeLessThanOrEqual(2)
  })

  it("does not follow a redirect", async () => {
    receiver.react("/moved", { status: 307, headers: { location: receiver.url("/elsewhere") } })
    const { post } = await wayOut()
    expect(await post(receiver.url("/moved"))).toMatchObject({ statusCode: 307, error: "redirect" })
    expect(receiver.at("/elsewhere")).toEqual([])
  })

  it("reads 16 KiB of an answer and closes the connection on the rest", async () => {
    let cut = false
    const endless = "x".repeat(65_536)
    receiver.react("/endless", {
      by: (response) => {
        response.once("close", () => {
          cut = true
        })
        const more = (): void => {
          while (response.write(endless));
          response.once("drain", more)
        }
        response.writeHead(200)
        more()
      }
    })
    const { post } = await wayOut()
    const answer = await post(receiver.url("/endless"))
    expect(answer).toMatchObject({ statusCode: 200, error: undefined, truncated: true })
    expect(answer.body).toHaveLength(16_384)
    await until("the connection is closed", () => cut)
  })

  it("says nothing was cut at exactly 16 KiB", async () => {
    receiver.react("/full", { status: 200, body: "x".repeat(16_384) })
    const { post } = await wayOut()
    const answer = await post(receiver.url("/full"))
    expect([answer.body.length, answer.truncated]).toEqual([16_384, false])
  })

  it("keeps a body that is no text storable", async () => {
    receiver.react("/odd", { by: (response) => response.end(Buffer.from([0x61, 0, 0xff, 0x62])) })
    const { post } = await wayOut()
    expect((await post(receiver.url("/odd"))).body).toBe("a\ufffd\ufffdb")
  })

  it("times out on an answer that drips, however steadily", async () => {
    receiver.react("/drip", {
      by: (response) => {
        const drip = (): void => {
          if (!response.destroyed) response.write(".", () => setImmediate(drip))
        }
        response.writeHead(200)
        drip()
      }
    })
    const { post } = await wayOut({ attemptMillis: 50 })
    const answer = await post(receiver.url("/drip"))
    // whichever bound is reached first ends it
    expect(answer.error === "timeout" || answer.truncated).toBe(true)
    await until("the connection is closed", () => receiver.open("/drip") === 0)
  })

  it("closes the connection when it is interrupted", async () => {
    receiver.react("/left", "hang")
    const { runtime, effect } = await wayOut()
    const fiber = runtime.runFork(effect(receiver.url("/left")))
    await until("it arrived", () => receiver.open("/left") === 1)
    await Effect.runPromise(Fiber.interrupt(fiber))
    await until("the connection is closed", () => receiver.open("/left") === 0)
  })

  it("says connect when nobody listens", async () => {
    const { post } = await wayOut()
    // a port that was free a moment ago may be another test's now
    expect(await post("http://127.0.0.1:1/")).toMatchObject({ error: "connect", body: "refused" })
  })

  it("says connect when the receiver hangs up", async () => {
    receiver.react("/cut", { by: (response) => response.socket?.destroy() })
    const { post } = await wayOut()
    expect(await post(receiver.url("/cut"))).toMatchObject({ error: "connect" })
  })

  it("says tls when the receiver speaks none", async () => {
    const { post } = await wayOut()
    expect(await post(receiver.url("/").replace("http:", "https:"))).toMatchObject({ error: "tls" })
  })

  it("says tls when nobody vouches for the receiver's certificate, and sends it nothing", async () => {
    const folder = new URL("../../support/tls/", import.meta.url).pathname
    const [cert, key] = [readFileSync(`${folder}cert.pem`), readFileSync(`${folder}key.pem`)]
    let requests = 0
    const stranger = createHttpsServer({ cert, key }, (_, answer) => {
      requests++
      answer.end()
    })
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve))
    try {
      const { post } = await wayOut()
      const url = `https://localhost:${(stranger.address() as AddressInfo).port}/`
      expect(await post(url)).toMatchObject({ statusCode: undefined, error: "tls", body: "unknown issuer" })
      expect(requests).toBe(0)
    } finally {
      stranger.close()
    }
  })

  it("says dns when the name is unknown", async () => {
    const resolve = async () => {
      throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" })
    }
    const { post } = await wayOut({ resolve })
    expect(await post("http://unknown.example/")).toMatchObject({ error: "dns" })
  })

  it("times out on connecting before the whole attempt does, looking up included", async () => {
    const { post } = await wayOut({ resolve: () => new Promise(() => undefined), connectMillis: 20 })
    expect(await post("http://slow.example/")).toMatchObject({ statusCode: undefined, error: "timeout" })
  })

  it("connects to the address that was found for a name", async () => {
    const { post } = await wayOut({ resolve: async () => [here] })
    expect(await post(`http://some.example:${receiver.port}/named`)).toMatchObject({ statusCode: 200 })
    expect(receiver.at("/named")[0]!.headers.host).toBe(`some.example:${receiver.port}`)
  })

  it("says blocked_address for a name or a literal address in a forbidden range, and connects to neither", async () => {
    const { post } = await wayOut({ allowCidrs: [], resolve: async () => [here] })
    expect(await post(`http://inside.example:${receiver.port}/blocked`)).toMatchObject({ error: "blocked_address" })
    expect(await post(receiver.url("/blocked"))).toMatchObject({ error: "blocked_address" })
    expect(await post(`http://0x7f000001:${receiver.port}/blocked`)).toMatchObject({ error: "blocked_address" })
    expect(receiver.at("/blocked")).toEqual([])
  })

  it("holds connections to a bounded number of origins", async () => {
    const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
    const { outbound, post } = await wayOut({ origins: 2 })
    for (const one of receivers) expect(await post(one.url())).toMatchObject({ statusCode: 200 })
    expect(outbound.origins()).toBe(2)
    for (const one of receivers) await one.close()
  })
})

it(`the pools of connections are those of ${originsMax} origins, whoever is posted to`, async () => {
  const resolve = () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))
  const runtime = ManagedRuntime.make(Outbound.layerOf({ allowCidrs: [], resolve }))
  const { post, origins } = await runtime.runPromise(Outbound)
  const postings = Array.from({ length: originsMax + 1 }, (_, nth) =>
    post({ url: `http://o${nth}.example/`, headers: {}, body: "{}", charge })
  )
  const answers = await runtime.runPromise(Effect.all(postings, { concurrency: "unbounded" }))
  expect(new Set(answers.map(({ error }) => error))).toEqual(new Set(["dns"]))
  expect(origins()).toBe(originsMax)
  await runtime.dispose()
})

it(`an attempt has ${attemptMillisMax / 1_000} s, whoever it goes to`, async () => {
  const receiver = await startReceiver()
  receiver.react("/silent", "hang")
  const answer = await Effect.gen(function* () {
    const { post } = yield* Outbound
    const under = yield* Effect.forkChild(post({ url: receiver.url("/silent"), headers: {}, body: "{}", charge }), {
      startImmediately: true
    })
    yield* Effect.promise(() => until("it is under way", () => receiver.at("/silent").length === 1))
    yield* TestClock.adjust(attemptMillisMax - 1)
    expect(under.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    return yield* Fiber.join(under)
  }).pipe(
    Effect.provide(Outbound.layerOf({ allowCidrs: loopback })),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )
  expect(answer).toMatchObject({ error: "timeout", durationMs: attemptMillisMax })
  await receiver.close()
})

it("connecting ends what is under way when the way out is closed", async () => {
  const silent: Server = createServer((socket) => void socket.resume().on("error", () => undefined))
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(Outbound.layerOf({ allowCidrs: loopback }), scope))
  const { port } = silent.address() as AddressInfo
  const answer = Effect.runPromise(
    Effect.provideContext(
      Effect.flatMap(Outbound, ({ post }) => post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: "", charge })),
      context
    )
  )
  await until("it is connected", () => new Promise<boolean>((done) => silent.getConnections((_, n) => done(n === 1))))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  expect(await answer).toMatchObject({ statusCode: undefined, error: "connect" })
  await new Promise<void>((resolve) => silent.close(() => resolve()))
})
