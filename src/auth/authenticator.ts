/**
 * Authenticates bearer credentials. Owns the look-up of API keys, access tokens and dashboard tokens, shared by all
 * concurrent callers, and the recording of uses. credential-cache.ts owns the cache. Never decides what a credential
 * may do.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Bus } from "../bus/bus.ts"
import { Config } from "../config.ts"
import { boundTo } from "../domain/account/member.ts"
import { type Principal, programCredentialOf } from "../domain/account/principal.ts"
import { leastRoleWith, scopesOfRole, sessionScopesOf } from "../domain/account/roles.ts"
import { scopes } from "../domain/account/scopes.ts"
import { isId } from "../domain/ids.ts"
import { narrowedTo } from "../domain/oauth/granted-scopes.ts"
import { AuthInvalid, Overloaded, type StoreFailed } from "../errors.ts"
import { bearerCharsMax, keyUsesFlushMillis, keyUsesMax, lookupsMax } from "../limits.ts"
import type { MaybeSync } from "../runtime/maybe-sync.ts"
import { watchInScope } from "../runtime/metrics.ts"
import { flushEvery } from "../runtime/repeat-every.ts"
import { singleFlight } from "../runtime/single-flight.ts"
import { type HolderOwner, Keys } from "../store/accounts/api-keys.ts"
import { Grants } from "../store/oauth/grants.ts"
import { hashCredential, isKey } from "./api-key.ts"
import { makeCredentialCache } from "./credential-cache.ts"
import { isKeyToken, type KeyToken, makeKeyTokens } from "./oauth/key-tokens.ts"
import { accessTokens, isAccessToken } from "./oauth/secrets.ts"
import { DashboardSessions, mayBeToken, type TokenRefusal } from "./sessions.ts"

/** Why a credential is not accepted, or cannot be checked. */
export type AuthFailure = TokenRefusal | Overloaded | StoreFailed

/** The principal of a credential, and when it ends at the latest (epoch milliseconds). */
export interface KnownCredential {
  readonly principal: Principal
  readonly endsAt: number
}

const busySeconds = 1
const invalid = Effect.fail(new AuthInvalid())

/** Who acts by a key of this owner, and what they may do and see at most. Undefined: the owner is gone. */
const grantOf = (owner: HolderOwner) => {
  switch (owner.kind) {
    case "gone":
      return undefined
    case "account":
      return { who: { role: "admin" }, allowed: scopes, bound: null } as const
    case "person": {
      const { personId, role, selector } = owner.member
      return { who: { person: personId, role }, allowed: scopesOfRole[role], bound: selector }
    }
    case "service_account": {
      const { id, scopes: allowed, selector } = owner
      return { who: { serviceAccount: id, role: leastRoleWith(allowed) }, allowed, bound: selector }
    }
  }
}

const fromKeys = Effect.fnUntraced(function* (keys: Keys["Service"], hash: string, now: number) {
  const holder = yield* keys.byHash(hash)
  if (holder === undefined || holder.revokedAt !== null || holder.accountDisabled) return yield* new AuthInvalid()
  const endsAt = holder.expiresAt ?? Number.POSITIVE_INFINITY
  if (endsAt <= now) return yield* new AuthInvalid()
  const granted = grantOf(holder.owner)
  if (granted === undefined) return yield* new AuthInvalid()
  const { who, allowed, bound } = granted
  const selector = boundTo([holder.selector, bound])
  if (selector === "unreadable") return yield* new AuthInvalid()
  const principal: Principal = {
    accountId: holder.accountId,
    ...who,
    plan: holder.plan,
    // A key has only its scopes: the key of an administrator is not an administrator.
    admin: false,
    scopes: new Set(holder.scopes.filter((scope) => allowed.includes(scope))),
    ...(selector !== undefined && { selector }),
    credential: { kind: "key", keyId: holder.id, ...(holder.expiresAt !== null && { expiresAt: holder.expiresAt }) }
  }
  return { principal, endsAt } satisfies KnownCredential
})

const fromGrants = Effect.fnUntraced(function* (grants: Grants["Service"], hash: string, now: number) {
  const holder = yield* grants.byToken(hash)
  if (holder === undefined || holder.accountDisabled || holder.expiresAt <= now) return yield* new AuthInvalid()
  const { grantId, accountId, plan, expiresAt, member } = holder
  const selector = boundTo([holder.selector, member.selector])
  if (selector === "unreadable") return yield* new AuthInvalid()
  const principal: Principal = {
    accountId,
    person: member.personId,
    role: member.role,
    plan,
    admin: false,
    scopes: new Set(narrowedTo(holder.scopes, sessionScopesOf(member.role, false))),
    ...(selector !== undefined && { selector }),
    credential: { kind: "grant", grantId, expiresAt }
  }
  return { principal, endsAt: expiresAt } satisfies KnownCredential
})

/** A token of a key is that key, for fewer scopes and a shorter time. */
const fromKeyToken = Effect.fnUntraced(function* (
  keys: Keys["Service"],
  token: KeyToken | undefined,
  now: number
): Effect.fn.Return<KnownCredential, AuthInvalid | Overloaded | StoreFailed> {
  if (token === undefined || token.expiresAt <= now) return yield* new AuthInvalid()
  const { principal, endsAt } = yield* fromKeys(keys, token.keyHash, now)
  const expiresAt = Math.min(endsAt, token.expiresAt)
  const { credential, ...rest } = principal
  const scopes = new Set(narrowedTo(token.scopes, principal.scopes))
  return { principal: { ...rest, scopes, credential: { ...credential, expiresAt } }, endsAt: expiresAt }
})

