/**
 * Waits while a daemon moves from a draining node to another. Owns the retries and their bounds. Retries only attempts
 * that sent nothing.
 */
import { Effect } from "effect"
import { type Moving, moving } from "../../src/domain/command/command.ts"
import { DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import { movingLookMillis, movingMillisMax, movingWaitersMax } from "../../src/limits/drain.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"

/** Makes an attempt, and repeats it while the daemon moves. */
export const whileMoving = (
  now: () => number
): (<A, E>(attempt: Effect.Effect<A | Moving, E>) => Effect.Effect<A, E | DaemonSocketLost | Overloaded>) => {
  let waiting = 0

  const again = Effect.fnUntraced(function* <A, E>(
    attempt: Effect.Effect<A | Moving, E>
  ): Effect.fn.Return<A, E | DaemonSocketLost> {
    const until = now() + movingMillisMax
    for (let left = movingMillisMax; left > 0; left = until - now()) {
      yield* Effect.sleep(Math.min(movingLookMillis, left))
      const found = yield* attempt
      if (found !== moving) return found
    }
    return yield* new DaemonSocketLost({})
  })

  return <A, E>(attempt: Effect.Effect<A | Moving, E>) =>
    Effect.flatMap(attempt, (found): Effect.Effect<A, E | DaemonSocketLost | Overloaded> => {
      if (found !== moving) return Effect.succeed(found)
      if (waiting >= movingWaitersMax) return Effect.fail(new Overloaded({ retryAfter: overloadRetrySeconds }))
      waiting++
      return Effect.ensuring(
        again(attempt),
        Effect.sync(() => {
          waiting--
        })
      )
    })
}
