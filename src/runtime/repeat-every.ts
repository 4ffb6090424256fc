/** Periodic work of a service. Owns that a failed round is logged and does not end the repetition. */
import { Effect, type Scope } from "effect"

/** Logs a failure or a defect as a warning with this text, and goes on. */
export const logFailure = (text: string, work: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.catchCause(Effect.asVoid(work), (cause) => Effect.logWarning(text, cause))

/** Repeats work until the scope closes; the first round is after one period. `failed` is the text of a failed round. */
export const repeatEvery = (
  periodMillis: number,
  failed: string,
  work: Effect.Effect<unknown, unknown>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(periodMillis), logFailure(failed, work)))))
