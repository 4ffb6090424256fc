/**
 * Every typed failure of the hub. Owns what went wrong and the facts a caller may be told; knows no HTTP (the table of
 * http/api/problems.ts says how each is answered, and does not compile until a new one has a row there).
 */
import { Data } from "effect"
import type { Plan } from "./domain/account/plans.ts"
import type { Role } from "./domain/account/roles.ts"
import type { Scope } from "./domain/account/scopes.ts"
import type { Answerer } from "./domain/approval/answered.ts"

/** One place of an input that does not fit, as `{path: "events.0", message}`. */
export interface Issue {
  readonly path: string
  readonly message: string
}

const tags: Array<string> = []
/** The names of all failures that may reach the edge. */
export const failureTags: ReadonlyArray<string> = tags

/** Told apart from what never reaches the edge. */
interface OfEdge {
  readonly reachesEdge: true
}

/**
 * A failure that may reach the edge. It has no stack: it is an answer to a caller, and looking up where it was made
 * costs more than the rest of a refused request, and the number of those is up to the caller.
 */
const Failure = <Tag extends string>(tag: Tag): ReturnType<typeof Data.TaggedError<Tag>> & OfEdge => {
  tags.push(tag)
  return class extends (Data.TaggedError(tag) as new (facts: object) => object) {
    constructor(facts: object) {
      const before = Error.stackTraceLimit
      Error.stackTraceLimit = 0
      super(facts)
      Error.stackTraceLimit = before
    }
  } as never
}

/** No credential was given. */
export class AuthRequired extends Failure("AuthRequired")<{}> {}
/** The credential is malformed, unknown, expired or revoked. `because`: what its form alone shows to be wrong. */
export class AuthInvalid extends Failure("AuthInvalid")<{ readonly because?: string | undefined }> {
  constructor(facts: { readonly because?: string | undefined } = {}) {
    super(facts)
  }
}
/** The dashboard session has expired (told apart from AuthInvalid on the TURN route only). */
export class TokenExpired extends Failure("TokenExpired")<{}> {}
/** The token was refreshed longer ago than its grace: a newer one of its session is in use. */
export class TokenReplaced extends Failure("TokenReplaced")<{
  readonly accountId: string
  readonly sessionId: string
}> {}
/**
 * A token of another issuer names its person by an address that no account may have; `because` goes on from "The
 * address …".
 */
export class AddressRefused extends Failure("AddressRefused")<{ readonly because: string }> {}
/** The credential is good but may not do this; `because` is a sentence. */
export class AuthForbidden extends Failure("AuthForbidden")<{
  readonly requiredScope?: Scope
  readonly because?: string
}> {}
/** Who calls is a member of the account with a lower role than this takes. */
export class RoleTooLow extends Failure("RoleTooLow")<{ readonly requiredRole: Role }> {}
/** The route asks for a login within the last `maxAge` seconds; `authAge` is how old this one is, when known. */
export class RecentLoginRequired extends Failure("RecentLoginRequired")<{
  readonly maxAge: number
  readonly authAge?: number
}> {}
/** The person of a device has not decided yet; worth another poll after `retryAfter` seconds. */
export class AuthorizationPending extends Failure("AuthorizationPending")<{ readonly retryAfter: number }> {}
/** A device polls sooner than it was told. */
export class SlowDown extends Failure("SlowDown")<{ readonly retryAfter: number }> {}
/** The code of a device is unknown, used or too old. */
export class ExpiredToken extends Failure("ExpiredToken")<{}> {}
/** The person of a device refused it. */
export class AccessDenied extends Failure("AccessDenied")<{}> {}
/** The input does not fit the contract. */
export class ValidationFailed extends Failure("ValidationFailed")<{ readonly issues: ReadonlyArray<Issue> }> {}
/** One place of an input does not fit. */
export const invalid = (path: string, message: string): ValidationFailed =>
  new ValidationFailed({ issues: [{ path, message }] })
