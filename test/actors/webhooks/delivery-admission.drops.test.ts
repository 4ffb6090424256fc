/** How it is told that deliveries were dropped: counted at once, logged seldom, written each second. */
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { DropReporter } from "../../../actors/webhooks/delivery-admission.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { failureLogMillis } from "../../../src/limits/edge.ts"
import { dropsFlushMillis, dropsWebhooksMax } from "../../../src/limits/volumes.ts"
import { entryOf } from "../../../src/runtime/log.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { type DropRow, Drops } from "../../../src/store/webhooks/dropped-deliveries.ts"
import { it } from "../../support/effect-test.ts"

const world = () =>
  Effect.gen(function* () {
    const written: Array<ReadonlyArray<DropRow>> = []
    const entries: Array<Record<string, unknown>> = []
    const store = { away: false }
    const scope = yield* Scope.make()
    const layer = DropReporter.layer.pipe(
      Layer.provide(Timers.layer),
      Layer.provide(
        Layer.succeed(Drops, {
          add: (rows) =>
            Effect.suspend(() => {
              if (store.away) return Effect.fail(new StoreFailed({ operation: "record", cause: "away" }))
              written.push(rows)
              return Effect.void
            })
        })
      ),
      Layer.provideMerge(Logger.layer([Logger.make((options) => void entries.push(entryOf(options, {})))]))
    )
    const context = yield* Layer.buildWithScope(layer, scope)
    const { tell } = yield* Effect.provide(DropReporter, context)
    const hubEvent = { accountId: "acc", event: "agent:stopped", payload: {}, timestamp: 1 } as const
    const drop = (webhookId: string, accountId = "acc") =>
      tell({ hubEvent: { ...hubEvent, accountId }, dropped: [{ webhookId, beyond: "number" }] })
    const told = () => entries.filter(({ message }) => String(message).startsWith("deliveries are dropped"))
    return { drop, written, store, told, end: Scope.close(scope, Exit.void) }
  })

describe("dropped deliveries", () => {
  it.effect("are counted at once and written each second, added up by webhook", function* () {
    const { drop, written } = yield* world()
    const before = counted("hub_deliveries_dropped_total", "number")
    for (const id of ["a", "b", "a"]) drop(id)
    expect(counted("hub_deliveries_dropped_total", "number") - before).toBe(3)
    expect(written).toEqual([])
    yield* TestClock.adjust(dropsFlushMillis)
    expect(written.map((rows) => rows.map(({ webhookId, number }) => [webhookId, number]))).toEqual([
      [
        ["a", 2],
        ["b", 1]
      ]
    ])
    yield* TestClock.adjust(10 * dropsFlushMillis)
    expect(written).toHaveLength(1)
  })

  it.effect("are kept while the store is away, and written when the hub closes", function* () {
    const { drop, written, store, end } = yield* world()
    store.away = true
    drop("a")
    yield* TestClock.adjust(3 * dropsFlushMillis)
    store.away = false
    drop("a")
    yield* end
    expect(written.flat().map(({ webhookId, number }) => [webhookId, number])).toEqual([["a", 2]])
  })

  it.effect(`of more than ${dropsWebhooksMax} webhooks in a second are only counted`, function* () {
    const { drop, written } = yield* world()
    for (let nth = 0; nth <= dropsWebhooksMax; nth++) drop(`w${nth}`)
    yield* TestClock.adjust(dropsFlushMillis)
    expect(written.flat()).toHaveLength(dropsWebhooksMax)
  })

  it.effect("are logged once for an account, and then with how many were held back", function* () {
    const { drop, told } = yield* world()
    for (let nth = 0; nth < 100; nth++) drop("a")
    drop("b", "other")
    expect(told()).toMatchObject([
      { accountId: "acc", webhookId: "a", by: "number", heldBack: 0 },
      { accountId: "other", webhookId: "b", heldBack: 0 }
    ])
    yield* TestClock.adjust(failureLogMillis)
    expect(told().slice(2)).toMatchObject([{ accountId: "acc", heldBack: 98 }])
  })
})
