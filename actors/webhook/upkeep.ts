/**
 * The upkeep of deliveries, once a minute: prunes, expires, cancels what was orphaned, forgets old event numbers. Owns the
 * round through all webhooks; each statement is small, and the next begins only when the last has ended.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { StoreFailed } from "../../src/errors.ts"
import { upkeepMillis, upkeepRowsMax } from "../../src/limits/delivery.ts"
import { DeliveryUpkeep } from "../../src/store/deliveryupkeep.ts"

/** The upkeep. */
export class Upkeep extends Context.Service<
  Upkeep,
  {
    /** One whole round, now. */
    readonly round: Effect.Effect<void, StoreFailed>
  }
>()("hub/Upkeep") {
  static readonly layer: Layer.Layer<Upkeep, never, DeliveryUpkeep> = Layer.effect(
    Upkeep,
    Effect.suspend(() => make)
  )
}

const webhooksAtOnce = 200

const make = Effect.gen(function* () {
  const store = yield* DeliveryUpkeep

  const whileFull = (step: (now: number) => Effect.Effect<number, StoreFailed>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      while ((yield* step(now)) >= upkeepRowsMax) yield* Effect.yieldNow
    })

  const round = Effect.gen(function* () {
    let after = ""
    for (;;) {
      const ids = yield* store.webhooksAfter(after, webhooksAtOnce)
      for (const id of ids) {
        yield* whileFull((now) => store.end(id, now))
        yield* whileFull((now) => store.prune(id, now))
      }
      if (ids.length < webhooksAtOnce) break
      after = ids.at(-1)!
    }
    yield* whileFull((now) => store.forget(now))
  })

  const loud = Effect.catchCause(round, (cause) => Effect.logWarning("the upkeep of deliveries failed", cause))
  yield* Effect.forkScoped(
    Effect.andThen(Effect.sleep(upkeepMillis), Effect.repeat(loud, Schedule.spaced(upkeepMillis)))
  )
  return Upkeep.of({ round })
})
