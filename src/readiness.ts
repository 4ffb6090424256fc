/**
 * Whether this node serves. Owns the parts that may be waited for (start, drain, the store) and the look at the store;
 * stops and starts nothing.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readinessLookMillis, readinessMillisMax } from "./limits.ts"

/** What readiness may wait for. */
export type Part = "start" | "store" | "drain"

/** The readiness of this node. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** Everything that is waited for; empty means ready. Looks at the store, at most once in `readinessLookMillis`. */
    readonly waitingFor: Effect.Effect<ReadonlyArray<Part>>
    /** Says that a part is there, or is waited for. */
    readonly tell: (part: "start" | "drain", there: boolean) => void
  }
>()("hub/Readiness") {
  /** Starts red: `tell("start", true)` turns it green. */
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const waiting = new Set<Part>(["start"])
      const look = yield* Effect.cachedWithTTL(
        sql`SELECT 1`.pipe(
          Effect.timeout(readinessMillisMax),
          Effect.as(true),
          Effect.catchCause(() => Effect.succeed(false))
        ),
        readinessLookMillis
      )
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
