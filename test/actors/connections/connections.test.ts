/** A socket before `auth_ok`: what is asked of it, and how each refusal ends. */
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import { Connections } from "../../../actors/connections/connections.ts"
import { daemonTokens } from "../../../src/auth/checksummed-token.ts"
import { nodeCostMax } from "../../../src/limits/cost.ts"
import { unauthenticatedRetryMillisMin } from "../../../src/limits/drain.ts"
import {
  heavyClosingMax,
  preAuthFrameBytesMax,
  quickLookUpMillis,
  unauthenticatedMax,
  unauthenticatedProtectedMillis
} from "../../../src/limits/sockets.ts"
import { authFrameBytesMax } from "../../../src/limits.ts"
import { NodeCost } from "../../../src/runtime/node-cost.ts"
import { authOf, connect, dial, dialFrom, type FakePeer, settle } from "../../support/daemon-services.ts"
import { setDisabled } from "../../support/disabled-account.ts"
import { inWorld } from "../../support/with-daemon-services.ts"

describe("a token that is good", () => {
  inWorld("is remembered, so that a fleet that comes back costs no look-up", function* ({ enrol, store }) {
    const { token } = enrol()
    yield* connect(token)
    const asked = store.lookups
    yield* connect(token)
    expect(store.lookups).toBe(asked)
  })
})

describe("an auth of many small values", () => {
  const dense = Array.from({ length: 700 }, (_, nth) => ({ [`n${nth}`]: 0 }))

  inWorld("is not read while its token is unknown", function* ({ store }) {
    const peer = yield* connect(daemonTokens.make(), { dense })
    expect([store.lookups, peer.of("auth_error"), peer.closes]).toEqual([
      1,
      [{ reason: "token_unknown", at: "token" }],
      [4401]
    ])
  })

  inWorld("waits until its account has worked off what it owes its node", function* ({ enrol }) {
    const { accountId, token } = enrol()
    const node = yield* NodeCost
    node.owe(accountId, nodeCostMax)
    const early = yield* connect(token, { dense })
    expect(early.closes).toEqual([4503])
    expect((yield* connect(token)).closes).toEqual([])
    yield* TestClock.adjust(1_000)
    const owed = node.all
    expect((yield* connect(token, { dense })).of("auth_ok")).toHaveLength(1)
    expect(node.all).toBeGreaterThan(owed)
  })
})

