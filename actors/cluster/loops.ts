/**
 * Periodic work of a node that goes on whatever happens. Owns the interval and what is logged of failures. The loops
 * are independent, so that slow work does not delay another loop.
 */
import { Cause, Effect } from "effect"
import { nodeRenewMillis } from "../../src/limits/nodes.ts"

/** Repeats for ever. Of failures in a row the first is worth a warning; a bug is one too, and ends nothing. */
export const forever = (what: string, work: Effect.Effect<unknown, unknown>): Effect.Effect<never> =>
  Effect.suspend(() => {
    let fails = false
    const failed = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      if (fails) return Effect.logDebug(`${what} failed again`, cause)
      fails = true
      return Effect.logWarning(`${what} failed and is tried again`, cause)
    }
    const done = Effect.sync(() => {
      fails = false
    })
    const once = Effect.catchCause(Effect.andThen(work, done), failed)
    return Effect.forever(Effect.andThen(once, Effect.sleep(nodeRenewMillis)))
  })
