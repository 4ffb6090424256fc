/**
 * Whether this node is ready. Owns the parts it waits for (start, drain, store), how long a check of the store stays
 * valid, and the checks after a failed one; stops and starts nothing.
 */
import { Clock, Context, Effect, Exit, Layer } from "effect"
import { readinessLookMillis, readinessMillisMax, storeLookMillis, storePauseMillisMax } from "../limits.ts"
import { DatabaseHome } from "../store/sql/database-home.ts"
import { makeWriteLook } from "../store/sql/write-check.ts"
import { watchInScope } from "./metrics.ts"
import { monotonicMillis } from "./monotonic.ts"

/** A part that readiness may wait for. */
export type Part = "start" | "store" | "drain"

/** The readiness of this node. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** The parts that are not ready; empty means ready. Writes to the store at most once in `readinessLookMillis`. */
    readonly waitingFor: Effect.Effect<ReadonlyArray<Part>>
    /** States that a part is ready, or is not. */
    readonly tell: (part: "start" | "drain", there: boolean) => void
  }
>()("hub/Readiness") {
  /** Starts not ready: `tell("start", true)` makes it ready. */
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const { embedded, suspicion } = yield* DatabaseHome
      const clock = yield* Clock.Clock
      const write = yield* makeWriteLook
      const waiting = new Set<Part>(["start"])
      let there = true
      let pausedAt: number | undefined
      // A copy of the database delays statements and says nothing of the store: the last check stays valid.
      const pauses = (): boolean => {
        if (embedded?.thread.copying() !== true) {
          pausedAt = undefined
          return false
        }
        const now = monotonicMillis(clock)
        pausedAt ??= now
        return now - pausedAt < storePauseMillisMax
      }
      const told = (exit: Exit.Exit<unknown, unknown>) => {
        const before = there
        there = Exit.isSuccess(exit)
        if (before === there) return Effect.void
        return Exit.isSuccess(exit)
          ? Effect.logInfo("the store takes writes again")
          : Effect.logError("the store takes no writes: this node is not ready", exit.cause)
      }
      const look = yield* Effect.cachedWithTTL(
        Effect.suspend(() => {
          if (pauses()) return Effect.succeed(there)
          return write.pipe(
            Effect.timeout(readinessMillisMax),
            Effect.exit,
            Effect.tap((exit) => (Exit.isFailure(exit) && pauses() ? Effect.void : told(exit))),
            Effect.map(() => there)
          )
        }),
        readinessLookMillis
      )
      // An embedded database is opened again even without a request for readiness.
      yield* Effect.sleep(storeLookMillis).pipe(
        Effect.andThen(Effect.suspend((): Effect.Effect<unknown> => (suspicion.held ? look : Effect.void))),
        Effect.forever,
        Effect.forkScoped
      )
      yield* watchInScope("hub_ready", () => (there && waiting.size === 0 ? 1 : 0))
      return {
        waitingFor: Effect.map(look, (there): ReadonlyArray<Part> => (there ? [...waiting] : [...waiting, "store"])),
        tell: (part, there) => {
          if (there) waiting.delete(part)
          else waiting.add(part)
        }
      }
    })
  )
}
