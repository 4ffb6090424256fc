/**
 * The daemon of each token. Owns a small, short-lived cache of look-ups by hash, which a revocation or a change on the
 * bus voids. Never sees a socket. The store looks many up in one statement.
 */
import { Context, Effect, Layer } from "effect"
import { hashCredential } from "../../src/auth/api-key.ts"
import { daemonTokens } from "../../src/auth/checksummed-token.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { tokenCacheMillis, tokensCachedMax, unknownTokenMillis } from "../../src/limits.ts"
import { makeInvalidatingCache } from "../../src/runtime/invalidating-cache.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Daemons, type TokenOwner } from "../../src/store/daemons/daemons.ts"

export class TokenCache extends Context.Service<
  TokenCache,
  {
    /** Whose token this is, revoked ones included; undefined when there is no such token. */
    readonly owner: (token: string) => Effect.Effect<TokenOwner | undefined, Overloaded | StoreFailed>
    /** The same as the store has it now, whatever is remembered. */
    readonly ownerNow: (token: string) => Effect.Effect<TokenOwner | undefined, Overloaded | StoreFailed>
    /** Its daemon has this token: the older ones end, and what is connected with one of them, on every node. */
    readonly used: (token: string, owner: TokenOwner) => Effect.Effect<void, StoreFailed>
  }
>()("hub/TokenCache") {
  static readonly layer = Layer.effect(TokenCache)(Effect.suspend(() => make))
}

const make = Effect.gen(function* () {
  const daemons = yield* Daemons
  const timers = yield* Timers
  const bus = yield* Bus
  const cache = makeInvalidatingCache<TokenOwner | undefined>({
    max: tokensCachedMax,
    now: timers.monotonic,
    lifeOf: (owner) => (owner === undefined ? unknownTokenMillis : tokenCacheMillis),
    dependenciesOf: (owner) => (owner === undefined ? [] : [owner.daemonId, owner.accountId])
  })
  const lookUp = (hash: string) => cache.lookUp(hash, daemons.tokenOwner(hash))

  yield* bus.subscribe("token_revoked", ({ daemonId }) => cache.change(daemonId))
  yield* bus.subscribe("daemon_ordered", ({ daemonId, order }) => {
    if (order === "revoke") cache.change(daemonId)
  })
  yield* bus.subscribe("daemon_tagged", ({ daemonId }) => cache.change(daemonId))
  yield* bus.subscribe("account_changed", ({ accountId }) => cache.change(accountId))
  yield* bus.gaps(cache.clear)

  return TokenCache.of({
    used: (token, { daemonId, tokenAt }) =>
      Effect.uninterruptible(
        Effect.andThen(
          daemons.endOlderTokens(hashCredential(token)),
          Effect.sync(() => bus.publish("token_revoked", { daemonId, olderThan: tokenAt }))
        )
      ),
    ownerNow: (token) => lookUp(hashCredential(token)),
    owner: (token) =>
      Effect.suspend(() => {
        if (!daemonTokens.isValid(token)) return Effect.succeed(undefined)
        const hash = hashCredential(token)
        const known = cache.find(hash)
        return known === undefined ? lookUp(hash) : Effect.succeed(known.value)
      })
  })
})
