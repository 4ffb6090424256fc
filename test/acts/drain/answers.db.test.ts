/**
 * The end of a node as its callers see it: requests in progress are answered, then connections close; gauges fall to 0.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { expect, it, onTestFinished } from "vitest"
import { access } from "../../../http/api/access.ts"
import { FileBody } from "../../../http/pipeline/file-body.ts"
import { Answer, Streaming } from "../../../http/pipeline/response.ts"
import { wholeAnswerBytesMax } from "../../../src/limits/edge.ts"
import { gauged } from "../../../src/runtime/metrics.ts"
import { startEdge } from "../../support/edge.ts"
import { startHub } from "../../support/hub.ts"
import { openWire } from "../../support/raw-http-connection.ts"
import { hook } from "../../support/received-webhooks.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { startReceiver } from "../../support/webhook-receiver.ts"

const open = access({ kind: "public", onHangUp: "cancel" })
const Slow = HttpApiGroup.make("slow").add(
  HttpApiEndpoint.get("work", "/work", { success: Schema.Struct({ done: Schema.Boolean }) }).annotateMerge(open),
  HttpApiEndpoint.get("large", "/large", { success: Schema.String }).annotateMerge(open),
  HttpApiEndpoint.get("file", "/file", { success: Schema.String }).annotateMerge(open),
  HttpApiEndpoint.get("stream", "/stream", { success: Schema.String }).annotateMerge(open)
)
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: h\r\n\r\n`

it("answers what is under way, ends streams, and closes each connection", async () => {
  const release = Deferred.makeUnsafe<void>()
  const routes = {
    slow: {
      work: () => Effect.as(Deferred.await(release), { done: true }),
      stream: () =>
        Effect.succeed(
          new Streaming([], (outlet) => Effect.sync(() => outlet.write("on")).pipe(Effect.andThen(Effect.never)))
        )
    }
  }
  const edge = await startEdge({}, routes, HttpApi.make("drain").add(Slow))
  onTestFinished(async () => {
    Deferred.doneUnsafe(release, Effect.void)
    await edge.close()
  })
  const { server } = edge.edge
  const working = await openWire(edge.url)
  const idle = await openWire(edge.url)
  const reading = await openWire(edge.url)
  working.write(get("/work"))
  reading.write(get("/stream"))
  await until("two requests are under way", () => server.exchanges.live === 2)

  await Effect.runPromise(server.stopAccepting)
  const settled = Effect.runFork(server.settled)
  await expect(openWire(edge.url)).rejects.toThrow(/ECONNREFUSED/u)
  await until("the stream is ended", () => server.exchanges.live === 1)
  expect(settled.pollUnsafe()).toBeUndefined()

  Deferred.doneUnsafe(release, Effect.void)
  expect(await working.answer()).toMatchObject({ status: 200, body: '{"done":true}' })
  await working.closed
  await Effect.runPromise(Fiber.join(settled))
  idle.write(get("/work"))
  await idle.closed
  await edge.close()
  await reading.closed
})

it("says in each answer of a drain that the connection closes, however large it is and wherever it comes from", async () => {
  const release = Deferred.makeUnsafe<void>()
  const after = <A>(make: () => A) => Effect.map(Deferred.await(release), make)
  const bytes = wholeAnswerBytesMax * 2
  const path = join(testFolder("drain"), "file")
  writeFileSync(path, "f".repeat(bytes))
  const routes = {
    slow: {
      work: () => after(() => ({ done: true })),
      large: () => after(() => new Answer(200, [], "l".repeat(bytes))),
      file: () => after(() => new Answer(200, [], new FileBody(path, 0, bytes)))
    }
  }
  const edge = await startEdge({}, routes, HttpApi.make("drain").add(Slow))
  onTestFinished(async () => {
    Deferred.doneUnsafe(release, Effect.void)
    await edge.close()
  })
  const { server } = edge.edge
  const wires = await Promise.all(
    ["/work", "/large", "/file"].map(async (at) => ({ at, wire: await openWire(edge.url) }))
  )
  for (const { at, wire } of wires) wire.write(get(at))
  await until("all are under way", () => server.exchanges.live === wires.length)
  await Effect.runPromise(server.stopAccepting)
  Deferred.doneUnsafe(release, Effect.void)
  for (const { at, wire } of wires) {
    const answer = await wire.answer()
    expect([at, answer?.status, answer?.headers.get("connection")]).toEqual([at, 200, "close"])
    wire.destroy()
  }
  await edge.close()
})

it("leaves a command that is under way its answer, then ends sockets with 1012", async () => {
  const hub = await startHub({ settings: { drainMillis: 80_000 } })
  let closing: Promise<void> | undefined
  onTestFinished(() => closing ?? hub.close())
  const account = await hub.account()
  const { daemonId, token } = await account.daemonToken()
  const key = await account.key(["terminal:exec"])
  const peer = await connectDaemon(hub, token, { report: [] })
  const answer = hub.request("POST", `/api/v1/daemons/${daemonId}/terminal`, { key, body: { command: "true" } })
  const command = await peer.nextCommand()

  closing = hub.close()
  command.succeed({ exitCode: 0, stdout: "", stderr: "", durationMs: 1, truncated: false })
  expect(await answer).toMatchObject({ status: 200, body: { success: true } })
  expect(await peer.closed).toMatchObject({ code: 1012 })
  await closing
  for (const gauge of ["hub_exchanges", "hub_sockets", "hub_body_bytes", "hub_streams"] as const)
    expect(gauged(gauge), gauge).toBe(0)
})

it("ends below 30 s whatever hangs: a daemon that never answers, a receiver that never does", async () => {
  const receiver = await startReceiver()
  receiver.react("/", "hang")
  const hub = await startHub({ virtual: true, settings: { drainMillis: 25_000 } })
  const { account } = await hook(hub, receiver.url("/"))
  const { daemonId, token } = await account.daemonToken()
  const peer = await connectDaemon(hub, token, { report: [] })
  await until("the receiver holds a delivery", () => receiver.open("/") === 1)
  const key = await account.key(["terminal:exec"])
  const answer = hub.request("POST", `/api/v1/daemons/${daemonId}/terminal`, { key, body: { command: "true" } })
  await peer.nextCommand()

  const startedAt = hub.now()
  let closed = false
  const closing = hub.close().then(() => {
    closed = true
  })
  await hub.advance(21_000)
  expect(peer.socket.readyState).toBe(peer.socket.OPEN)
  await hub.advance(250)
  expect(await peer.closed).toMatchObject({ code: 1012 })
  expect(await answer).toMatchObject({ status: 503 })
  // its time stops just below 30 s; what the hub does then without a timer takes as long as it takes
  await until("the hub is closed", async () => {
    if (!closed && hub.now() - startedAt < 29_750) await hub.advance(250)
    return closed
  })
  await closing
  await receiver.close()
})
