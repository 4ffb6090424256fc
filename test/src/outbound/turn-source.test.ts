/** Cloudflare's TURN API as a source: what it is asked, and every way in which it can fail. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { turnSourceInFlightMax } from "../../../src/limits.ts"
import { cloudflare } from "../../../src/outbound/turn-source.ts"
import { heldNodeCost, heldNodeCostLayer } from "../../support/held-node-cost.ts"
import { until } from "../../support/until.ts"

describe("Cloudflare's credential API", () => {
  let server: Server
  let origin: string
  let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = () => undefined
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ""
      request.on("data", (piece: Buffer) => {
        body += piece.toString()
      })
      request.on("end", () => answer(request, response, body))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const issue = Effect.scoped(
    Effect.flatMap(
      Effect.suspend(() => cloudflare(origin, "key id", "token")),
      (ask) => ask("acc_one")
    )
  ).pipe(Effect.provide(heldNodeCostLayer))
  const failure = async () => Exit.isFailure(await Effect.runPromiseExit(issue))
  const turn = { urls: ["turn:turn.cloudflare.com:3478?transport=udp"], username: "name", credential: "word" }

  it("is asked with the key, the token and a life of two hours; its servers are passed on", async () => {
    let seen: unknown
    answer = (request, response, body) => {
      seen = [request.method, request.url, request.headers.authorization, JSON.parse(body)]
      response.writeHead(201).end(JSON.stringify({ iceServers: [{ urls: ["stun:stun.cloudflare.com:3478"] }, turn] }))
    }
    const issued = await Effect.runPromise(issue)
    expect(issued.servers).toEqual([turn])
    // its account owes what reading the answer cost
    expect(heldNodeCost.all).toBeGreaterThan(0)
    expect(seen).toEqual([
      "POST",
      "/v1/turn/keys/key%20id/credentials/generate-ice-servers",
      "Bearer token",
      { ttl: 7_200, customIdentifier: "acc_one" }
    ])
  })

  it("may answer with one server instead of a list", async () => {
    answer = (_, response) =>
      void response.writeHead(201).end(JSON.stringify({ iceServers: { ...turn, urls: turn.urls[0] } }))
    expect((await Effect.runPromise(issue)).servers).toEqual([turn])
  })

  it.each([
    ["refuses", 403, "{}"],
    ["breaks", 500, "oops"],
    ["answers something else", 201, "[]"],
    ["answers no JSON", 201, "<html>"],
    ["gives no credentials", 201, JSON.stringify({ iceServers: [{ urls: ["stun:a"] }] })],
    ["answers too much", 201, `"${"a".repeat(100_000)}"`],
    ["answers too many values", 201, JSON.stringify({ iceServers: [turn], more: Array(12_000).fill(0) })]
  ])("is a failure when it %s", async (_, status, text) => {
    answer = (_request, response) => void response.writeHead(status).end(text)
    expect(await failure()).toBe(true)
  })

  it(`is asked for ${turnSourceInFlightMax} at once; one more waits for a place`, async () => {
    const open: Array<ServerResponse> = []
    answer = (_, response) => void open.push(response)
    const end = (response: ServerResponse) => void response.writeHead(201).end(JSON.stringify({ iceServers: [turn] }))
    await Effect.runPromise(
      Effect.gen(function* () {
        const ask = yield* cloudflare(origin, "key", "token")
        const calls = yield* Effect.forEach(Array.from({ length: turnSourceInFlightMax + 1 }), (_, nth) =>
          Effect.forkChild(ask(`acc_${nth}`), { startImmediately: true })
        )
        yield* Effect.promise(() => until("as many are asked as may be", () => open.length === turnSourceInFlightMax))
        end(open[0]!)
        yield* Effect.promise(() => until("the one that waited is asked", () => open.length > turnSourceInFlightMax))
        for (const response of open.slice(1)) end(response)
        const answers = yield* Fiber.joinAll(calls)
        expect(answers.every(({ servers }) => servers.length === 1)).toBe(true)
      }).pipe(Effect.scoped, Effect.provide(heldNodeCostLayer))
    )
  })

  it("is a failure when it hangs up", async () => {
    answer = (request) => void request.socket.destroy()
    expect(await failure()).toBe(true)
  })

  it("is a failure when it takes longer than five seconds, and the call is ended", async () => {
    let closed = false
    let asked = false
    answer = (request) => {
      asked = true
      request.socket.once("close", () => {
        closed = true
      })
    }
    const exit = await Effect.runPromise(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.exit(issue), { startImmediately: true })
        yield* Effect.promise(() => until("it is asked", () => asked))
        yield* TestClock.adjust("5 seconds")
        return yield* Fiber.join(fiber)
      }).pipe(Effect.provide(TestClock.layer()))
    )
    expect(Exit.isFailure(exit)).toBe(true)
    await until("the call is ended", () => closed)
  })
})
