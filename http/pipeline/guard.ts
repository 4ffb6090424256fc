/**
 * Decides whether a request is admitted: credential, rate limit, recent login, role, scope, quota. Owns that order and
 * what each refusal is charged to. Body, ownership and action follow in pipeline.ts and the routes. The guard decides
 * in the caller's tick when the credential is cached and the node holds a block of quota.
 */
import { Clock, Effect } from "effect"
import { LoginLimits } from "../../actors/limits/login-limits.ts"
import { Quota } from "../../actors/limits/quota.ts"
import { type Decision, RateLimits } from "../../actors/limits/rate-limits.ts"
import { hashCredential } from "../../src/auth/api-key.ts"
import { Authenticator, type AuthFailure } from "../../src/auth/authenticator.ts"
import { joinKeyTokens } from "../../src/auth/checksummed-token.ts"
import { isAccessToken } from "../../src/auth/oauth/secrets.ts"
import { sameSecret } from "../../src/auth/same-secret.ts"
import { DashboardSessions } from "../../src/auth/sessions.ts"
import { Config } from "../../src/config.ts"
import { judgeRecency } from "../../src/domain/account/login-age.ts"
import { type Principal, programCredentialOf } from "../../src/domain/account/principal.ts"
import { isAtLeast } from "../../src/domain/account/roles.ts"
import {
  AuthForbidden,
  AuthInvalid,
  AuthRequired,
  type HubError,
  NotFound,
  RecentLoginRequired,
  RoleTooLow,
  type StoreFailed,
  type TokenReplaced
} from "../../src/errors.ts"
import { bearerCharsMax } from "../../src/limits.ts"
import { flatMap, type MaybeSync, match } from "../../src/runtime/maybe-sync.ts"
import { JoinKeys } from "../../src/store/daemons/join-keys.ts"
import type { Access } from "../api/access.ts"
import { bearerOf, noBearer, noJoinKey, wrongKindOf } from "./bearer.ts"
import { noSuchPath } from "./missing-resource.ts"
import type { ClientAddress } from "./request-parts.ts"
import {
  fullOf,
  listOf,
  noDecisions,
  publicVerdict,
  refuse,
  strangersVerdict,
  tooMany,
  type Verdict,
  verdictOf
} from "./verdict.ts"

/** The caller. An exchange reads its client's address only on first use. */
export interface Caller {
  readonly client: ClientAddress
  /** It is a call that an agent's message leads to, and may be made with an access token. */
  readonly ofAgent?: boolean
}

const sessionsOnly = "Only the dashboard session of a person may do that, no key and no agent's token."

const scopeFailure = (access: Access, principal: Principal): HubError | undefined => {
  const isProgram = programCredentialOf(principal) !== undefined
  if (access.kind === "session" && isProgram) return new AuthForbidden({ because: sessionsOnly })
  const { role } = access
  const isTooLow = role !== undefined && role !== "viewer" && !isAtLeast(principal.role, role)
  // a program is told which scope it lacks
  if (isTooLow && !isProgram) return new RoleTooLow({ requiredRole: role })
  if (access.scope !== undefined && !principal.scopes.has(access.scope)) {
    return new AuthForbidden({ requiredScope: access.scope })
  }
  if (access.anyScope !== undefined && !access.anyScope.some((scope) => principal.scopes.has(scope))) {
    return new AuthForbidden({ requiredScope: access.anyScope[0] })
  }
  if (access.admin === true && !principal.admin) return new AuthForbidden({})
  return isTooLow ? new RoleTooLow({ requiredRole: role }) : undefined
}

/** The services that the guard asks. */
const guardServices = Effect.all({
  authenticator: Authenticator,
  sessions: DashboardSessions,
  limits: RateLimits,
  joinKeys: JoinKeys,
  loginLimits: LoginLimits,
  quota: Quota,
  clock: Clock.Clock,
  config: Config
})
type GuardServices = Effect.Success<typeof guardServices>

export class Guard {
  private readonly services: GuardServices

  constructor(services: GuardServices) {
    this.services = services
  }

