/**
 * Waits for a daemon that a draining node sent away, until it is back on some node. Owns that wait and its bounds; an
 * attempt that came to nothing because its daemon is moving was not sent to anybody, and is made again.
 */
import { Effect, Exit } from "effect"
import { DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import { movingLookMillis, movingMillisMax, movingWaitersMax } from "../../src/limits/drain.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { chained } from "../../src/runtime/direct.ts"

/** Nothing was sent: the daemon is on its way from one node to another. */
export const moving = "moving"
/** That word. */
export type Moving = typeof moving

/** Makes an attempt, and again while its daemon moves. */
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
    chained(attempt, (found): Effect.Effect<A, E | DaemonSocketLost | Overloaded> => {
      if (found !== moving) return Exit.succeed(found)
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
