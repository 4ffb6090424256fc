/**
 * The deadlines of all attempts. Every attempt has the same time, so the one that began first ends first, and one sleep
 * to that moment serves all. Owns that sleep; knows no attempt.
 */
import { Clock, Effect, type Fiber, type Scope } from "effect"
import { monotonicMillis } from "../runtime/monotonic.ts"

/** One wait. */
interface Wait {
  readonly endsAt: number
  late: () => void
}

/** Starts a wait. `late` is called when its time is over, unless the returned function was called before. */
export type DeadlineQueue = (late: () => void) => () => void

const nothing = (): void => {}

/** A queue of deadlines after `millis`, until the scope closes. */
export const makeDeadlineQueue = (millis: number): Effect.Effect<DeadlineQueue, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const waits = new Set<Wait>()
    let sleeper: Fiber.Fiber<unknown> | undefined
    let closed = false

    const wake = (): void => {
      sleeper = undefined
      const now = monotonicMillis(clock)
      for (const wait of waits) {
        if (wait.endsAt > now) break
        waits.delete(wait)
        wait.late()
      }
      arm()
    }

    /** Sleeps to the first deadline. A wait that ends earlier wakes nothing. */
    const arm = (): void => {
      const [first] = waits
      if (first === undefined || sleeper !== undefined || closed) return
      const left = Math.max(1, first.endsAt - monotonicMillis(clock))
      sleeper = run(Effect.andThen(Effect.sleep(left), Effect.sync(wake)))
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        closed = true
        sleeper?.interruptUnsafe()
      })
    )
    return (late) => {
      const wait: Wait = { endsAt: monotonicMillis(clock) + millis, late }
      waits.add(wait)
      if (sleeper === undefined) arm()
      return () => {
        waits.delete(wait)
        // V8 keeps a set's outgrown tables until its next full collection: their entries must hold little.
        wait.late = nothing
      }
    }
  })
