/**
 * Removes ephemeral daemons once they have left long enough, on any node: the store decides which, so that each is
 * removed once. Owns the period, and that every node hears of it as of a removal by the owner.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Bus } from "../../src/bus/bus.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { ephemeralStepMax, ephemeralSweepMillis } from "../../src/limits/join-keys.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"

export class EphemeralDaemons extends Context.Service<
  EphemeralDaemons,
  {
    /** Removes all that are due, now; says how many. */
    readonly sweep: Effect.Effect<number, StoreFailed>
  }
>()("hub/EphemeralDaemons") {
  static readonly layer = Layer.effect(EphemeralDaemons)(Effect.suspend(() => make))
}

const make = Effect.gen(function* () {
  const daemons = yield* Daemons
  const bus = yield* Bus

  const step = Effect.gen(function* () {
    const removed = yield* daemons.removeEphemeral(yield* Clock.currentTimeMillis, ephemeralStepMax)
    for (const { daemonId } of removed) {
      bus.publish("token_revoked", { daemonId })
      // one may be connecting by a token that its node still remembers
      bus.publish("daemon_ordered", { daemonId, order: "revoke" })
    }
    for (const accountId of new Set(removed.map(({ accountId }) => accountId))) {
      bus.publish("holdings_changed", { accountId })
    }
    return removed.length
  }).pipe(Effect.uninterruptible)

  const sweep = Effect.gen(function* () {
    let all = 0
    for (;;) {
      const removed = yield* step
      all += removed
      if (removed < ephemeralStepMax) return all
      yield* Effect.yieldNow
    }
  })

  yield* repeatEvery(ephemeralSweepMillis, "ephemeral daemons could not be removed", sweep)
  return EphemeralDaemons.of({ sweep })
})
