/**
 * The ends of times online on their way to the store. Owns those that wait, and the loop that writes them and goes on
 * while the store is away. Tells the events what a write committed. Decides nothing about a daemon.
 */
import { type Cause, Effect, Result, type Semaphore } from "effect"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { StoreFailed } from "../../src/errors.ts"
import {
  nodeStepDaemons,
  releaseAgainMillis,
  releaseAgainMillisMax,
  releasePreparedMax,
  releasesWaitingMax
} from "../../src/limits/nodes.ts"
import { count } from "../../src/runtime/metrics.ts"
import { failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { PresenceStore } from "../../src/store/daemons/presence.ts"
import type { DaemonEvents, Ended } from "../events/daemon-events.ts"
import type { PreparedEvent } from "../events/dispatcher.ts"

/** A time online that is over. */
export interface PresenceRelease {
  readonly snapshot: Snapshot
  readonly ended: Ended
  /** The close code of its last connection, where one is known. */
  readonly code: number | undefined
}

/** One that waits. `nth`: its place among the claims and ends of this node, in the order in which they came. */
export interface WaitingRelease extends PresenceRelease {
  readonly nth: number
}

/** What a write of releases needs. */
export interface ReleaseContext {
  readonly node: string
  readonly maxAttempts: number
  readonly store: PresenceStore["Service"]
  readonly events: DaemonEvents["Service"]
  /** The releases that wait for the store, by daemon. */
  readonly releases: Map<string, WaitingRelease>
  /** The place of a claim or an end that comes now. No clock tells it: nodes' clocks differ, and are set. */
  readonly nextNth: () => number
  /** The store may hold what this node does not know of. */
  readonly doubt: () => void
}

/** Writes the ends of some times online. */
export const writeReleases = (
  context: ReleaseContext,
  batch: ReadonlyArray<PresenceRelease>
): Effect.Effect<void, StoreFailed> =>
  Effect.gen(function* () {
    const { node, maxAttempts, store, events, releases } = context
    const prepared: Array<PresenceRelease & { readonly event: PreparedEvent }> = []
    let failure: StoreFailed | undefined
    const results = yield* Effect.forEach(
      batch,
      (one) => Effect.result(Effect.map(events.disconnecting(one.snapshot, one.ended), (event) => ({ ...one, event }))),
      { concurrency: releasePreparedMax }
    )
    for (const result of results) {
      if (Result.isSuccess(result)) prepared.push(result.success)
      else failure = result.failure
    }
    const requests = prepared.map(({ snapshot: { daemonId, epoch }, ended, code, event: { deliveries } }) => ({
      daemonId,
      epoch,
      at: ended.at,
      reason: ended.reason ?? "disabled",
      code,
      deliveries
    }))
    const { ended, deliveryIds } = yield* Effect.onError(store.release(node, requests, maxAttempts), () =>
      Effect.sync(() => {
        for (const { event } of prepared) event.committed(undefined)
      })
    )
    for (const { snapshot, event } of prepared) {
      const { daemonId, epoch } = snapshot
      if (releases.get(daemonId)?.snapshot.epoch === epoch) releases.delete(daemonId)
      if (ended.has(daemonId)) count("hub_presence_changes_total", "offline")
      event.committed(ended.has(daemonId) ? deliveryIds : undefined)
    }
    if (failure !== undefined) return yield* failure
  })

/** As many as one write takes. */
const firstOf = <A>(all: Iterable<A>): ReadonlyArray<A> => {
  const some: Array<A> = []
  for (const one of all) if (some.push(one) === nodeStepDaemons) break
  return some
}

/** The releases that wait, written by a loop that runs while there are some. */
export const makeReleases = Effect.fnUntraced(function* (context: ReleaseContext, exclusive: Semaphore.Semaphore) {
  const { after } = yield* Timers
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const failures = yield* failureLog<Cause.Cause<StoreFailed>>(after, (cause, heldBack) =>
    Effect.logWarning("the end of times online is not written yet and is tried again", { heldBack }, cause)
  )
  const { releases } = context
  let running = false

  // looked for once it is this write's turn: the one before may have written some, or a claim may go on from them
  const step = exclusive.withPermits(1)(
    Effect.suspend(() => (releases.size === 0 ? Effect.void : writeReleases(context, firstOf(releases.values()))))
  )

  const loop = Effect.gen(function* () {
    yield* Effect.yieldNow
    let pause = releaseAgainMillis
    while (releases.size > 0) {
      const cause = yield* Effect.match(Effect.sandbox(step), { onSuccess: () => undefined, onFailure: (why) => why })
      if (cause === undefined) {
        pause = releaseAgainMillis
        continue
      }
      failures.add(kindOf(cause), cause)
      yield* Effect.sleep(pause)
      pause = Math.min(releaseAgainMillisMax, pause * 2)
    }
  })

  return {
    /** What does not fit is found again in the store, as held by this node, and ends after another grace. */
    add: (release: PresenceRelease): void => {
      const { daemonId } = release.snapshot
      if (!releases.has(daemonId) && releases.size >= releasesWaitingMax) {
        count("hub_defects_total", "events")
        return context.doubt()
      }
      releases.set(daemonId, { ...release, nth: context.nextNth() })
      if (running) return
      running = true
      const over = Effect.sync(() => {
        running = false
      })
      run(Effect.ensuring(loop, over))
    },
    /** Writes all, once. */
    flush: Effect.ignore(step)
  }
})
