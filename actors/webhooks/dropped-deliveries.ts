/**
 * Reports deliveries that were dropped because their account had too many pending: counted at once, logged with a
 * throttle, shown by their webhooks within a second. Owns what is not written yet; decides nothing.
 */
import { Context, Effect, Layer } from "effect"
import { dropsFlushMillis, dropsWebhooksMax } from "../../src/limits/volumes.ts"
import { count } from "../../src/runtime/metrics.ts"
import { flushEvery } from "../../src/runtime/repeat-every.ts"
import { failureLog } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { type DropRow, Drops } from "../../src/store/webhooks/dropped-deliveries.ts"
import type { AdmittedDeliveries, Dropped } from "./delivery-admission.ts"

export class DropReporter extends Context.Service<
  DropReporter,
  {
    /** These were dropped. */
    readonly tell: (event: Pick<AdmittedDeliveries, "hubEvent" | "dropped">) => void
  }
>()("hub/DropReporter") {
  static readonly layer = Layer.effect(DropReporter)(Effect.suspend(() => make))
}

interface Said extends Dropped {
  readonly accountId: string
}

const make = Effect.gen(function* () {
  const store = yield* Drops
  const timers = yield* Timers
  const waiting = new Map<string, DropRow>()
  const log = yield* failureLog<Said>(timers.after, ({ beyond, ...told }, heldBack) =>
    Effect.logWarning("deliveries are dropped: as many are pending as the plan allows", {
      ...told,
      by: beyond,
      heldBack
    })
  )

  const add = (webhookId: string, number: number, at: number): void => {
    const before = waiting.get(webhookId)
    if (before === undefined && waiting.size >= dropsWebhooksMax) return
    waiting.set(webhookId, { webhookId, number: number + (before?.number ?? 0), at: Math.max(at, before?.at ?? 0) })
  }

  const flush = Effect.suspend(() => {
    if (waiting.size === 0) return Effect.void
    const rows = [...waiting.values()]
    waiting.clear()
    return Effect.tapError(store.add(rows), () =>
      Effect.sync(() => {
        for (const { webhookId, number, at } of rows) add(webhookId, number, at)
      })
    )
  })
  yield* flushEvery(dropsFlushMillis, "dropped deliveries could not be recorded", flush)

  return DropReporter.of({
    tell: ({ hubEvent, dropped }) => {
      for (const { webhookId, beyond } of dropped) {
        count("hub_deliveries_dropped_total", beyond)
        log.add(hubEvent.accountId, { accountId: hubEvent.accountId, webhookId, beyond })
        add(webhookId, 1, timers.now())
      }
    }
  })
})