  /** Judges a request with this Authorization header ("" without one) from this caller. */
  judge(access: Access, authorization: string, caller: Caller): MaybeSync<Verdict> {
    if (access.loopback === true && !caller.client.loopback && !this.isOperator(authorization))
      return this.judgeAnonymous({ kind: "public", onHangUp: "cancel" }, caller, new NotFound({ what: noSuchPath }))
    if (access.kind === "public") return this.judgeAnonymous(access, caller, undefined)
    const bearer = bearerOf(authorization)
    if (bearer === undefined) return this.judgeAnonymous(access, caller, new AuthRequired())
    if (bearer === "") return this.judgeAnonymous(access, caller, new AuthInvalid({ because: noBearer }))
    if (bearer.length > bearerCharsMax) return this.judgeAnonymous(access, caller, new AuthInvalid())
    if (access.kind === "joinKey") {
      if (joinKeyTokens.isValid(bearer)) return this.judgeJoining(access, bearer, caller)
      return this.judgeAnonymous(access, caller, new AuthInvalid({ because: noJoinKey }))
    }
    if (isAccessToken(bearer) && access.agents !== true && caller.ofAgent !== true)
      return this.judgeAnonymous(access, caller, new AuthInvalid({ because: wrongKindOf(bearer) }))
    const found = this.services.authenticator.authenticate(bearer)
    if (!Effect.isEffect(found)) return this.judgePrincipal(access, found, caller)
    // read now: a refusal is charged to this address, also when the caller has disconnected by then
    void caller.client
    return match(
      found,
      (principal) => this.judgePrincipal(access, principal, caller),
      (failure) => this.judgeRefused(access, failure, caller, bearer)
    )
  }

  /** Whether the token is the operator's. */
  private isOperator(authorization: string): boolean {
    const wanted = this.services.config.metricsToken
    return wanted !== undefined && sameSecret(bearerOf(authorization) ?? "", wanted)
  }

  refund(verdict: Verdict): void {
    this.services.quota.refund(verdict.principal.accountId, verdict.month!)
  }

  /** Judges a request without a valid credential: the address's window decides first and is charged. */
  private judgeAnonymous(access: Access, caller: Caller, failure: HubError | undefined): MaybeSync<Verdict> {
    if (access.limited === false) return failure === undefined ? publicVerdict : refuse(failure, noDecisions)
    const { limits, loginLimits } = this.services
    const address = caller.client.bucket
    if (access.signIn !== true) {
      const decision = limits.address(address)
      if (!Effect.isEffect(decision)) return strangersVerdict(decision, failure)
      return Effect.map(decision, (one) => strangersVerdict(one, failure))
    }
    return flatMap(loginLimits.spent(address), (spent): MaybeSync<Verdict> => {
      if (spent !== undefined) return refuse(spent.refusal, noDecisions)
      return flatMap(limits.address(address), (decision): MaybeSync<Verdict> => {
        if (!decision.admitted) return refuse(tooMany(decision), [decision])
        return flatMap(loginLimits.call(address), (over) => strangersVerdict(decision, over?.refusal ?? failure))
      })
    })
  }

  /**
   * A join key that takes machines has a window of its own, so that many machines behind one address can join. Any
   * other is charged to its address; what it is good for, the action finds.
   */
  private judgeJoining(access: Access, bearer: string, caller: Caller): MaybeSync<Verdict> {
    void caller.client
    const { joinKeys, limits } = this.services
    const keyHash = hashCredential(bearer)
    return match(
      joinKeys.takesMachines(keyHash),
      (takes): MaybeSync<Verdict> => {
        if (!takes) return this.judgeAnonymous(access, caller, undefined)
        return flatMap(
          this.takeKeyed(access, () => limits.join(keyHash), caller),
          (decisions) => {
            const full = fullOf(decisions)
            return full === undefined ? { ...publicVerdict, decisions } : refuse(tooMany(full), decisions)
          }
        )
      },
      (failure) => this.judgeRefused(access, failure, caller, bearer)
    )
  }

  private judgePrincipal(access: Access, principal: Principal, caller: Caller): MaybeSync<Verdict> {
    if (access.charged === false) return { failure: undefined, principal, decisions: noDecisions, month: undefined }
    if (access.signIn !== true) return this.judgeWindows(access, principal, caller)
    return flatMap(this.services.loginLimits.spent(caller.client.bucket), (spent) =>
      spent === undefined ? this.judgeWindows(access, principal, caller) : refuse(spent.refusal, noDecisions, principal)
    )
  }

  private judgeWindows(access: Access, principal: Principal, caller: Caller): MaybeSync<Verdict> {
    const taken = this.takeWindows(access, principal, caller)
    if (!Effect.isEffect(taken)) return this.applyWindows(access, principal, caller, taken)
    return flatMap(taken, (decisions) => this.applyWindows(access, principal, caller, decisions))
  }

  private judgeRefused(access: Access, failure: AuthFailure, caller: Caller, bearer: string): MaybeSync<Verdict> {
    if (failure._tag === "StoreFailed") return refuse(failure, noDecisions)
    if (failure._tag === "TokenReplaced" && access.signIn === true) {
      return this.endReplayedSession(access, failure, caller)
    }
    const isHidden = failure._tag === "TokenExpired" && access.tellsExpired !== true
    const because = wrongKindOf(bearer, access.agents)
    const isPlain = failure._tag === "AuthInvalid" && because !== undefined
    return this.judgeAnonymous(access, caller, isHidden || isPlain ? new AuthInvalid({ because }) : failure)
  }

