/**
 * Writes changed snapshots to the store in batches, at most once a second. Owns the unwritten snapshots: the newest one
 * of a daemon wins, and a failed write is retried. Drops only a snapshot that the store rejects, so that it does not
 * block the others. Changes no snapshot.
 */
import { type Cause, Context, Effect, Exit, Layer, Semaphore } from "effect"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { snapshotsWeightMax, snapshotsWrittenMax, snapshotWriteMillis } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { inParts, isAnEntrys } from "../../src/store/sql/in-parts.ts"
import { weightKept } from "../daemon/account-share.ts"

export class SnapshotWriter extends Context.Service<
  SnapshotWriter,
  {
    /** Queues a snapshot to be written within a second. */
    readonly changed: (snapshot: Snapshot) => void
    /** Writes all queued snapshots. Returns whether the store has them. */
    readonly flush: Effect.Effect<boolean>
    /** The newest unwritten snapshot of a daemon. */
    readonly unwritten: (daemonId: string) => Snapshot | undefined
    /** Number of queued snapshots: at most one per daemon. */
    readonly waiting: () => number
  }
>()("hub/SnapshotWriter") {
  static readonly layer = Layer.effect(SnapshotWriter)(Effect.suspend(() => make))
}

/** Writes a batch. False: retry later. */
const save = (daemons: Daemons["Service"], snapshots: ReadonlyArray<Snapshot>): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const failed: Array<readonly [ReadonlyArray<Snapshot>, Cause.Cause<StoreFailed>]> = []
    yield* inParts(snapshots, daemons.saveSnapshots, (part, exit) => {
      if (Exit.isFailure(exit)) failed.push([part, exit.cause])
    })
    let saved = true
    for (const [part, cause] of failed) {
      if (isAnEntrys(cause)) {
        count("hub_defects_total", "snapshots")
        yield* Effect.logError("a snapshot cannot be stored", part[0]?.daemonId, cause)
      } else {
        saved = false
        yield* Effect.logWarning("snapshots were not written", cause)
      }
    }
    return saved
  })

const make = Effect.gen(function* () {
  const daemons = yield* Daemons
  const timers = yield* Timers
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

  /** Queues failed snapshots again, unless a newer one is queued. */
  const settle = (snapshots: ReadonlyArray<Snapshot>, written: boolean): void => {
    for (const snapshot of snapshots) {
      underway.delete(snapshot.daemonId)
      if (!written && !waiting.has(snapshot.daemonId)) waiting.set(snapshot.daemonId, snapshot)
    }
  }

  const writeOnce = Effect.suspend(() => {
    const snapshots = take()
    return Effect.onExit(save(daemons, snapshots), (exit) =>
      Effect.sync(() => settle(snapshots, Exit.isSuccess(exit) && exit.value))
    )
  })

  /** Writes until the queue is empty or the store fails. One statement at a time keeps the order of snapshots. */
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
    writtenAt = timers.monotonic()
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
    timers.after(Math.max(0, writtenAt + snapshotWriteMillis - timers.monotonic()), begin)
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