describe("a socket is closed", () => {
  inWorld(
    "with 4408 when the look-up takes more than 10 s, and is not welcomed later",
    function* ({ enrol, store, told }) {
      const gate = yield* Deferred.make<void>()
      store.hold = Deferred.await(gate)
      const peer = yield* connect(enrol().token)
      yield* TestClock.adjust(10_050)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      expect(peer.closes).toEqual([4408])
      expect(peer.frames).toEqual([])
      expect(told.log).toEqual([])
    }
  )

  const auth = (more: object) => JSON.stringify({ type: "auth", data: { ...authOf("t"), ...more } })
  for (const [what, text, reason, at] of [
    ["broken JSON", "{", "frame_not_json", ""],
    ["no envelope", "[]", "frame_not_an_object", ""],
    ["no type", '{"data":{}}', "frame_without_type", "type"],
    ["no data", '{"type":"auth"}', "frame_without_data", "data"],
    ["another first frame", '{"type":"status_report","data":{"timestamp":1,"sessions":[]}}', "auth_expected", "type"],
    ["an auth that lacks its token", auth({ token: undefined }), "member_missing", "token"],
    ["an auth whose token is no text", auth({ token: 7 }), "member_invalid", "token"],
    [
      "an auth that nests too deep",
      auth({ odd: JSON.parse("[".repeat(200) + "]".repeat(200)) }),
      "frame_too_deep_or_full",
      ""
    ],
    ["an auth over 256 KiB", auth({ odd: "x".repeat(authFrameBytesMax) }), "frame_too_large", ""],
    [
      "an auth over 16 KiB without a token",
      auth({ token: 1, odd: "x".repeat(preAuthFrameBytesMax) }),
      "member_missing",
      "token"
    ]
  ] as const) {
    inWorld(`with 4400 for ${what}, and is told so`, function* () {
      const peer = (yield* dial)!
      peer.text(text)
      expect(peer.closes).toEqual([4400])
      expect(peer.frames).toEqual([{ type: "auth_error", data: { reason, at } }])
    })
  }

  for (const [what, millis, saidWhy] of [
    ["quickly", quickLookUpMillis, heavyClosingMax + 1],
    ["slowly", quickLookUpMillis + 50, heavyClosingMax]
  ] as const) {
    inWorld(
      `with 4401 when its unknown token was looked up ${what}, ${saidWhy} of ${heavyClosingMax + 1} at once`,
      function* ({ store }) {
        const gate = yield* Deferred.make<void>()
        store.hold = Deferred.await(gate)
        const peers: Array<FakePeer> = []
        for (let nth = 0; nth <= heavyClosingMax; nth++) peers.push(yield* connect(daemonTokens.make()))
        yield* TestClock.adjust(millis)
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        expect(peers.filter(({ closes }) => closes[0] === 4401)).toHaveLength(saidWhy)
      }
    )
  }

  inWorld("with 4400 for an auth that costs more than any frame may, and is told so", function* ({ enrol }) {
    const names = Array.from({ length: 25_000 }, (_, nth) => [`n${nth.toString(36)}`, 0] as const)
    const peer = (yield* dial)!
    peer.text(auth({ token: enrol().token, odd: Object.fromEntries(names) }))
    yield* settle
    expect(peer.closes).toEqual([4400])
    expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "frame_too_deep_or_full", at: "" } }])
  })

  inWorld("with 4401 for an auth over 16 KiB whose token is unknown, of which nothing else is read", function* () {
    const peer = (yield* dial)!
    peer.text(auth({ token: daemonTokens.make(), hostname: 7, odd: "x".repeat(preAuthFrameBytesMax) }))
    yield* settle
    expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "token_unknown", at: "token" } }])
    expect(peer.closes).toEqual([4401])
  })

  inWorld("not at all for an auth over 16 KiB whose token is good", function* ({ enrol }) {
    const peer = (yield* dial)!
    peer.text(auth({ token: enrol().token, odd: "x".repeat(200_000) }))
    yield* settle
    expect(peer.of("auth_ok")).toHaveLength(1)
  })

  inWorld("with 4400 when it goes on before it is welcomed", function* ({ enrol, store, told }) {
    store.hold = Effect.never
    const peer = yield* connect(enrol().token)
    peer.say("status_report", { timestamp: 1, sessions: [] })
    expect(peer.closes).toEqual([4400])
    expect(told.log).toEqual([])
  })

  inWorld("after auth_error with 4401 for an unknown token, and for junk without a look-up", function* ({ store }) {
    const unknown = yield* connect(daemonTokens.make())
    expect(store.lookups).toBe(1)
    const junk = yield* connect("junk")
    expect(store.lookups).toBe(1)
    for (const peer of [unknown, junk]) {
      expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "token_unknown", at: "token" } }])
      expect(peer.closes).toEqual([4401])
    }
  })

  inWorld(
    "after auth_error with 4403 for a revoked token, also one revoked during its look-up",
    function* ({ enrol, store }) {
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
        expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "token_revoked", at: "token" } }])
        expect(peer.closes).toEqual([4403])
      }
    }
  )

  inWorld(
    "after auth_error with 4423 when its account is disabled, however large its auth",
    function* ({ enrol, store }) {
      const { token, accountId } = enrol()
      setDisabled(store, accountId, true)
      const large = { nickname: "n".repeat(preAuthFrameBytesMax) }
      for (const peer of [yield* connect(token), yield* connect(token, large)]) {
        expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "account_disabled" } }])
        expect(peer.closes).toEqual([4423])
      }
    }
  )

  inWorld("with 4500 when the store is away, and forgets that answer", function* ({ enrol, store }) {
    const { token } = enrol()
    store.failing = true
    expect((yield* connect(token)).closes).toEqual([4500])
    store.failing = false
    expect((yield* connect(token)).closes).toEqual([])
  })
})

describe("sockets whose token is not known", () => {
  const fill = Effect.gen(function* () {
    const peers: Array<FakePeer> = []
    for (let n = 0; n < unauthenticatedMax; n++) peers.push((yield* dialFrom(`198.51.100.${n}`))!)
    return peers
  })

  inWorld(
    "are refused beyond their number while each address has one and needs its time, and taken when one is gone",
    function* () {
      const [first] = yield* fill
      const connections = yield* Connections
      expect(connections.admits("203.0.113.7")).toBe(false)
      expect(connections.retryAfterMillis()).toBe(unauthenticatedRetryMillisMin + 1)
      first!.link.closed(1006)
      expect(connections.admits("203.0.113.7")).toBe(true)
    }
  )

  inWorld("make room, the oldest of them, once they had their time, and are cut off", function* () {
    const [first, second] = yield* fill
    yield* TestClock.adjust(unauthenticatedProtectedMillis)
    expect(yield* dialFrom("203.0.113.7")).toBeDefined()
    expect([first!.closes, second!.closes]).toEqual([[1006], []])
    expect((yield* Connections).unauthenticated()).toBe(unauthenticatedMax)
  })

  inWorld(
    "of an address that has several make room at once for one that has fewer, never for their own",
    function* ({ enrol }) {
      const first = (yield* dial)!
      for (let n = 1; n < unauthenticatedMax; n++) yield* dial
      expect(yield* dial).toBeUndefined()
      const other = (yield* dialFrom("198.51.100.1"))!
      expect(first.closes).toEqual([1006])
      other.say("auth", authOf(enrol().token))
      yield* settle
      expect(other.of("auth_ok")).toHaveLength(1)
    }
  )
})
