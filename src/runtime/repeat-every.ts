/**
 * Periodic work of a service. Owns that a failed round is logged and does not end the repetition, and that a first
 * round which can wait delays no start of a node.
 */
import { Context, Effect, Latch, type Scope } from "effect"
import { monotonicMillis } from "./monotonic.ts"

/** Logs a failure or a defect as a warning with this text, and goes on. */
export const logFailure = (text: string, work: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.catchCause(Effect.asVoid(work), (cause) => Effect.logWarning(text, cause))

/**
 * Opens when the node is ready: what it looks for in its database then is not what its start waits for
 * (`./hub bench start`). Open for services that no node starts.
 */
export const NodeStarted = Context.Reference<Latch.Latch>("hub/NodeStarted", {
  defaultValue: () => Latch.makeUnsafe(true)
})

/** How work is repeated. */
export interface Repetition {
  /** The first round is at once, not after one period. */
  readonly atOnce?: boolean
  /** The first round is as soon as the node is ready: not for what others take as a sign of its life. */
  readonly onceReady?: boolean
  /** Of failed rounds in a row only the first is a warning. */
  readonly warnOnce?: boolean
  /** After a round the work rests for `times` as long as that took, `millisMax` at most, where that is longer. */
  readonly rest?: { readonly times: number; readonly millisMax: number }
}

const noRest = { times: 0, millisMax: 0 }

/** Repeats work until the scope closes. `failed` is the text of a failed round. */
export const repeatEvery = (
  periodMillis: number,
  failed: string,
  work: Effect.Effect<unknown, unknown>,
  { atOnce = false, onceReady = false, warnOnce = false, rest = noRest }: Repetition = {}
): Effect.Effect<void, never, Scope.Scope> => {
  let failing = false
  let pauseMillis = periodMillis
  const timed = Effect.clockWith((clock) => {
    const began = monotonicMillis(clock)
    return Effect.map(work, () => {
      const restMillis = Math.min(rest.millisMax, rest.times * (monotonicMillis(clock) - began))
      pauseMillis = Math.max(periodMillis, restMillis)
    })
  })
  const round = Effect.matchCauseEffect(timed, {
    onSuccess: () =>
      Effect.sync(() => {
        failing = false
      }),
    onFailure: (cause) => {
      pauseMillis = periodMillis
      const level = warnOnce && failing ? "Debug" : "Warn"
      failing = true
      return Effect.logWithLevel(level)(failed, cause)
    }
  })
  const wait = Effect.suspend(() => Effect.sleep(pauseMillis))
  const rounds = Effect.forever(Effect.andThen(wait, round))
  const ready = Effect.flatMap(NodeStarted, (started) => started.await)
  const first = onceReady ? Effect.andThen(ready, round) : round
  return Effect.asVoid(Effect.forkScoped(atOnce || onceReady ? Effect.andThen(first, rounds) : rounds))
}

/**
 * Repeats a write until the scope closes, and makes it once more then, or the `last` one. A write that is under way
 * then is ended first: what it took would be lost with it. `failed` is the text of a failed one.
 */
export const flushEvery = (
  periodMillis: number,
  failed: string,
  write: Effect.Effect<unknown, unknown>,
  last: Effect.Effect<unknown, unknown> = write
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.andThen(
    Effect.addFinalizer(() => logFailure(failed, last)),
    repeatEvery(periodMillis, failed, Effect.uninterruptible(write))
  )
