/**
 * SnapshotWriter on their way to the store: written on change, at most once a second per daemon, many in one statement.
 * Owns what is not yet written; the newest snapshot of a daemon wins, and what the store did not take is tried again. A
 * snapshot that no store can take is given up by itself: it must not keep its neighbours from being written.
 */
import { Cause, Context, Effect, Exit, Layer, Semaphore } from "effect"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { snapshotsWeightMax, snapshotsWrittenMax, snapshotWriteMillis } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { isOfValues } from "../../src/store/sql/sql-errors.ts"
import { Cluster } from "../cluster/cluster.ts"
import { weightKept } from "../daemon/account-share.ts"

/** The writer. */
export class SnapshotWriter extends Context.Service<
  SnapshotWriter,
  {
    /** Has a snapshot written within a second. */
    readonly changed: (snapshot: Snapshot) => void
    /** Writes what is waiting. Says whether it is in the store. */
    readonly flush: Effect.Effect<boolean>
    /** The newest snapshot of a daemon that is not in the store yet. */
    readonly unwritten: (daemonId: string) => Snapshot | undefined
    /** SnapshotWriter that wait: one a daemon at most. */
    readonly waiting: () => number
  }
>()("hub/SnapshotWriter") {
  static readonly layer = Layer.effect(
    SnapshotWriter,
    Effect.suspend(() => make)
  )
}

const isTheirFault = (cause: Cause.Cause<StoreFailed>): boolean =>
  cause.reasons.some((reason) => (reason._tag === "Fail" ? isOfValues(reason.error.cause) : reason._tag === "Die"))

const make = Effect.gen(function* () {
  const daemons = yield* Daemons
  const timers = yield* Timers
  const cluster = yield* Cluster
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Map<string, Snapshot>()
  const underway = new Map<string, Snapshot>()
  let writing = false
  let due = false
  let writtenAt = Number.NEGATIVE_INFINITY

  const take = (): ReadonlyArray<Snapshot> => {
    const taken: Array<Snapshot> = []
    let weight = 0
    for (const [id, snapshot] of waiting) {
      weight += weightKept(snapshot)
      if (taken.length === snapshotsWrittenMax || (taken.length > 0 && weight > snapshotsWeightMax)) break
      waiting.delete(id)
      underway.set(id, snapshot)
      taken.push(snapshot)
    }
    return taken
  }

  /** What could not be written waits again, unless something newer does already. */
  const settle = (snapshots: ReadonlyArray<Snapshot>, written: boolean): void => {
    for (const snapshot of snapshots) {
      underway.delete(snapshot.daemonId)
      if (!written && !waiting.has(snapshot.daemonId)) waiting.set(snapshot.daemonId, snapshot)
    }
  }

  /** Writes them, in halves where some of them cannot be written. False when the store is to be asked again later. */
  const save = (snapshots: ReadonlyArray<Snapshot>): Effect.Effect<boolean> =>
    Effect.suspend(() => daemons.saveSnapshots(snapshots)).pipe(
      Effect.as(true),
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        if (isTheirFault(cause) && snapshots.length > 1) {
          const middle = snapshots.length >> 1
          return Effect.zipWith(save(snapshots.slice(0, middle)), save(snapshots.slice(middle)), (a, b) => a && b)
        }
        count("hub_defects_total", "snapshots")
        return isTheirFault(cause)
          ? Effect.as(Effect.logError("a snapshot cannot be stored", snapshots[0]?.daemonId, cause), true)
          : Effect.as(Effect.logWarning("snapshots were not written", cause), false)
      })
    )

  const writeOnce = Effect.suspend(() => {
    const snapshots = take()
    cluster.publishSnapshots(snapshots.filter(({ online }) => online))
    return Effect.onExit(save(snapshots), (exit) =>
      Effect.sync(() => settle(snapshots, Exit.isSuccess(exit) && exit.value))
    )
  })

  /** Until nothing waits, or the store fails. One statement at a time, so that an older snapshot never lands last. */
  const line = yield* Semaphore.make(1)
  const write = line.withPermit(
    Effect.gen(function* () {
      while (waiting.size > 0) if (!(yield* writeOnce)) return false
      return true
    })
  )

  const begin = (): void => {
    due = false
    writing = true
    writtenAt = timers.steady()
    run(
      Effect.ensuring(
        write,
        Effect.sync(() => {
          writing = false
          schedule()
        })
      )
    )
  }

  const schedule = (): void => {
    if (due || writing || waiting.size === 0) return
    due = true
    timers.after(Math.max(0, writtenAt + snapshotWriteMillis - timers.steady()), begin)
  }

  yield* Effect.addFinalizer(() => write)

  return SnapshotWriter.of({
    changed: (snapshot) => {
      waiting.set(snapshot.daemonId, snapshot)
      schedule()
    },
    flush: write,
    unwritten: (daemonId) => waiting.get(daemonId) ?? underway.get(daemonId),
    waiting: () => waiting.size
  })
})
