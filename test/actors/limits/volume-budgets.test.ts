/** When a node has the store count what an account holds, and what it lets in meanwhile; over a scripted store. */
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { planLimits } from "../../../src/domain/account/plans.ts"
import { noVolume } from "../../../src/domain/account/volume.ts"
import { StoreFailed } from "../../../src/errors.ts"
import {
  besidesShare,
  volumeCountMillis,
  volumeCountPause,
  volumeCountShare,
  volumeShownMillis,
  volumeWaitersMax
} from "../../../src/limits/volumes.ts"
import { it } from "../../support/effect-test.ts"
import { node, one, scripted, settled } from "./scripted-volumes.ts"

const { keptOutcomes } = planLimits.free
const share = keptOutcomes / volumeCountShare

describe("what a node holds of an account", () => {
  it.effect("costs the store nothing until an eighth of the smallest plan's bound was added", function* () {
    const { store, addMany } = yield* node()
    yield* addMany(share)
    yield* settled
    expect(store.counts).toEqual([])
    yield* addMany(1)
    yield* settled
    expect(store.counts).toEqual(["acc"])
  })

  it.effect("never exceeds the bound, and is let in again within 5 s of there being room", function* () {
    const { store, add, addMany } = yield* node()
    yield* TestClock.adjust(volumeCountMillis)
    expect(yield* addMany(2 * keptOutcomes)).toBe(keptOutcomes)
    expect(store.held.number).toBe(keptOutcomes)
    store.held = { number: keptOutcomes - 10, bytes: 0 }
    const before = store.counts.length
    for (let nth = 0; nth < 5; nth++) {
      yield* settled
      expect(add()).toBe(false)
    }
    expect(store.counts.length - before).toBeLessThanOrEqual(1)
    yield* TestClock.adjust(volumeCountMillis)
    add()
    yield* settled
    expect(yield* addMany(20)).toBe(10)
  })

  it.effect("is not counted anew sooner than ten times what its last count took", function* () {
    const store = scripted()
    store.held = { number: keptOutcomes, bytes: 0 }
    const { outcomes, account } = yield* node(store)
    const took = 10 * volumeCountMillis
    store.wait = Effect.sleep(took)
    const seeing = yield* Effect.forkChild(outcomes.seen("acc"))
    yield* settled
    yield* TestClock.adjust(took)
    expect(yield* Fiber.join(seeing)).toEqual(store.held)
    yield* TestClock.adjust(took * volumeCountPause - 1)
    expect(outcomes.beyond(account, one, "outcomes")).toBe("number")
    yield* settled
    expect(store.counts).toHaveLength(1)
    yield* TestClock.adjust(1)
    outcomes.beyond(account, one, "outcomes")
    yield* settled
    expect(store.counts).toHaveLength(2)
  })

  it.effect("is counted one account at a time", function* () {
    const { store, outcomes } = yield* node()
    const gate = yield* Deferred.make<void>()
    store.wait = Deferred.await(gate)
    const seeing = yield* Effect.forkChild(
      Effect.all([outcomes.seen("a"), outcomes.seen("b")], { concurrency: "unbounded" })
    )
    yield* settled
    expect(store.counts).toEqual(["a"])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(seeing)
    expect(store.counts).toEqual(["a", "b"])
  })

  it.effect("is shown from the last count for 5 s, and from a new one then, one for all who ask", function* () {
    const { store, outcomes } = yield* node()
    const ask = Effect.all(
      Array.from({ length: 10 }, () => outcomes.seen("acc")),
      { concurrency: "unbounded" }
    )
    yield* ask
    store.held = { number: 7, bytes: 70 }
    expect(yield* outcomes.seen("acc")).toEqual(noVolume)
    expect(store.counts).toHaveLength(1)
    yield* TestClock.adjust(volumeCountMillis)
    expect(yield* ask).toEqual(Array(10).fill({ number: 7, bytes: 70 }))
    expect(store.counts).toHaveLength(2)
  })

  it.effect(`has ${volumeWaitersMax} callers wait for its count; one more is shown what is known`, function* () {
    const { store, outcomes } = yield* node()
    const gate = yield* Deferred.make<void>()
    store.wait = Deferred.await(gate)
    store.held = { number: 3, bytes: 0 }
    const waiting = yield* Effect.forEach(Array(volumeWaitersMax).fill("acc"), (id) =>
      Effect.forkChild(outcomes.seen(id))
    )
    yield* settled
    expect(yield* outcomes.seen("acc")).toEqual(noVolume)
    yield* Deferred.succeed(gate, undefined)
    for (const one of waiting) expect(yield* Fiber.join(one)).toEqual(store.held)
  })

  it.effect("is held to another plan once the account has one", function* () {
    const store = scripted()
    store.plan = "pro"
    store.held = { number: keptOutcomes, bytes: 0 }
    const { outcomes, account, changed } = yield* node(store)
    yield* outcomes.seen("acc")
    expect(outcomes.beyond(account, one, "outcomes")).toBeUndefined()
    store.plan = "free"
    changed()
    yield* settled
    expect(outcomes.beyond(account, one, "outcomes")).toBe("number")
  })

  it.effect("keeps nobody out when it cannot be counted, and is counted as soon as it can", function* () {
    const { store, addMany } = yield* node()
    store.wait = Effect.fail(new StoreFailed({ operation: "count", cause: "away" }))
    expect(yield* addMany(2 * share + 1)).toBe(2 * share + 1)
    yield* settled
    expect(store.counts.length).toBeGreaterThan(0)
    store.wait = Effect.void
    expect(yield* addMany(2 * keptOutcomes)).toBe(keptOutcomes - 2 * share - 1)
  })

  it.effect(`exceeds the bound by at most an eighth for each further node`, function* () {
    const store = scripted()
    const nodes = yield* Effect.forEach(Array(4).fill(store), node)
    for (let round = 0; round < keptOutcomes; round++) {
      let added = false
      for (const { add } of nodes) added = add() || added
      yield* settled
      if (!added) break
    }
    expect(store.held.number).toBeGreaterThanOrEqual(keptOutcomes)
    expect(store.held.number).toBeLessThanOrEqual(keptOutcomes + 3 * share)
  })
})

