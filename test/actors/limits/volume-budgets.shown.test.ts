/** What an account's volume is looked at for beside its bound: what is kept beside the rest, and what is only shown. */

import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { planLimits } from "../../../src/domain/account/plans.ts"
import { noVolume } from "../../../src/domain/account/volume.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { besidesShare, volumeCountMillis, volumeShownMillis } from "../../../src/limits/volumes.ts"
import { it } from "../../support/effect-test.ts"
import { node, scripted, settled } from "./scripted-volumes.ts"

describe("what is kept beside the rest", () => {
  const { pendingDeliveryBytes } = planLimits.free
  const half = pendingDeliveryBytes * besidesShare

  it.effect("has room while less than half of the bound is taken, and again after a count that shows so", function* () {
    const store = scripted()
    const { pending } = yield* node(store)
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

describe("what is only shown", () => {
  it.effect("waits for nothing: it is unknown until the first count, then a minute old at most", function* () {
    const store = scripted()
    const { pending } = yield* node(store)
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
  })

  it.effect("stays unknown while the store cannot count, and is counted a few seconds later", function* () {
    const store = scripted()
    const { pending } = yield* node(store)
    store.wait = Effect.fail(new StoreFailed({ operation: "count", cause: "away" }))
    pending.known("acc")
    yield* settled
    expect([pending.known("acc"), store.counts.length]).toEqual([undefined, 1])
    store.wait = Effect.void
    yield* TestClock.adjust(volumeCountMillis)
    pending.known("acc")
    yield* settled
    expect(pending.known("acc")).toEqual(noVolume)
  })
})
