/**
 * From a bearer credential to who it is. Owns the look-up of API keys and dashboard tokens, shared by all who ask
 * meanwhile, and the writing of keys' uses; what is remembered of credentials is credential-cache.ts's. Never decides
 * what a credential may do.
 */
import { Clock, Context, Deferred, Effect, type Exit, Layer } from "effect"
import { Bus } from "../bus/bus.ts"
import type { Principal } from "../domain/account/principal.ts"
import { AuthInvalid, Overloaded, type StoreFailed } from "../errors.ts"
import { bearerCharsMax, keyUsesFlushMillis, keyUsesMax, lookupsMax } from "../limits.ts"
import { watch } from "../runtime/metrics.ts"
import { Keys } from "../store/accounts/api-keys.ts"
import { hashCredential, isKey } from "./api-key.ts"
import { makeRemembered } from "./credential-cache.ts"
import { DashboardSessions, mayBeToken, type Unbelieved } from "./sessions.ts"

type Refusal = Unbelieved | Overloaded | StoreFailed

/** Who a credential is, and when that ends at the latest (epoch milliseconds). */
export interface Known {
  readonly principal: Principal
  readonly endsAt: number
}

const busySeconds = 1

const fromKeys = Effect.fnUntraced(function* (keys: Keys["Service"], hash: string, now: number) {
  const holder = yield* keys.byHash(hash)
  if (holder === undefined || holder.revokedAt !== null || holder.accountDisabled) return yield* new AuthInvalid()
  const endsAt = holder.expiresAt ?? Number.POSITIVE_INFINITY
  if (endsAt <= now) return yield* new AuthInvalid()
  const principal: Principal = {
    accountId: holder.accountId,
    plan: holder.plan,
    // A key may what its scopes say, whoever made it: an administrator's key is not an administrator.
    admin: false,
    scopes: new Set(holder.scopes),
    credential: { kind: "key", keyId: holder.id, ...(holder.expiresAt !== null && { expiresAt: holder.expiresAt }) }
  }
  return { principal, endsAt } satisfies Known
})

/** Notes uses of keys and writes them in batches until the scope closes. */
const noteUses = Effect.fnUntraced(function* (keys: Keys["Service"]) {
  const uses = new Map<string, number>()
  const write = Effect.suspend(() => {
    if (uses.size === 0) return Effect.void
    const batch = [...uses].map(([keyId, at]) => ({ keyId, at }))
    uses.clear()
    return Effect.catch(keys.touch(batch), (failure) => Effect.logWarning("uses of keys are lost", failure.cause))
  })
  yield* Effect.addFinalizer(() => write)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(keyUsesFlushMillis), write)))
  return (keyId: string, at: number): void => {
    if (uses.size < keyUsesMax || uses.has(keyId)) uses.set(keyId, at)
  }
})

const make = Effect.gen(function* () {
  const keys = yield* Keys
  const sessions = yield* DashboardSessions
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const remembered = makeRemembered(yield* noteUses(keys))
  yield* Effect.acquireRelease(
    Effect.sync(() => watch("hub_credentials_cached", remembered.size)),
    (forget) => Effect.sync(forget)
  )
  const underWay = new Map<string, Deferred.Deferred<Principal, Refusal>>()

  const drop = (which: (principal: Principal) => boolean): void => {
    remembered.drop(which)
    underWay.clear() // who asks from now on asks the store again
  }
  yield* bus.subscribe("key_changed", ({ keyId }) =>
    drop(({ credential }) => credential.kind === "key" && credential.keyId === keyId)
  )
  yield* bus.subscribe("account_changed", ({ accountId }) => {
    drop((principal) => principal.accountId === accountId)
    // it may be enabled again, and of what is unknown nobody can say whose it is
    remembered.forgetUnknown()
  })
  yield* bus.subscribe("session_ended", ({ sessionId }) =>
    drop(({ credential }) => credential.kind === "session" && credential.sessionId === sessionId)
  )

  yield* bus.gaps(() => {
    remembered.forget()
    underWay.clear()
  })

  const lookUp = Effect.fnUntraced(function* (bearer: string, hash: string) {
    const generation = remembered.generation()
    const found = isKey(bearer) ? fromKeys(keys, hash, now()) : sessions.read(bearer)
    const known = yield* Effect.tapError(found, (failure) =>
      Effect.sync(() => {
        if (failure._tag === "AuthInvalid") remembered.bad(hash, now(), generation)
      })
    )
    remembered.good(hash, known.principal, known.endsAt, now(), generation)
    return known.principal
  })

  /** One look-up for all who ask meanwhile, in a fiber of its own: whoever hangs up takes it from nobody. */
  const shared = (bearer: string, hash: string): Effect.Effect<Principal, Refusal> =>
    Effect.suspend((): Effect.Effect<Principal, Refusal> => {
      const known = underWay.get(hash)
      if (known !== undefined) return Deferred.await(known)
      if (underWay.size >= lookupsMax) return Effect.fail(new Overloaded({ retryAfter: busySeconds }))
      const answer = Deferred.makeUnsafe<Principal, Refusal>()
      underWay.set(hash, answer)
      const tell = (exit: Exit.Exit<Principal, Refusal>) =>
        Effect.suspend(() => {
          if (underWay.get(hash) === answer) underWay.delete(hash)
          return Deferred.done(answer, exit)
        })
      const asked = Effect.flatMap(Effect.exit(lookUp(bearer, hash)), tell)
      return Effect.andThen(Effect.forkDetach(asked, { startImmediately: true }), Deferred.await(answer))
    })

  return Authenticator.of({
    cached: (bearer) => {
      if (bearer.length > bearerCharsMax) return undefined
      const hash = hashCredential(bearer)
      const principal = remembered.find(hash, now())
      // a failure of this look-up is nobody's: whoever asks once it is forgotten meets it
      if (principal !== undefined && remembered.isDue(hash, now())) fork(Effect.ignore(shared(bearer, hash)))
      return principal
    },
    stands: remembered.stands,
    authenticate: (bearer) =>
      Effect.suspend((): Effect.Effect<Principal, Refusal> => {
        if (bearer.length > bearerCharsMax || !(isKey(bearer) || mayBeToken(bearer))) {
          return Effect.fail(new AuthInvalid())
        }
        const hash = hashCredential(bearer)
        const principal = remembered.find(hash, now())
        if (principal !== undefined) return Effect.succeed(principal)
        if (remembered.unknown(hash, now())) return Effect.fail(new AuthInvalid())
        return shared(bearer, hash)
      })
  })
})

/** The look-up of credentials. */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** Who this credential is. A credential never seen costs at most one look-up, shared by all who ask meanwhile. */
    readonly authenticate: (bearer: string) => Effect.Effect<Principal, Unbelieved | Overloaded | StoreFailed>
    /** The same without a look-up: undefined unless a live entry is cached. For the hot path. */
    readonly cached: (bearer: string) => Principal | undefined
    /**
     * Whether nothing has changed since this answer was given. For what goes on for long: a change that came before it
     * was there to be ended. False also where the answer was only forgotten; whoever asks again is then judged anew.
     */
    readonly stands: (principal: Principal) => boolean
  }
>()("hub/Authenticator") {
  static readonly layer = Layer.effect(Authenticator, make)
}
