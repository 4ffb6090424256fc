/** Clients that describe themselves at an address: fetched once for all who ask, kept a while, bounded by account. */
import type { ServerResponse } from "node:http"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect } from "vitest"
import { KnownClients } from "../../../../src/auth/oauth/known-clients.ts"
import { Config, defaultSettings } from "../../../../src/config.ts"
import {
  accountDocumentFetchesMax,
  clientDocumentKeptMillisMax,
  clientDocumentKeptMillisMin,
  unreadDocumentMillis
} from "../../../../src/limits/oauth.ts"
import { DocumentReach } from "../../../../src/outbound/document-fetch.ts"
import { OAuthClients } from "../../../../src/store/oauth/clients.ts"
import { it } from "../../../support/effect-test.ts"
import { heldNodeCost, heldNodeCostLayer } from "../../../support/held-node-cost.ts"
import { startTlsServer, testCertificate } from "../../../support/tls-server.ts"
import { until } from "../../../support/until.ts"
import { useStarted } from "../../../support/use-started.ts"

describe("a client that describes itself", () => {
  const asked: Array<string> = []
  const held: Array<ServerResponse> = []
  let maxAge = 0
  let holds = false
  const server: Awaited<ReturnType<typeof startTlsServer>> = useStarted(() =>
    startTlsServer((incoming, outgoing) => {
      const path = incoming.url ?? ""
      asked.push(path)
      if (holds) return void held.push(outgoing)
      const document = { client_id: server.origin + path, client_name: "A", redirect_uris: ["http://localhost/x"] }
      const headers = { "content-type": "application/json", "cache-control": `max-age=${maxAge}` }
      outgoing.writeHead(200, headers).end(JSON.stringify(path === "/wrong" ? {} : document))
    })
  )
  beforeEach(() => {
    asked.length = 0
    holds = false
    maxAge = 0
  })
  const clients = KnownClients.layer.pipe(
    Layer.provide(Layer.mock(OAuthClients, { byId: () => Effect.succeed(undefined) })),
    Layer.provide(heldNodeCostLayer),
    Layer.provide(Config.layer({ ...defaultSettings, webhookDenyCidrs: [], secretKey: Buffer.alloc(32) })),
    Layer.provide(Layer.succeed(DocumentReach, { allowCidrs: ["127.0.0.0/8", "::1/128"], ca: testCertificate }))
  )
  const find = (path: string, account = "acc_a") =>
    Effect.flatMap(KnownClients, (known) => Effect.result(known.find(server.origin + path, account)))

  it.effect("is fetched once for all who ask at once, and kept as long as it says, within bounds", () =>
    Effect.gen(function* () {
      yield* Effect.all([find("/a"), find("/a", "acc_b"), find("/a", "acc_c")], { concurrency: "unbounded" })
      yield* TestClock.adjust(clientDocumentKeptMillisMin - 1)
      expect(yield* find("/a")).toMatchObject({ success: { name: "A" } })
      expect(asked).toHaveLength(1)
      // one of those who asked owes what reading it costs
      expect(heldNodeCost.all).toBeGreaterThan(0)
      maxAge = 1e9
      yield* TestClock.adjust(1)
      yield* find("/a")
      yield* TestClock.adjust(clientDocumentKeptMillisMax - 1)
      yield* find("/a")
      expect(asked).toHaveLength(2)
      yield* TestClock.adjust(1)
      yield* find("/a")
      expect(asked).toHaveLength(3)
    }).pipe(Effect.provide(clients))
  )

  it.effect("is asked for again soon where it was wrong, and an id that is no address is fetched nowhere", () =>
    Effect.gen(function* () {
      for (const millis of [0, unreadDocumentMillis - 1]) {
        yield* TestClock.adjust(millis)
        expect(yield* find("/wrong")).toMatchObject({ failure: { _tag: "AuthorizationRefused" } })
      }
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust(1)
      yield* find("/wrong")
      expect(asked).toHaveLength(2)
      const known = yield* KnownClients
      expect(yield* Effect.flip(known.find("ocl_x", "acc_a"))).toMatchObject({
        because: "The hub does not know the program."
      })
    }).pipe(Effect.provide(clients))
  )

  it.effect("holds up none but those of the account that asks for too many at once", () =>
    Effect.gen(function* () {
      holds = true
      const paths = Array.from({ length: accountDocumentFetchesMax }, (_, at) => `/slow${at}`)
      const slow = yield* Effect.forkChild(
        Effect.all(
          paths.map((path) => find(path)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.promise(() => until("all are asked for", () => held.length === paths.length))
      expect(yield* find("/more")).toMatchObject({ failure: { _tag: "Overloaded" } })
      holds = false
      expect(yield* find("/more", "acc_b")).toMatchObject({ success: { name: "A" } })
      for (const one of held) one.destroy()
      yield* Fiber.join(slow)
      expect(yield* find("/more2")).toMatchObject({ success: { name: "A" } })
    }).pipe(Effect.provide(clients))
  )
})
