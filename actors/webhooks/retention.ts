/**
 * The retention of deliveries, once a minute: prunes, expires, cancels orphans, forgets old event numbers. Owns the
 * round through all webhooks; each statement is small, and the next begins only when the last has ended.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Config } from "../../src/config.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { upkeepMillis, upkeepRowsMax, vacuumMillis } from "../../src/limits/delivery.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { whileFull } from "../../src/store/sql/pruning.ts"
import { DeliveryRetention } from "../../src/store/webhooks/delivery-retention.ts"

export class RetentionRounds extends Context.Service<
  RetentionRounds,
  {
    /** One whole round, now. */
    readonly round: Effect.Effect<void, StoreFailed>
  }
>()("hub/RetentionRounds") {
  static readonly layer = Layer.effect(RetentionRounds)(Effect.suspend(() => make))
}

const webhooksAtOnce = 200

const make = Effect.gen(function* () {
  const store = yield* DeliveryRetention
  const { databaseUrl } = yield* Config

  const untilNone = (step: (now: number) => Effect.Effect<number, StoreFailed>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => whileFull(step(now), upkeepRowsMax))

  const round = Effect.gen(function* () {
    let after = ""
    for (;;) {
      const ids = yield* store.webhooksAfter(after, webhooksAtOnce)
      for (const id of ids) {
        yield* untilNone((now) => store.end(id, now))
        yield* untilNone((now) => store.prune(id, now))
      }
      if (ids.length < webhooksAtOnce) break
      after = ids.at(-1)!
    }
    yield* untilNone((now) => store.forget(now))
  })

  yield* repeatEvery(upkeepMillis, "the retention of deliveries failed", round)
  // a server has its autovacuum
  if (databaseUrl === undefined) yield* repeatEvery(vacuumMillis, "space could not be reclaimed", store.vacuum)
  return RetentionRounds.of({ round })
})
