/** A socket before `auth_ok`: what is asked of it, and how each refusal ends. */

import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Connections } from "../../../actors/connection.ts"
import { Directory } from "../../../actors/directory.ts"
import { hashCredential } from "../../../src/auth/credential.ts"
import { makeDaemonToken } from "../../../src/auth/daemontoken.ts"
import { strangersFirstMillis } from "../../../src/limits/drain.ts"
import { authFrameBytesMax, unauthenticatedPerAddressMax, unauthenticatedSocketsMax } from "../../../src/limits.ts"
import { inWorld } from "../../support/inworld.ts"
import { authOf, connect, dial, dialFrom, FakePeer, settle } from "../../support/world.ts"

describe("a token that is good", () => {
  inWorld("is welcomed with the connection's number, limits and ICE servers", ({ enrol }) =>
    Effect.gen(function* () {
      const { token, daemonId } = enrol()
      const peer = yield* connect(token)
      expect(peer.frames).toEqual([
        {
          type: "auth_ok",
          data: {
            daemonId,
            connectionEpoch: 1,
            plan: "pro",
            iceServers: [{ urls: ["stun:stun.cloudflare.com:3478"] }],
            turn: false,
            serverTime: 0,
            heartbeatMs: 25_000,
            reportMs: 30_000,
            limits: { frameBytes: 1_048_576, resultBytes: 8_388_608, framesPer10s: 100 }
          }
        }
      ])
      expect(peer.closes).toEqual([])
      expect((yield* Connections).unauthenticated()).toBe(0)
    })
  )

  inWorld("is remembered, so that a fleet that comes back costs no look-up", ({ enrol, store }) =>
    Effect.gen(function* () {
      const { token } = enrol()
      yield* connect(token)
      const asked = store.lookups
      yield* connect(token)
      expect(store.lookups).toBe(asked)
    })
  )

  inWorld("numbers every connection of a daemon higher", ({ enrol }) =>
    Effect.gen(function* () {
      const { token } = enrol()
      const numbers: Array<unknown> = []
      for (let n = 0; n < 3; n++) numbers.push((yield* connect(token)).of("auth_ok")[0]?.["connectionEpoch"])
      expect(numbers).toEqual([1, 2, 3])
    })
  )
})

