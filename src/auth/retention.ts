/**
 * Deletes what has expired in authentication and quotas: sessions, one-time codes, join keys, invitations, grants,
 * tokens of push messages, signing keys that no live token can name, quota blocks of nodes that are gone. Owns the
 * periodic round. Each statement is small; a round that fails is logged and repeated at the next.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Config } from "../config.ts"
import type { StoreFailed } from "../errors.ts"
import { gateUpkeepMillis, joinKeyKeptMillis, sessionKeptMillis, signingKeyMillis } from "../limits.ts"
import { repeatEvery } from "../runtime/repeat-every.ts"
import { DeviceCodes } from "../store/accounts/device-codes.ts"
import { Invitations } from "../store/accounts/invitations.ts"
import { LoginCodes } from "../store/accounts/login-codes.ts"
import { Sessions } from "../store/accounts/sessions.ts"
import { Usage } from "../store/accounts/usage.ts"
import { JoinKeys } from "../store/daemons/join-keys.ts"
import { OAuthClients } from "../store/oauth/clients.ts"
import { Grants } from "../store/oauth/grants.ts"
import { PushAnswers } from "../store/push/push-answers.ts"
import { whileFull } from "../store/sql/pruning.ts"

/** Retention of authentication data. */
export class AuthRetention extends Context.Service<
  AuthRetention,
  {
    /** Runs one whole round now. */
    readonly round: Effect.Effect<void, StoreFailed>
  }
>()("hub/AuthRetention") {
  static readonly layer = Layer.effect(
    AuthRetention,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const codes = yield* LoginCodes
      const devices = yield* DeviceCodes
      const joinKeys = yield* JoinKeys
      const invitations = yield* Invitations
      const grants = yield* Grants
      const clients = yield* OAuthClients
      const pushAnswers = yield* PushAnswers
      const usage = yield* Usage
      const { sessionSeconds } = yield* Config

      const round = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* whileFull(sessions.prune(now - sessionKeptMillis))
        yield* whileFull(codes.prune(now))
        yield* whileFull(devices.prune(now))
        yield* whileFull(joinKeys.prune(now - joinKeyKeptMillis))
        yield* whileFull(invitations.prune(now))
        yield* whileFull(grants.prune(now))
        yield* whileFull(clients.prune(now))
        yield* whileFull(pushAnswers.prune(now))
        yield* whileFull(usage.expire)
        // The last token a key signed lives as long as a session does, counted from the key's replacement.
        yield* sessions.pruneSigningKeys(now - signingKeyMillis - sessionSeconds * 1_000 - sessionKeptMillis)
      })

      yield* repeatEvery(gateUpkeepMillis, "the upkeep of sessions failed", round)
      return AuthRetention.of({ round })
    })
  )
}
