/** The index of who wants events: how many accounts it holds, and whom it finds disabled. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { SubscriptionIndex } from "../../../actors/webhooks/subscription-index.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { accountsIndexedMax, indexPollMillis } from "../../../src/limits/delivery.ts"
import { type Changes, Webhooks } from "../../../src/store/webhooks/webhooks.ts"
import { it } from "../../support/effect-test.ts"

describe("the index of webhooks", () => {
  it.effect(`holds ${accountsIndexedMax} accounts; one more, and the least recently asked for is read again`, () => {
    const read: Array<string> = []
    const store = Layer.mock(Webhooks, {
      subscriptions: (accountId) =>
        Effect.sync(() => {
          read.push(accountId)
          return []
        }),
      changedSince: (version) => Effect.succeed({ version, accountIds: [], disabled: [] })
    })
    return Effect.gen(function* () {
      const index = yield* SubscriptionIndex
      for (let n = 0; n < accountsIndexedMax; n++) Effect.runSync(index.subscriptions(`${n}`))
      expect([index.cached("0"), read.length]).toEqual([[], accountsIndexedMax])
      Effect.runSync(index.subscriptions("one more"))
      expect([index.cached("0"), index.cached("1"), index.cached("2")]).toEqual([[], undefined, []])
      Effect.runSync(index.subscriptions("1"))
      expect(read.at(-1)).toBe("1")
    }).pipe(
      Effect.provide(SubscriptionIndex.layer.pipe(Layer.provide(Layer.merge(store, layerMemory))), { local: true })
    )
  })

  /** What is said of accounts, over so many looks, when the store answers these first. */
  const saidAfter = (looks: Array<Changes>, count: number) => {
    const said: Array<string> = []
    const store = Layer.mock(Webhooks, {
      changedSince: (version) => Effect.sync(() => looks.shift() ?? { version, accountIds: [], disabled: [] })
    })
    const bus = Layer.effectDiscard(
      Effect.gen(function* () {
        const bus = yield* Bus
        for (const topic of ["account_changed", "account_disabled"] as const)
          yield* bus.subscribe(topic, ({ accountId }) => void said.push(`${topic} ${accountId}`))
      })
    )
    return Effect.gen(function* () {
      yield* SubscriptionIndex
      yield* TestClock.adjust((count - 1) * indexPollMillis)
      return said
    }).pipe(
      Effect.provide(
        SubscriptionIndex.layer.pipe(Layer.provideMerge(bus), Layer.provide(Layer.merge(store, layerMemory))),
        { local: true }
      )
    )
  }
  const atStart: Changes = { version: 7, accountIds: ["before"], disabled: ["before"] }
  const disabled: Changes = { version: 8, accountIds: ["a", "b"], disabled: ["a"] }

  it.effect("finds by the store who was disabled while it runs, and says so a look later, once", function* () {
    expect(yield* saidAfter([atStart, disabled], 2)).toEqual([])
    expect(yield* saidAfter([atStart, disabled], 3)).toEqual(["account_changed a", "account_disabled a"])
    expect(yield* saidAfter([atStart, disabled], 13)).toHaveLength(2)
  })

  it.effect("says of nobody who is enabled again by the next look that he is disabled", function* () {
    const enabled: Changes = { version: 9, accountIds: ["a"], disabled: [] }
    expect(yield* saidAfter([atStart, disabled, enabled], 13)).toEqual([])
    const again: Changes = { version: 9, accountIds: ["a"], disabled: ["a"] }
    expect(yield* saidAfter([atStart, disabled, again], 3)).toEqual(["account_changed a", "account_disabled a"])
  })
})
