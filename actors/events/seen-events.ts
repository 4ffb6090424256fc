/**
 * Bounds the numbered events that the store remembers of each daemon to the newest. Owns when it forgets the others,
 * one daemon at a time and behind the commits; the store decides which.
 */
import { type Cause, Effect, Exit } from "effect"
import { LRUCache } from "lru-cache"
import type { StoreFailed } from "../../src/errors.ts"
import {
  eventsSeenDaemonsMax,
  eventsSeenTrimAfter,
  eventsSeenTrimsWaitingMax,
  outcomeYieldsMax,
  upkeepRowsMax
} from "../../src/limits/delivery.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import { makeGroupCommit } from "../../src/runtime/group-commit.ts"
import { afterByClock, failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Deliveries } from "../../src/store/webhooks/deliveries.ts"
import { DeliveryRetention } from "../../src/store/webhooks/delivery-retention.ts"

/** Counts the new numbered events of daemons. Call the result for each. */
export const countingSeen = Effect.gen(function* () {
  const { forgetBeyond } = yield* DeliveryRetention
  const { unhurried } = yield* Deliveries
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const failures = yield* failureLog<Cause.Cause<StoreFailed>>(yield* afterByClock, (cause, heldBack) =>
    Effect.logWarning("numbered events of a daemon could not be forgotten", { heldBack }, cause)
  )
  const counts = new LRUCache<string, number>(entriesAtMost(eventsSeenDaemonsMax))

  const trim = (daemonId: string): Effect.Effect<void, StoreFailed> =>
    Effect.flatMap(forgetBeyond(daemonId), (gone) => (gone < upkeepRowsMax ? Effect.void : trim(daemonId)))

  const line = makeGroupCommit<string, StoreFailed>(run, {
    name: "seen events",
    rowsMax: 1,
    bytesMax: Number.POSITIVE_INFINITY,
    bytesOf: () => 1,
    waitingMax: eventsSeenTrimsWaitingMax,
    turn: unhurried(outcomeYieldsMax),
    write: ([daemonId]) => trim(daemonId!),
    // what is left the daemon's next trim takes too
    written: (_, exit) => {
      if (Exit.isFailure(exit)) failures.add(kindOf(exit.cause), exit.cause)
    }
  })

  return (daemonId: string): void => {
    const seen = (counts.get(daemonId) ?? 0) + 1
    counts.set(daemonId, seen < eventsSeenTrimAfter || !line.add(daemonId) ? seen : 0)
  }
})
