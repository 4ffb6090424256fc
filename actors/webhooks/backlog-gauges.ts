/** Shows in the metrics how many deliveries wait. Owns how often they are counted; a failed count leaves the last. */
import { Effect, Layer } from "effect"
import { backlogLookMillis, deliveryLateMillis, sweepRestMillisMax, sweepRestTimes } from "../../src/limits/delivery.ts"
import { watchInScope } from "../../src/runtime/metrics.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { type Backlog, BacklogStore } from "../../src/store/webhooks/backlog.ts"

const watchBacklog = Effect.gen(function* () {
  const { count } = yield* BacklogStore
  const { now } = yield* Timers
  let last: Backlog = { pending: 0, overdue: 0 }
  yield* watchInScope("hub_deliveries_pending", () => last.pending)
  yield* watchInScope("hub_deliveries_overdue", () => last.overdue)
  const look = Effect.map(
    Effect.suspend(() => count(now() - deliveryLateMillis)),
    (found) => {
      last = found
    }
  )
  yield* repeatEvery(backlogLookMillis, "deliveries that wait could not be counted", look, {
    warnOnce: true,
    rest: { times: sweepRestTimes, millisMax: sweepRestMillisMax }
  })
})

/** Counts them while the hub runs. */
export const backlogGauges = Layer.effectDiscard(watchBacklog)