/** Unknown, malformed, or another account's: never says which. `what`: as its caller named it, with where it is not. */
export class NotFound extends Failure("NotFound")<{ readonly what?: string }> {
  constructor(facts: { readonly what?: string } = {}) {
    super(facts)
  }
}
/** A per-minute window is full; a call after `retryAfter` seconds will be admitted. */
export class RateLimited extends Failure("RateLimited")<{ readonly limit: number; readonly retryAfter: number }> {}
/** The monthly quota of the account's plan is used up; `retryAfter` seconds to the first of next month UTC. */
export class ApiLimitExceeded extends Failure("ApiLimitExceeded")<{
  readonly limit: number
  readonly plan: Plan
  readonly retryAfter: number
}> {}
/** Known and ours, but no live connection and no grace. */
export class DaemonOffline extends Failure("DaemonOffline")<{}> {}
/** Connected, or lost less than the grace ago: what is asked for needs one that is not. */
export class DaemonOnline extends Failure("DaemonOnline")<{}> {}
/** Recorded as connected but its socket is gone; `commandId` when a command had been accepted. */
export class DaemonSocketLost extends Failure("DaemonSocketLost")<{ readonly commandId?: string }> {}
/** The daemon is connected and has not named this feature. */
export class DaemonLacksFeature extends Failure("DaemonLacksFeature")<{ readonly feature: string }> {}
/** The frame was written and no result came within the deadline. */
export class CommandTimeout extends Failure("CommandTimeout")<{
  readonly commandId: string
  /** A late result will be kept, and can be read under the id. */
  readonly kept?: boolean
}> {}
/** The plan keeps no further command that outlives its call; the oldest goes after `retryAfter` seconds. */
export class CommandLimitReached extends Failure("CommandLimitReached")<{
  readonly limit: number
  readonly plan: Plan
  readonly retryAfter: number
}> {}
/** The account has as many jobs, or targets of jobs, as it may; `of` says which. */
export class JobLimitReached extends Failure("JobLimitReached")<{
  readonly limit: number
  readonly of: "under way" | "kept" | "targets"
  readonly retryAfter: number
}> {}
/** The command runs, and its daemon does not know how to end it. */
export class CommandNotCancellable extends Failure("CommandNotCancellable")<{}> {}
/** A named bound of the hub is reached; worth another try after `retryAfter` seconds. */
export class Overloaded extends Failure("Overloaded")<{
  readonly retryAfter: number
  /** The same to the millisecond, where each of a crowd is told a time of its own. */
  readonly retryAfterMillis?: number
}> {}
/** The plan's maximum of webhooks is reached. */
export class WebhookLimitReached extends Failure("WebhookLimitReached")<{
  readonly limit: number
  readonly plan: Plan
}> {}
/** The account has as many daemons as its plan allows; revoked ones do not count. */
export class DaemonLimitReached extends Failure("DaemonLimitReached")<{
  readonly limit: number
  readonly plan: Plan
}> {}
/** The account has as many API keys as its plan allows; revoked and expired ones do not count. */
export class ApiKeyLimitReached extends Failure("ApiKeyLimitReached")<{
  readonly limit: number
  readonly plan: Plan
}> {}
/** The account has as many members and waiting invitations as its plan allows. */
export class PeopleLimitReached extends Failure("PeopleLimitReached")<{
  readonly limit: number
  readonly plan: Plan
}> {}
/** The account has as many service accounts as its plan allows. */
export class ServiceAccountLimitReached extends Failure("ServiceAccountLimitReached")<{
  readonly limit: number
  readonly plan: Plan
}> {}
/** The service account has as many keys that live as one may. */
export class ServiceKeyLimitReached extends Failure("ServiceKeyLimitReached")<{ readonly limit: number }> {}
/** The account has as many invitations that wait as any may. */
export class InvitationLimitReached extends Failure("InvitationLimitReached")<{ readonly limit: number }> {}
/** The account would be left without an owner. */
export class LastOwner extends Failure("LastOwner")<{}> {}
/** The person is a member of the account already. */
export class AlreadyMember extends Failure("AlreadyMember")<{}> {}
/** The account has as many join keys as any may have. */
export class JoinKeyLimitReached extends Failure("JoinKeyLimitReached")<{ readonly limit: number }> {}
/** The account may have no further connected app. */
export class ConnectedAppLimitReached extends Failure("ConnectedAppLimitReached")<{ readonly limit: number }> {}
/**
 * A program's request to be let in is refused. `because`: a sentence for the person. `location`: where the program
 * would be told, if the person wants; absent where the address is not known to be the program's.
 */