/** Collects uses of keys and grants and writes them in batches until the scope closes. */
const noteUses = Effect.fnUntraced(function* (keys: Keys["Service"], grants: Grants["Service"]) {
  const uses = new Map<string, number>()
  const write = Effect.suspend(() => {
    if (uses.size === 0) return Effect.void
    const batch = [...uses].map(([id, at]) => ({ id, at }))
    uses.clear()
    const [ofGrants, ofKeys] = [
      batch.filter(({ id }) => isId("grant", id)),
      batch.filter(({ id }) => !isId("grant", id))
    ]
    return Effect.andThen(
      ofKeys.length === 0 ? Effect.void : keys.touch(ofKeys.map(({ id, at }) => ({ keyId: id, at }))),
      ofGrants.length === 0 ? Effect.void : grants.touch(ofGrants)
    )
  })
  yield* flushEvery(keyUsesFlushMillis, "uses of keys and grants are lost", write)
  return (id: string, at: number): void => {
    if (uses.size < keyUsesMax || uses.has(id)) uses.set(id, at)
  }
})

/** Whether it is this person, or this service account, who acts. */
const isOf = ({ person, serviceAccount }: Principal, member: string): boolean =>
  person === member || serviceAccount === member

/** Drops what is cached of a credential, or of a member, of which a node says that it changed or ended. */
const dropChanged = Effect.fnUntraced(function* (
  bus: Bus["Service"],
  drop: (which: (principal: Principal) => boolean) => void
) {
  yield* bus.subscribe("key_changed", ({ keyId }) => drop((principal) => programCredentialOf(principal) === keyId))
  yield* bus.subscribe("grant_ended", ({ grantId }) => drop((principal) => programCredentialOf(principal) === grantId))
  yield* bus.subscribe("session_ended", ({ sessionId }) =>
    drop(({ credential }) => credential.kind === "session" && credential.sessionId === sessionId)
  )
  yield* bus.subscribe("member_changed", ({ accountId, member }) =>
    drop((principal) => principal.accountId === accountId && isOf(principal, member))
  )
})

const make = Effect.gen(function* () {
  const keys = yield* Keys
  const grants = yield* Grants
  const keyTokens = makeKeyTokens((yield* Config).secretKey)
  const sessions = yield* DashboardSessions
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const cache = makeCredentialCache(yield* noteUses(keys, grants))
  yield* watchInScope("hub_credentials_cached", cache.size)
  const lookUps = singleFlight<Principal, AuthFailure>()

  const drop = (which: (principal: Principal) => boolean): void => {
    cache.invalidate(which)
    lookUps.forget() // who asks from now on asks the store again
  }
  yield* bus.subscribe("account_changed", ({ accountId }) => {
    drop((principal) => principal.accountId === accountId)
    // The account may be enabled again, and an unknown credential has no account to match.
    cache.clearUnknown()
  })
  yield* dropChanged(bus, drop)
  // A service account may be enabled again.
  yield* bus.subscribe("member_changed", cache.clearUnknown)
  yield* bus.gaps(() => {
    cache.clear()
    lookUps.forget()
  })

  const lookUp = Effect.fnUntraced(function* (bearer: string, hash: string) {
    const generation = cache.generation()
    const found = isKey(bearer)
      ? fromKeys(keys, hash, now())
      : accessTokens.isValid(bearer)
        ? fromGrants(grants, hash, now())
        : isKeyToken(bearer)
          ? fromKeyToken(keys, keyTokens.read(bearer), now())
          : sessions.read(bearer)
    const known = yield* Effect.tapError(found, (failure) =>
      Effect.sync(() => {
        if (failure._tag === "AuthInvalid") cache.bad(hash, now(), generation)
      })
    )
    cache.good(hash, known.principal, known.endsAt, now(), generation)
    return known.principal
  })

  /** One look-up for all concurrent callers of a credential. */
  const sharedLookUp = (bearer: string, hash: string): Effect.Effect<Principal, AuthFailure> =>
    Effect.suspend(() =>
      lookUps.has(hash) || lookUps.size() < lookupsMax
        ? lookUps.ask(hash, lookUp(bearer, hash))
        : Effect.fail(new Overloaded({ retryAfter: busySeconds }))
    )

  return Authenticator.of({
    stands: cache.isCurrent,
    authenticate: (bearer) => {
      if (bearer.length > bearerCharsMax) return invalid
      const hash = hashCredential(bearer)
      const principal = cache.find(hash, now())
      if (principal !== undefined) {
        // No caller waits for this look-up: a failure shows in the first look-up after the entry has expired.
        if (cache.shouldRenew(hash, now())) fork(Effect.ignore(sharedLookUp(bearer, hash)))
        return principal
      }
      const isShaped = isKey(bearer) || isAccessToken(bearer) || mayBeToken(bearer)
      return isShaped && !cache.isUnknown(hash, now()) ? sharedLookUp(bearer, hash) : invalid
    }
  })
})

export class Authenticator extends Context.Service<
  Authenticator,
  {
    /**
     * The principal of a credential: at once while it is cached. An unknown credential costs at most one look-up, which
     * all concurrent callers share.
     */
    readonly authenticate: (bearer: string) => MaybeSync<Principal, AuthFailure>
    /**
     * Whether the cache still holds this answer, renewed or not. For long requests: a change may have come before they
     * could be ended. Also false when the entry was only evicted; the caller then authenticates again.
     */
    readonly stands: (principal: Principal) => boolean
  }
>()("hub/Authenticator") {
  static readonly layer = Layer.effect(Authenticator, make)
}