  /**
   * A replaced token on an endpoint that accepts only the session's newest one ends the session; elsewhere it is
   * refused.
   */
  private endReplayedSession(access: Access, failure: TokenReplaced, caller: Caller): MaybeSync<Verdict> {
    return match<void, StoreFailed, Verdict>(
      this.services.sessions.replayed(failure),
      () => this.judgeAnonymous(access, caller, failure),
      (fault) => refuse(fault, noDecisions)
    )
  }

  /** Takes from the windows of a valid credential. */
  private takeWindows(access: Access, principal: Principal, caller: Caller): MaybeSync<ReadonlyArray<Decision>> {
    const { limits, config } = this.services
    const program = programCredentialOf(principal)
    if (program === undefined) return access.limited === false ? noDecisions : this.takeSession(principal, caller)
    if (config.rateIpScope === "unkeyed" || access.limited === false) return flatMap(limits.key(program), listOf)
    return this.takeKeyed(access, () => limits.key(program), caller)
  }

  /** Takes from the windows of an address and of a person's sessions, of which only a full one is shown. */
  private takeSession({ accountId, person = "" }: Principal, caller: Caller): MaybeSync<ReadonlyArray<Decision>> {
    const { limits } = this.services
    return flatMap(limits.address(caller.client.bucket), (address): MaybeSync<ReadonlyArray<Decision>> => {
      if (!address.admitted) return [address]
      return flatMap(limits.session(`${accountId} ${person}`), (own) => (own.admitted ? [address] : [address, own]))
    })
  }

  /**
   * Takes from the window of a key. Where the address's applies too, it is read first, so that a refusal charges
   * neither. On several nodes another call may take the address's last slot in between; the key's window then stays
   * charged.
   */
  private takeKeyed(
    access: Access,
    take: () => MaybeSync<Decision>,
    caller: Caller
  ): MaybeSync<ReadonlyArray<Decision>> {
    const { limits, config } = this.services
    if (config.rateIpScope === "unkeyed" || access.limited === false) return flatMap(take(), listOf)
    const address = caller.client.bucket
    return flatMap(limits.seenAddress(address), (seen) => {
      if (!seen.admitted) return [seen]
      return flatMap(take(), (decision): MaybeSync<ReadonlyArray<Decision>> => {
        if (!decision.admitted) return [decision]
        return flatMap(limits.address(address), (also) => [decision, also])
      })
    })
  }

  private applyWindows(
    access: Access,
    principal: Principal,
    caller: Caller,
    decisions: ReadonlyArray<Decision>
  ): MaybeSync<Verdict> {
    const full = fullOf(decisions)
    if (full !== undefined) return refuse(tooMany(full), decisions, principal)
    if (access.signIn !== true) return this.takeQuota(access, principal, decisions)
    return flatMap(this.services.loginLimits.call(caller.client.bucket), (spent) =>
      spent === undefined ? this.takeQuota(access, principal, decisions) : refuse(spent.refusal, decisions, principal)
    )
  }

  private takeQuota(access: Access, principal: Principal, decisions: ReadonlyArray<Decision>): MaybeSync<Verdict> {
    const stale = access.recent === true ? this.recentLoginFailure(principal) : undefined
    const failure = stale ?? scopeFailure(access, principal)
    if (failure !== undefined) return refuse(failure, decisions, principal)
    if (principal.credential.kind === "session" || access.quota === false) {
      return { failure: undefined, principal, decisions, month: undefined }
    }
    const quota = this.services.quota.take(principal.accountId, principal.plan)
    if (!Effect.isEffect(quota)) return verdictOf(principal, decisions, quota)
    return match(
      quota,
      (decision) => verdictOf(principal, decisions, decision),
      (fault) => refuse(fault, decisions, principal)
    )
  }

  private recentLoginFailure({ credential }: Principal): RecentLoginRequired | undefined {
    const maxAge = this.services.config.recentLoginSeconds
    if (credential.kind !== "session") return new RecentLoginRequired({ maxAge })
    const now = this.services.clock.currentTimeMillisUnsafe()
    const { recent, authAge } = judgeRecency(credential.authTime, now, maxAge)
    if (recent) return undefined
    return new RecentLoginRequired(authAge === undefined ? { maxAge } : { maxAge, authAge })
  }
}

/** Builds the guard from the services it asks. */
export const makeGuard = Effect.map(guardServices, (services) => new Guard(services))
