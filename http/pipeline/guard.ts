/**
 * Who may pass, in one order, in this one place: credential, rate limit, recent login, scope, quota. Owns that order
 * and what each refusal is charged to; body, ownership and action come behind it (mount.ts and the routes). Answers at
 * once whenever the credential is cached and a block of quota at hand.
 */
import { Clock, Effect } from "effect"
import { LoginLimits } from "../../actors/limits/login-limits.ts"
import { Quota, type QuotaDecision } from "../../actors/limits/quota.ts"
import { type Decision, RateLimits, type SharedLimits } from "../../actors/limits/rate-limits.ts"
import { Authenticator } from "../../src/auth/authenticator.ts"
import { DashboardSessions } from "../../src/auth/sessions.ts"
import { Config } from "../../src/config.ts"
import { judgeRecency } from "../../src/domain/account/login-age.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import {
  ApiLimitExceeded,
  AuthForbidden,
  AuthInvalid,
  AuthRequired,
  type HubError,
  NotFound,
  RateLimited,
  RecentLoginRequired,
  type TokenReplaced
} from "../../src/errors.ts"
import { bearerCharsMax } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { Access } from "../api/access.ts"
import type { ClientAddress } from "../native/client-address.ts"
import { bearerOf, nobody } from "./bearer.ts"

/** What the guard said, and the windows it asked on the way (for the headers of the answer). */
export interface Verdict {
  readonly failure: HubError | undefined
  readonly principal: Principal
  readonly asked: ReadonlyArray<Decision | QuotaDecision>
  /** The month a counted call was counted in; what ends in 304 or 5xx is given back to it. */
  readonly month: string | undefined
}

const none: ReadonlyArray<Decision> = []
const open: Verdict = { failure: undefined, principal: nobody, asked: none, month: undefined }

const refuse = (failure: HubError, asked: Verdict["asked"], principal = nobody): Verdict => {
  count("hub_refusals_total", failure._tag)
  return { failure, principal, asked, month: undefined }
}

type MaybeSync<A> = A | Effect.Effect<A>

/** Goes on at once where the answer is at hand. */
const onward = <A, B>(answer: MaybeSync<A>, next: (answer: A) => MaybeSync<B>): MaybeSync<B> =>
  Effect.isEffect(answer)
    ? Effect.flatMap(answer, (given) => {
        const more = next(given)
        return Effect.isEffect(more) ? more : Effect.succeed(more)
      })
    : next(answer)

const tooMany = (decision: Decision): RateLimited =>
  new RateLimited({ limit: decision.limit, retryAfter: decision.retryAfter })

/** Whoever asks: an exchange, which reads its client's address only when it is wanted. */
export interface Asker {
  readonly client: ClientAddress
}