export class AuthorizationRefused extends Failure("AuthorizationRefused")<{
  readonly because: string
  readonly location?: string
}> {}
/** This package version is spent with other bytes. */
export class VersionExists extends Failure("VersionExists")<{}> {}
/** This package version was yanked. */
export class VersionYanked extends Failure("VersionYanked")<{}> {}
/** Several sessions match a target that is to be written to. */
export class AmbiguousTarget extends Failure("AmbiguousTarget")<{ readonly candidates: ReadonlyArray<string> }> {}
/** Another prompt than the one that is answered waits by now; nothing was resolved. */
export class PromptChanged extends Failure("PromptChanged")<{}> {}
/** The path exists under other methods. */
export class MethodNotAllowed extends Failure("MethodNotAllowed")<{ readonly allow: string }> {}
/** A body, text or frame is over its bound of `limit` bytes. */
export class PayloadTooLarge extends Failure("PayloadTooLarge")<{ readonly limit: number }> {}
/** A body came whose length was not said. */
export class LengthRequired extends Failure("LengthRequired")<{}> {}
/** A target is longer than any call's is. */
export class UriTooLong extends Failure("UriTooLong")<{}> {}
/** A body says that it is something else than JSON, or that it is encoded. */
export class UnsupportedMediaType extends Failure("UnsupportedMediaType")<{}> {}
/** The byte range asked for lies outside `size`. */
export class RangeNotSatisfiable extends Failure("RangeNotSatisfiable")<{ readonly size: number }> {}
/** The daemon's token was revoked. */
export class TokenRevoked extends Failure("TokenRevoked")<{}> {}
/** The daemon's token is good and its account disabled: worth another try after so long. */
export class AccountDisabled extends Failure("AccountDisabled")<{
  /** In seconds. */
  readonly retryAfter: number
  readonly retryAfterMillis: number
}> {}
/** A browser on a page of another origin asks for what only listed origins may. */
export class OriginForbidden extends Failure("OriginForbidden")<{}> {}
/** The route only speaks WebSocket. */
export class UpgradeRequired extends Failure("UpgradeRequired")<{}> {}
/** A call with this idempotency key is still running; worth another try after `retryAfter` seconds. */
export class IdempotencyConflict extends Failure("IdempotencyConflict")<{ readonly retryAfter: number }> {}
/** This idempotency key was used with another body. */
export class IdempotencyMismatch extends Failure("IdempotencyMismatch")<{}> {}
/**
 * The account keeps as many outcomes as its plan allows: no further call with an idempotency key is run; the oldest
 * goes after `retryAfter` seconds.
 */
export class IdempotencyLimitReached extends Failure("IdempotencyLimitReached")<{
  readonly limit: number
  readonly plan: Plan
  readonly retryAfter: number
}> {}
/**
 * A call with this idempotency key was run and ended with `status`; its answer was not kept, as the account had too
 * much kept.
 */
export class OutcomeNotKept extends Failure("OutcomeNotKept")<{ readonly status: number }> {}
/** The node that ran a call with an idempotency key ended in mid-work: what came of it is not known. */
export class OutcomeUnknown extends Failure("OutcomeUnknown")<{}> {}
/** A store did not answer as it must. `cause` is for the log only, never for a caller. */
export class StoreFailed extends Failure("StoreFailed")<{ readonly operation: string; readonly cause: unknown }> {}

/** The object is another by now than the one that the caller has seen, or is there although it must not be. */
export class PreconditionFailed extends Failure("PreconditionFailed")<{}> {}
/** The question is answered already; `by` undefined: it is not known by whom. */
export class AlreadyResolved extends Failure("AlreadyResolved")<{
  readonly by: Answerer | undefined
  readonly decision: string | undefined
  readonly rule: string | undefined
}> {}
/** The plan allows no further policy. */
export class PushSubscriptionLimitReached extends Failure("PushSubscriptionLimitReached")<{
  readonly limit: number
  readonly plan: Plan
}> {}
export class PolicyLimitReached extends Failure("PolicyLimitReached")<{
  readonly limit: number
  readonly plan: Plan
}> {}

/** The sign-in provider gives no answer now. The sign-in tells the dashboard so; never reaches the edge's table. */
export class ProviderAway extends Data.TaggedError("ProviderAway")<{ readonly cause: unknown }> {}

/**
 * Another hub uses this Postgres and no Redis joins the two; `joined`: it is the other that has none. Ends the start,
 * never reaches the edge.
 */
export class HubAlreadyRunning extends Data.TaggedError("HubAlreadyRunning")<{ readonly joined: boolean }> {
  override get message(): string {
    return this.joined
      ? "a hub without REDIS_URL already uses this DATABASE_URL; several on one database all need REDIS_URL"
      : "another hub already uses this DATABASE_URL; several on one database need REDIS_URL"
  }
}

/**
 * The secrets in this database were sealed under another key than this node was given. Ends the start, never reaches
 * the edge.
 */
export class SecretKeyDiffers extends Data.TaggedError("SecretKeyDiffers")<{
  readonly found: string
  readonly given: string
}> {
  override get message(): string {
    return `the secrets in this database are sealed under key ${this.found}, HUB_SECRET_KEY (or secret.key in the data folder) is ${this.given}: give this node the key that the others have, or that the hub had before`
  }
}

type Classes = typeof import("./errors.ts")
type OfClass<C> = C extends OfEdge & (new (...facts: never) => infer One) ? One : never

/** Everything that may reach the edge: every `Failure` above. */
export type HubError = OfClass<Classes[keyof Classes]>
