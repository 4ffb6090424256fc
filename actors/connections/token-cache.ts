/**
 * Which daemon a token belongs to. Owns a small cache of what the store said, by hash, short-lived and void from the
 * moment the bus tells of a revocation or a change; never sees a socket. The store looks many up in one statement.
 */
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { hashCredential } from "../../src/auth/api-key.ts"
import { isDaemonToken } from "../../src/auth/daemon-token.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { changesKeptMax, tokenCacheMillis, tokensCachedMax, unknownTokenMillis } from "../../src/limits.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Daemons, type TokenOwner } from "../../src/store/daemons/daemons.ts"

/** Admission. */
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
  static readonly layer = Layer.effect(
    TokenCache,
    Effect.suspend(() => make)
  )
}

interface Known {
  readonly owner: TokenOwner | undefined
  readonly until: number
  /** What had changed when the look-up began; a later change voids the answer. */
  readonly asOf: number
}

const make = Effect.gen(function* () {
  const daemons = yield* Daemons
  const timers = yield* Timers
  const bus = yield* Bus
  const cache = new LRUCache<string, Known>({ max: tokensCachedMax })
  /** Daemons and accounts that changed, with the number of the change. */
  const changes = new LRUCache<string, number>({ max: changesKeptMax })
  let changed = 0
  /** The last change of which nobody knows what it was. */
  let lostAt = 0

  const isCurrent = ({ owner, until, asOf }: Known): boolean =>
    until > timers.steady() &&
    lostAt <= asOf &&
    (owner === undefined || Math.max(changes.get(owner.daemonId) ?? 0, changes.get(owner.accountId) ?? 0) <= asOf)

  /** Again when a change overtook the look-up: a token must not be used after its revocation was told. */
  const lookUp = (hash: string): Effect.Effect<TokenOwner | undefined, Overloaded | StoreFailed> =>
    Effect.suspend(() => {
      const asOf = changed
      return Effect.flatMap(daemons.tokenOwner(hash), (owner) => {
        const life = owner === undefined ? unknownTokenMillis : tokenCacheMillis
        const known: Known = { owner, asOf, until: timers.steady() + life }
        if (!isCurrent(known)) return lookUp(hash)
        cache.set(hash, known)
        return Effect.succeed(owner)
      })
    })

  const forget = (id: string): void => {
    changed++
    changes.set(id, changed)
  }
  yield* bus.subscribe("token_revoked", ({ daemonId }) => forget(daemonId))
  yield* bus.subscribe("daemon_ordered", ({ daemonId, order }) => {
    if (order === "revoke") forget(daemonId)
  })
  yield* bus.subscribe("account_changed", ({ accountId }) => forget(accountId))
  yield* bus.gaps(() => {
    changed++
    lostAt = changed
    cache.clear()
  })

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
        if (!isDaemonToken(token)) return Effect.succeed(undefined)
        const hash = hashCredential(token)
        const known = cache.get(hash)
        return known !== undefined && isCurrent(known) ? Effect.succeed(known.owner) : lookUp(hash)
      })
  })
})
