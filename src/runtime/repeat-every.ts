/** Periodic work of a service. Owns that a failed round is logged and does not end the repetition. */
import { Effect, type Scope } from "effect"

/** Logs a failure or a defect as a warning with this text, and goes on. */
export const logFailure = (text: string, work: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.catchCause(Effect.asVoid(work), (cause) => Effect.logWarning(text, cause))

/** How work is repeated. */
export interface Repetition {
  /** The first round is at once, not after one period. */
  readonly atOnce?: boolean
  /** Of failed rounds in a row only the first is a warning. */
  readonly warnOnce?: boolean
}

/** Repeats work until the scope closes. `failed` is the text of a failed round. */
export const repeatEvery = (
  periodMillis: number,
  failed: string,
  work: Effect.Effect<unknown, unknown>,
  { atOnce = false, warnOnce = false }: Repetition = {}
): Effect.Effect<void, never, Scope.Scope> => {
  let failing = false
  const round = Effect.matchCauseEffect(work, {
    onSuccess: () =>
      Effect.sync(() => {
        failing = false
      }),
    onFailure: (cause) => {
      const level = warnOnce && failing ? "Debug" : "Warn"
      failing = true
      return Effect.logWithLevel(level)(failed, cause)
    }
  })
  const wait = Effect.sleep(periodMillis)
  const rounds = Effect.forever(atOnce ? Effect.andThen(round, wait) : Effect.andThen(wait, round))
  return Effect.asVoid(Effect.forkScoped(rounds))
}