describe("what is kept beside the rest", () => {
  const { pendingDeliveryBytes } = planLimits.free
  const half = pendingDeliveryBytes * besidesShare

  it.effect("has room while less than half of the bound is taken, and again after a count that shows so", function* () {
    const { store, pending } = yield* node()
    const account = pending.of("acc")
    store.held = { number: 1, bytes: half - 10 }
    expect(yield* pending.seen("acc")).toEqual(store.held)
    expect([pending.besides(account, 10), pending.besides(account, 11)]).toEqual([true, false])
    yield* settled
    expect(store.counts).toHaveLength(1)
    store.held = noVolume
    yield* TestClock.adjust(volumeCountMillis)
    expect(pending.besides(account, 11)).toBe(false)
    yield* settled
    expect(store.counts).toHaveLength(2)
    expect(pending.besides(account, 11)).toBe(true)
  })
})

it.effect(
  "what is only shown waits for nothing: it is unknown until the first count, then a minute old at most",
  function* () {
    const { store, pending } = yield* node()
    store.held = { number: 1, bytes: 2 }
    const count = yield* Deferred.make<void>()
    store.wait = Deferred.await(count)
    expect([pending.known("acc"), pending.known("acc")]).toEqual([undefined, undefined])
    yield* settled
    yield* Deferred.succeed(count, undefined)
    yield* settled
    expect(pending.known("acc")).toEqual(store.held)
    store.held = { number: 3, bytes: 4 }
    yield* TestClock.adjust(volumeCountMillis + volumeShownMillis - 1)
    expect([pending.known("acc"), store.counts.length]).toEqual([{ number: 1, bytes: 2 }, 1])
    yield* TestClock.adjust(1)
    pending.known("acc")
    yield* settled
    expect([pending.known("acc"), store.counts.length]).toEqual([store.held, 2])
  }
)

it.effect(
  "what is only shown stays unknown while the store cannot count, and is counted a few seconds later",
  function* () {
    const { store, pending } = yield* node()
    store.wait = Effect.fail(new StoreFailed({ operation: "count", cause: "away" }))
    pending.known("acc")
    yield* settled
    expect([pending.known("acc"), store.counts.length]).toEqual([undefined, 1])
    store.wait = Effect.void
    yield* TestClock.adjust(volumeCountMillis)
    pending.known("acc")
    yield* settled
    expect(pending.known("acc")).toEqual(noVolume)
  }
)