/** Builds the guard from the services it asks. */
export const makeGuard = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const sessions = yield* DashboardSessions
  const here = yield* RateLimits
  const limits: { readonly [K in keyof SharedLimits]: (of: string) => MaybeSync<Decision> } = here.over ?? here
  const attempts = yield* LoginLimits
  const quota = yield* Quota
  const clock = yield* Clock.Clock
  const config = yield* Config
  const maxAge = config.recentLoginSeconds

  /** What no good credential carries is charged to the address, which also decides first. */
  const unnamed = (access: Access, asker: Asker, failure: HubError | undefined): MaybeSync<Verdict> => {
    if (access.limited === false) return failure === undefined ? open : refuse(failure, none)
    const address = asker.client.bucket
    return onward(access.signIn === true ? attempts.spent(address) : undefined, (spent): MaybeSync<Verdict> => {
      if (spent !== undefined) return refuse(spent, none)
      return onward(limits.address(address), (decision): MaybeSync<Verdict> => {
        if (!decision.admitted) return refuse(tooMany(decision), [decision])
        return onward(access.signIn === true ? attempts.call(address) : undefined, (over) => {
          const refusal = over ?? failure
          return refusal === undefined ? { ...open, asked: [decision] } : refuse(refusal, [decision])
        })
      })
    })
  }

  const alone = (asked: MaybeSync<Decision>): MaybeSync<ReadonlyArray<Decision>> =>
    onward(asked, (decision) => [decision])

  /**
   * The windows of a good credential. Where two apply both are looked at first, so that a refusal is charged to
   * neither; over several nodes another call may take the address's last place in between, and then the key's stays
   * taken.
   */
  const windows = (access: Access, principal: Principal, asker: Asker): MaybeSync<ReadonlyArray<Decision>> => {
    const { credential } = principal
    if (credential.kind === "session")
      return access.limited === false ? none : alone(limits.address(asker.client.bucket))
    if (config.rateIpScope === "unkeyed" || access.limited === false) return alone(limits.key(credential.keyId))
    const address = asker.client.bucket
    return onward(limits.seenAddress(address), (seen) => {
      if (!seen.admitted) return [seen]
      return onward(limits.key(credential.keyId), (decision): MaybeSync<ReadonlyArray<Decision>> => {
        if (!decision.admitted) return [decision]
        return onward(limits.address(address), (also) => [decision, also])
      })
    })
  }

  const recency = (principal: Principal): RecentLoginRequired | undefined => {
    const { credential } = principal
    if (credential.kind === "key") return new RecentLoginRequired({ maxAge })
    const { recent, authAge } = judgeRecency(credential.authTime, clock.currentTimeMillisUnsafe(), maxAge)
    if (recent) return undefined
    return new RecentLoginRequired(authAge === undefined ? { maxAge } : { maxAge, authAge })
  }

  const permission = (access: Access, principal: Principal): HubError | undefined => {
    if (access.recent === true) {
      const stale = recency(principal)
      if (stale !== undefined) return stale
    }
    if (access.kind === "session" && principal.credential.kind === "key") return new AuthForbidden({})
    if (access.scope !== undefined && !principal.scopes.has(access.scope)) {
      return new AuthForbidden({ requiredScope: access.scope })
    }
    if (access.anyScope !== undefined && !access.anyScope.some((scope) => principal.scopes.has(scope))) {
      return new AuthForbidden({ requiredScope: access.anyScope[0] })
    }
    return undefined
  }

  const counted = (principal: Principal, asked: ReadonlyArray<Decision>, decision: QuotaDecision): Verdict => {
    const all = Number.isFinite(decision.limit) ? [...asked, decision] : asked
    if (decision.admitted) return { failure: undefined, principal, asked: all, month: decision.month }
    const { limit, retryAfter } = decision
    return refuse(new ApiLimitExceeded({ limit, plan: principal.plan, retryAfter }), all, principal)
  }

  const named = (access: Access, principal: Principal, asker: Asker): MaybeSync<Verdict> => {
    const decided = () =>
      onward(windows(access, principal, asker), (asked) => admitted(access, principal, asker, asked))
    if (access.signIn !== true) return decided()
    return onward(attempts.spent(asker.client.bucket), (spent) =>
      spent === undefined ? decided() : refuse(spent, none, principal)
    )
  }

  const admitted = (
    access: Access,
    principal: Principal,
    asker: Asker,
    asked: ReadonlyArray<Decision>
  ): MaybeSync<Verdict> => {
    const full = asked.find((decision) => !decision.admitted)
    if (full !== undefined) return refuse(tooMany(full), asked, principal)
    if (access.signIn !== true) return permitted(access, principal, asked)
    return onward(attempts.call(asker.client.bucket), (spent) =>
      spent === undefined ? permitted(access, principal, asked) : refuse(spent, asked, principal)
    )
  }

  const permitted = (access: Access, principal: Principal, asked: ReadonlyArray<Decision>): MaybeSync<Verdict> => {
    const failure = permission(access, principal)
    if (failure !== undefined) return refuse(failure, asked, principal)
    if (principal.credential.kind === "session" || access.quota === false) {
      return { failure: undefined, principal, asked, month: undefined }
    }
    const now = quota.takeNow(principal.accountId, principal.plan)
    if (now !== undefined) return counted(principal, asked, now)
    return quota.take(principal.accountId, principal.plan).pipe(
      Effect.map((decision) => counted(principal, asked, decision)),
      Effect.catch((failure) => Effect.succeed(refuse(failure, asked, principal)))
    )
  }

  /** A replaced token where only the newest of its session may come ends that session; elsewhere it is only refused. */
  const replayed = (access: Access, failure: TokenReplaced, asker: Asker): Effect.Effect<Verdict> =>
    sessions.replayed(failure).pipe(
      Effect.matchEffect({
        onSuccess: () => {
          const verdict = unnamed(access, asker, failure)
          return Effect.isEffect(verdict) ? verdict : Effect.succeed(verdict)
        },
        onFailure: (fault) => Effect.succeed(refuse(fault, none))
      })
    )

  const unknown = (access: Access, bearer: string, asker: Asker): Effect.Effect<Verdict> => {
    void asker.client // whom a refusal is charged to, even when he has left by then
    return authenticator.authenticate(bearer).pipe(
      Effect.matchEffect({
        onSuccess: (principal) => {
          const verdict = named(access, principal, asker)
          return Effect.isEffect(verdict) ? verdict : Effect.succeed(verdict)
        },
        onFailure: (failure) => {
          if (failure._tag === "StoreFailed") return Effect.succeed(refuse(failure, none))
          if (failure._tag === "TokenReplaced" && access.signIn === true) return replayed(access, failure, asker)
          const told = failure._tag === "TokenExpired" && access.tellsExpired !== true ? new AuthInvalid() : failure
          const verdict = unnamed(access, asker, told)
          return Effect.isEffect(verdict) ? verdict : Effect.succeed(verdict)
        }
      })
    )
  }

  /** Whether a request with this Authorization header ("" for none) from this client may pass. */
  const ask = (access: Access, authorization: string, asker: Asker): MaybeSync<Verdict> => {
    if (access.loopback === true && !asker.client.loopback) return unnamed({ kind: "public" }, asker, new NotFound())
    if (access.kind === "public") return unnamed(access, asker, undefined)
    const bearer = bearerOf(authorization)
    if (bearer === undefined) return unnamed(access, asker, new AuthRequired())
    if (bearer === "" || bearer.length > bearerCharsMax) return unnamed(access, asker, new AuthInvalid())
    const principal = authenticator.cached(bearer)
    return principal === undefined ? unknown(access, bearer, asker) : named(access, principal, asker)
  }

  return { ask, refund: (verdict: Verdict) => quota.refund(verdict.principal.accountId, verdict.month!) }
})

/** The guard. */
export type Guard = Effect.Success<typeof makeGuard>
