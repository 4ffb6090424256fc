/** ICE sets: the hour they are kept, the one request for all who wait, and what happens when the source fails. */
import { Deferred, Effect, Fiber, Layer, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { iceWelcomeMillisMax, turnCacheEntriesMax } from "../../../src/limits.ts"
import { Ice } from "../../../src/outbound/ice.ts"
import { type Issued, sharedSecret, TurnFailed, TurnSource } from "../../../src/outbound/turn-source.ts"
import { entryOf } from "../../../src/runtime/log.ts"
import { TurnOverrides } from "../../../src/store/accounts/turn-overrides.ts"
import { type KeptSet, TurnSets } from "../../../src/store/accounts/turn-sets.ts"
import { it } from "../../support/effect-test.ts"

const hour = 3_600_000
const servers = [{ urls: ["turn:turn.example.com:3478"], username: "u", credential: "c" }]

const forgetful: TurnSets["Service"] = {
  find: () => Effect.succeed(undefined),
  keep: (_accountId, _source, set) => Effect.succeed(set)
}

/** A store of these rows, as any number of nodes share it. */
const shared = (rows = new Map<string, KeptSet>()): TurnSets["Service"] => {
  const of = (accountId: string, source: string, now: number) => {
    const set = rows.get(`${accountId} ${source}`)
    return set !== undefined && set.until > now ? set : undefined
  }
  return {
    find: (...asked) => Effect.sync(() => of(...asked)),
    keep: (accountId, source, set, now) =>
      Effect.sync(() => {
        const before = of(accountId, source, now)
        if (before === undefined) rows.set(`${accountId} ${source}`, set)
        return before ?? set
      })
  }
}

const world = (
  issue: (accountId: string) => Effect.Effect<Issued, TurnFailed>,
  disabled = new Set<string>(),
  sets: TurnSets["Service"] = forgetful,
  turnUrls: ReadonlyArray<string> = []
) =>
  Ice.layer.pipe(
    Layer.provide(Layer.succeed(TurnSets, sets)),
    Layer.provide(SecretBox.layer),
    Layer.provideMerge(layerMemory),
    Layer.provide(Layer.succeed(TurnSource, { issue })),
    Layer.provide(
      Layer.succeed(TurnOverrides, {
        disable: () => Effect.void,
        enable: () => Effect.succeed(true),
        list: Effect.succeed([]),
        disabled: (accountId, plan) => Effect.sync(() => disabled.has(accountId) || disabled.has(plan))
      })
    ),
    Layer.provide(
      Config.layer({
        ...defaultSettings,
        secretKey: new Uint8Array(32),
        turnUrls,
        stunUrls: ["stun:stun.example.com:3478"]
      })
    )
  )

const counting = (calls: Ref.Ref<number>) => () =>
  Effect.as(
    Ref.update(calls, (n) => n + 1),
    { servers, expiresAt: 2 * hour }
  )

describe("an ICE set", () => {
  it.effect("is handed out again for an hour, as cached, and issued anew after it", function* () {
    const calls = yield* Ref.make(0)
    yield* Effect.gen(function* () {
      const ice = yield* Ice
      expect((yield* ice.forAccount("acc_a", "pro")).cached).toBe(false)
      yield* TestClock.adjust(hour - 1)
      expect(yield* ice.forAccount("acc_a", "pro")).toMatchObject({ cached: true, turn: true })
      expect(yield* Ref.get(calls)).toBe(1)
      yield* TestClock.adjust(1)
      expect((yield* ice.forAccount("acc_a", "pro")).cached).toBe(false)
      expect(yield* Ref.get(calls)).toBe(2)
    }).pipe(Effect.provide(world(counting(calls))))
  })

  it.effect("is the same on another node, after a restart too, for what is left of its hour", function* () {
    const calls = yield* Ref.make(0)
    const [rows, seen] = [new Map<string, KeptSet>(), [] as Array<unknown>]
    const ask = (turnUrls?: ReadonlyArray<string>) =>
      Effect.flatMap(Ice, (ice) => ice.forAccount("acc_a", "pro")).pipe(
        Effect.tap(({ cached, iceServers }) => Effect.sync(() => seen.push([cached, iceServers.length]))),
        Effect.provide(world(counting(calls), new Set(), shared(rows), turnUrls), { local: true })
      )
    yield* ask()
    yield* TestClock.adjust(hour - 1)
    yield* ask()
    yield* ask(["turn:another.example.com"])
    yield* TestClock.adjust(1)
    yield* ask()
    expect(seen).toEqual([
      [false, 2],
      [true, 2],
      [false, 2],
      [false, 2]
    ])
    expect(yield* Ref.get(calls)).toBe(3)
    expect([...rows.values()].every(({ sealed }) => sealed.startsWith("v1.") && !sealed.includes("turn"))).toBe(true)
  })

  it.effect("of two nodes that ask at once is the one that was kept first", function* () {
    const calls = yield* Ref.make(0)
    const rows = new Map<string, KeptSet>()
    const issue = () =>
      Effect.map(
        Ref.updateAndGet(calls, (n) => n + 1),
        (n) => ({ servers: [{ ...servers[0]!, username: `u${n}` }], expiresAt: 2 * hour })
      )
    const late: TurnSets["Service"] = { ...shared(rows), find: () => Effect.succeed(undefined) }
    const ask = Effect.flatMap(Ice, (ice) => ice.forAccount("acc_a", "pro")).pipe(
      Effect.provide(world(issue, new Set(), late), { local: true })
    )
    const [first, second] = [yield* ask, yield* ask]
    expect([first.cached, second.cached, yield* Ref.get(calls)]).toEqual([false, true, 2])
    expect(second.iceServers).toEqual(first.iceServers)
  })

  it.effect(`is kept for ${turnCacheEntriesMax} accounts; with one more the least used is issued anew`, function* () {
    const calls = yield* Ref.make(0)
    yield* Effect.gen(function* () {
      const ice = yield* Ice
      for (let nth = 0; nth < turnCacheEntriesMax; nth++) yield* ice.forAccount(`acc_${nth}`, "pro")
      const cached = (accountId: string) => Effect.map(ice.forAccount(accountId, "pro"), (set) => set.cached)
      expect(yield* cached("acc_0")).toBe(true)
      expect(yield* cached("one more")).toBe(false)
      expect(yield* cached("acc_0")).toBe(true)
      expect(yield* cached("acc_1")).toBe(false)
    }).pipe(Effect.provide(world(counting(calls))))
  })

  it.effect("is asked for once by all who wait for it, also when the first of them leaves", function* () {
    const calls = yield* Ref.make(0)
    const gate = yield* Deferred.make<void>()
    const issue = () => Effect.andThen(Deferred.await(gate), counting(calls)())
    yield* Effect.gen(function* () {
      const ice = yield* Ice
      const waiting = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(ice.forAccount("acc_a", "pro"), { startImmediately: true })
      )
      yield* Fiber.interrupt(waiting[0]!)
      yield* Deferred.succeed(gate, undefined)
      const sets = yield* Effect.forEach(waiting.slice(1), Fiber.join)
      expect(sets.map((set) => set.turn)).toEqual([true, true])
      expect(yield* Ref.get(calls)).toBe(1)
    }).pipe(Effect.provide(world(issue)))
  })

  it.effect(
    "does not hold up a welcome: STUN only after 300 ms, and the set is there for who asks again",
    function* () {
      const calls = yield* Ref.make(0)
      const gate = yield* Deferred.make<void>()
      const issue = () => Effect.andThen(Deferred.await(gate), counting(calls)())
      yield* Effect.gen(function* () {
        const ice = yield* Ice
        const welcome = yield* Effect.forkChild(ice.forWelcome("acc_a", "pro"), { startImmediately: true })
        yield* TestClock.adjust(iceWelcomeMillisMax - 1)
        expect(welcome.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(welcome)).toMatchObject({ turn: false, expiresAt: iceWelcomeMillisMax })
        const again = yield* Effect.forkChild(ice.forAccount("acc_a", "pro"), { startImmediately: true })
        yield* Deferred.succeed(gate, undefined)
        expect((yield* Fiber.join(again)).turn).toBe(true)
        expect(yield* Ref.get(calls)).toBe(1)
        expect(yield* ice.forWelcome("acc_a", "pro")).toMatchObject({ turn: true, cached: true })
      }).pipe(Effect.provide(world(issue)))
    }
  )

  it.effect("is STUN only when the source fails, and that is never kept", function* () {
    let fails = true
    const issue = () =>
      fails
        ? Effect.fail(new TurnFailed({ cause: new Error("down") }))
        : Effect.succeed({ servers, expiresAt: 2 * hour })
    yield* Effect.gen(function* () {
      const ice = yield* Ice
      expect(yield* ice.forAccount("acc_a", "pro")).toMatchObject({
        turn: false,
        cached: false,
        iceServers: [{ urls: ["stun:stun.example.com:3478"] }]
      })
      fails = false
      expect(yield* ice.forAccount("acc_a", "pro")).toMatchObject({ turn: true, cached: false })
    }).pipe(Effect.provide(world(issue)))
  })

  it.effect("is logged once in 10 s however many callers meet a source that fails", function* () {
    const entries: Array<Readonly<Record<string, unknown>>> = []
    const logger = Logger.make((options: Logger.Options<unknown>) => void entries.push(entryOf(options, {})))
    const issue = () => Effect.fail(new TurnFailed({ cause: new Error("down") }))
    const asking = Effect.gen(function* () {
      const ice = yield* Ice
      for (let nth = 0; nth < 100; nth++) yield* ice.forAccount(`acc_${nth}`, "pro")
      expect(entries).toHaveLength(1)
      yield* TestClock.adjust("10 seconds")
      expect(entries).toMatchObject([{ heldBack: 0 }, { heldBack: 98 }])
    })
    yield* asking.pipe(Effect.provide(world(issue)), Effect.provide(Logger.layer([logger])))
  })

  it.effect("is STUN only for an account or a plan with an override, at once", function* () {
    const disabled = new Set<string>()
    yield* Effect.gen(function* () {
      const ice = yield* Ice
      const bus = yield* Bus
      expect((yield* ice.forAccount("acc_a", "pro")).turn).toBe(true)
      disabled.add("pro")
      bus.publish("turn_changed", {})
      expect((yield* ice.forAccount("acc_a", "pro")).turn).toBe(false)
      expect((yield* ice.forAccount("acc_b", "ultra")).turn).toBe(true)
    }).pipe(Effect.provide(world(() => Effect.succeed({ servers, expiresAt: 2 * hour }), disabled)))
  })

  it.effect("of a shared secret is named by its expiry and account, two hours ahead", function* () {
    const issued = yield* sharedSecret(["turn:t.example.com"], "secret")("acc_a")
    expect(issued).toEqual({
      servers: [{ urls: ["turn:t.example.com"], username: "7200:acc_a", credential: "hvPgIZuhz9gJ48t52Mijw6Wdr3Q=" }],
      expiresAt: 7_200_000
    })
  })
})