describe("a socket is closed", () => {
  inWorld("with 4408 when nothing came within 10 s", () =>
    Effect.gen(function* () {
      const peer = (yield* dial)!
      yield* TestClock.adjust(9_999)
      expect(peer.closes).toEqual([])
      yield* TestClock.adjust(50)
      expect(peer.closes).toEqual([4408])
      expect((yield* Connections).unauthenticated()).toBe(0)
    })
  )

  inWorld("with 4408 when the look-up takes more than 10 s, and is not welcomed later", ({ enrol, store, told }) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      store.hold = Deferred.await(gate)
      const peer = yield* connect(enrol().token)
      yield* TestClock.adjust(10_050)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      expect(peer.closes).toEqual([4408])
      expect(peer.frames).toEqual([])
      expect(told.log).toEqual([])
    })
  )

  for (const [what, text] of [
    ["broken JSON", "{"],
    ["no envelope", "[]"],
    ["another first frame", '{"type":"status_report","data":{"timestamp":1,"sessions":[]}}'],
    ["an auth that lacks its token", '{"type":"auth","data":{"protocol":1,"hostname":"box"}}'],
    ["an auth whose token is no text", '{"type":"auth","data":{"token":7,"protocol":1}}'],
    ["an auth over 16 KiB", JSON.stringify({ type: "auth", data: authOf("t".repeat(authFrameBytesMax)) })]
  ] as const) {
    inWorld(`with 4400 for ${what}`, () =>
      Effect.gen(function* () {
        const peer = (yield* dial)!
        peer.text(text)
        expect(peer.closes).toEqual([4400])
        expect(peer.frames).toEqual([])
      })
    )
  }

  inWorld("with 4400 for a binary frame", () =>
    Effect.gen(function* () {
      const peer = (yield* dial)!
      peer.link.receiveBinary()
      expect(peer.closes).toEqual([4400])
    })
  )

  inWorld("with 4400 when it goes on before it is welcomed", ({ enrol, store, told }) =>
    Effect.gen(function* () {
      store.hold = Effect.never
      const peer = yield* connect(enrol().token)
      peer.say("status_report", { timestamp: 1, sessions: [] })
      expect(peer.closes).toEqual([4400])
      expect(told.log).toEqual([])
    })
  )

  inWorld("after auth_error protocol_unsupported for another protocol, whatever else its auth looks like", () =>
    Effect.gen(function* () {
      const peer = (yield* dial)!
      peer.say("auth", { protocol: 2, secret: "x" })
      expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "protocol_unsupported", supported: [1] } }])
      expect(peer.closes).toEqual([4400])
    })
  )

  inWorld("after auth_error with 4401 for an unknown token, and for junk without a look-up", ({ store }) =>
    Effect.gen(function* () {
      const unknown = yield* connect(makeDaemonToken())
      expect(store.lookups).toBe(1)
      const junk = yield* connect("junk")
      expect(store.lookups).toBe(1)
      for (const peer of [unknown, junk]) {
        expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "token_unknown" } }])
        expect(peer.closes).toEqual([4401])
      }
    })
  )

  inWorld("after auth_error with 4403 for a revoked token, also one revoked during its look-up", ({ enrol, store }) =>
    Effect.gen(function* () {
      const { token, accountId, daemonId } = enrol()
      const gate = yield* Deferred.make<void>()
      store.hold = Deferred.await(gate)
      const during = yield* connect(token)
      yield* (yield* Directory).revoke(accountId, daemonId)
      store.hold = undefined
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      const after = yield* connect(token)
      for (const peer of [during, after]) {
        expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "token_revoked" } }])
        expect(peer.closes).toEqual([4403])
      }
    })
  )

  inWorld("with 4401 when its account is disabled", ({ enrol, store }) =>
    Effect.gen(function* () {
      const { token } = enrol()
      const hash = hashCredential(token)
      store.owners.set(hash, { ...store.owners.get(hash)!, accountDisabled: true })
      expect((yield* connect(token)).closes).toEqual([4401])
    })
  )

  inWorld("with 4500 when the store is away, and forgets that answer", ({ enrol, store }) =>
    Effect.gen(function* () {
      const { token } = enrol()
      store.failing = true
      expect((yield* connect(token)).closes).toEqual([4500])
      store.failing = false
      expect((yield* connect(token)).closes).toEqual([])
    })
  )
})

describe("sockets that have not authenticated", () => {
  inWorld("are refused beyond 1,000, and taken again when one is gone", () =>
    Effect.gen(function* () {
      const first = (yield* dial)!
      for (let n = 1; n < unauthenticatedSocketsMax; n++) yield* dialFrom(`198.51.100.${n % 250}`)
      const connections = yield* Connections
      expect(connections.admits("203.0.113.7")).toBe(false)
      expect(connections.open(new FakePeer())).toBe(strangersFirstMillis + 1)
      yield* TestClock.adjust(1)
      expect(connections.putOff()).toBe(strangersFirstMillis + 1)
      first.link.closed(1006)
      expect(connections.admits("203.0.113.7")).toBe(true)
      expect(yield* dial).toBeDefined()
    })
  )

  inWorld("are refused beyond 400 of one address, which shuts out nobody else", ({ enrol }) =>
    Effect.gen(function* () {
      const first = (yield* dial)!
      for (let n = 1; n < unauthenticatedPerAddressMax; n++) yield* dial
      const connections = yield* Connections
      expect(connections.admits(first.address)).toBe(false)
      expect(yield* dial).toBeUndefined()
      expect(yield* dialFrom("198.51.100.1")).toBeDefined()
      first.say("auth", authOf(enrol().token))
      yield* settle
      expect(first.of("auth_ok")).toHaveLength(1)
      expect(connections.admits(first.address)).toBe(true)
      first.link.closed(1006)
      expect(yield* dial).toBeDefined()
      expect(yield* dial).toBeUndefined()
    })
  )
})
