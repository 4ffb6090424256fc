/**
 * What time has made useless about signing in and counting: expired sessions and one-time codes, signing keys no living
 * token can name, quota blocks of nodes that are gone. Owns the rounds; each statement is small, and a round that fails
 * is logged and tried again at the next.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { Config } from "../config.ts"
import type { StoreFailed } from "../errors.ts"
import { gateUpkeepMillis, prunedRowsMax, sessionKeptMillis, signingKeyMillis } from "../limits.ts"
import { LoginCodes } from "../store/accounts/login-codes.ts"
import { Sessions } from "../store/accounts/sessions.ts"
import { Usage } from "../store/accounts/usage.ts"

/** The upkeep. */
export class AuthRetention extends Context.Service<
  AuthRetention,
  {
    /** One whole round, now. */
    readonly round: Effect.Effect<void, StoreFailed>
  }
>()("hub/AuthRetention") {
  static readonly layer = Layer.effect(
    AuthRetention,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const codes = yield* LoginCodes
      const usage = yield* Usage
      const { sessionSeconds } = yield* Config

      const whileFull = (step: Effect.Effect<number, StoreFailed>) =>
        Effect.gen(function* () {
          while ((yield* step) >= prunedRowsMax) yield* Effect.yieldNow
        })

      const round = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* whileFull(sessions.prune(now - sessionKeptMillis))
        yield* whileFull(codes.prune(now))
        yield* whileFull(usage.expire)
        // the last token a key signed lives as long as a session does, after the key was replaced
        yield* sessions.pruneSigningKeys(now - signingKeyMillis - sessionSeconds * 1_000 - sessionKeptMillis)
      })

      const loud = Effect.catchCause(round, (cause) => Effect.logWarning("the upkeep of sessions failed", cause))
      yield* Effect.forkScoped(
        Effect.andThen(Effect.sleep(gateUpkeepMillis), Effect.repeat(loud, Schedule.spaced(gateUpkeepMillis)))
      )
      return AuthRetention.of({ round })
    })
  )
}
