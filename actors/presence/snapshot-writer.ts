/**
 * Pictures on their way to the store: written on change, at most once a second per daemon, many in one statement. Owns
 * what is not yet written; the newest picture of a daemon wins, and what the store did not take is tried again. A picture
 * that no store can take is given up by itself: it must not keep its neighbours from being written.
 */
import { Cause, Context, Effect, Exit, Layer, Semaphore } from "effect"
import type { Picture } from "../../src/domain/daemon/snapshot.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { picturesWeightMax, picturesWrittenMax, pictureWriteMillis } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { Wheel } from "../../src/runtime/timers.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { isOfValues } from "../../src/store/sql/sql-errors.ts"
import { Others } from "../cluster/cluster.ts"
import { weightKept } from "../daemon/account-share.ts"

/** The writer. */
export class Pictures extends Context.Service<
  Pictures,
  {
    /** Has a picture written within a second. */
    readonly changed: (picture: Picture) => void
    /** Writes what is waiting. Says whether it is in the store. */
    readonly flush: Effect.Effect<boolean>
    /** The newest picture of a daemon that is not in the store yet. */
    readonly unwritten: (daemonId: string) => Picture | undefined
    /** Pictures that wait: one a daemon at most. */
    readonly waiting: () => number
  }
>()("hub/Pictures") {
  static readonly layer = Layer.effect(
    Pictures,
    Effect.suspend(() => make)
  )
}

const isTheirFault = (cause: Cause.Cause<StoreFailed>): boolean =>
  cause.reasons.some((reason) => (reason._tag === "Fail" ? isOfValues(reason.error.cause) : reason._tag === "Die"))

const make = Effect.gen(function* () {
  const daemons = yield* Daemons
  const wheel = yield* Wheel
  const others = yield* Others
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const waiting = new Map<string, Picture>()
  const underway = new Map<string, Picture>()
  let writing = false
  let due = false
  let writtenAt = Number.NEGATIVE_INFINITY

  const take = (): ReadonlyArray<Picture> => {
    const taken: Array<Picture> = []
    let weight = 0
    for (const [id, picture] of waiting) {
      weight += weightKept(picture)
      if (taken.length === picturesWrittenMax || (taken.length > 0 && weight > picturesWeightMax)) break
      waiting.delete(id)
      underway.set(id, picture)
      taken.push(picture)
    }
    return taken
  }

  /** What could not be written waits again, unless something newer does already. */
  const settle = (pictures: ReadonlyArray<Picture>, written: boolean): void => {
    for (const picture of pictures) {
      underway.delete(picture.daemonId)
      if (!written && !waiting.has(picture.daemonId)) waiting.set(picture.daemonId, picture)
    }
  }

  /** Writes them, in halves where some of them cannot be written. False when the store is to be asked again later. */
  const save = (pictures: ReadonlyArray<Picture>): Effect.Effect<boolean> =>
    Effect.suspend(() => daemons.savePictures(pictures)).pipe(
      Effect.as(true),
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        if (isTheirFault(cause) && pictures.length > 1) {
          const middle = pictures.length >> 1
          return Effect.zipWith(save(pictures.slice(0, middle)), save(pictures.slice(middle)), (a, b) => a && b)
        }
        count("hub_defects_total", "pictures")
        return isTheirFault(cause)
          ? Effect.as(Effect.logError("a picture cannot be stored", pictures[0]?.daemonId, cause), true)
          : Effect.as(Effect.logWarning("pictures were not written", cause), false)
      })
    )

  const writeOnce = Effect.suspend(() => {
    const pictures = take()
    others.pictured(pictures.filter(({ online }) => online))
    return Effect.onExit(save(pictures), (exit) =>
      Effect.sync(() => settle(pictures, Exit.isSuccess(exit) && exit.value))
    )
  })

  /** Until nothing waits, or the store fails. One statement at a time, so that an older picture never lands last. */
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
    writtenAt = wheel.steady()
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
    wheel.after(Math.max(0, writtenAt + pictureWriteMillis - wheel.steady()), begin)
  }

  yield* Effect.addFinalizer(() => write)

  return Pictures.of({
    changed: (picture) => {
      waiting.set(picture.daemonId, picture)
      schedule()
    },
    flush: write,
    unwritten: (daemonId) => waiting.get(daemonId) ?? underway.get(daemonId),
    waiting: () => waiting.size
  })
})
