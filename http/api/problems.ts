/**
 * How each failure is answered: status, code, reason, public sentence, further members and headers. Owns the table; a
 * failure without a row does not compile, nor one whose row has a member that nothing fills. Encodes no answer.
 */
import { Schema } from "effect"
import { approvals } from "./approval-problems.ts"
import { commandPath } from "./command-path.ts"
import { devices, identity } from "./identity-problems.ts"
import { people } from "./people-problems.ts"
import {
  commandId,
  type Failure,
  issues,
  planLimit,
  type Rows,
  replayed,
  retryAfter,
  type Tag,
  timed,
  timedApart
} from "./problem-row.ts"

export { codes, docsOf, type Row, type Tag } from "./problem-row.ts"

const socketLostSeconds = 2

const limits = {
  RateLimited: {
    status: 429,
    code: "RATE_LIMITED",
    reason: "RATE_LIMITED",
    sentence: "Too many requests in a short time.",
    members: { limit: Schema.Int, retryAfter },
    headers: timed
  },
  ApiLimitExceeded: {
    status: 429,
    code: "API_LIMIT_EXCEEDED",
    reason: "API_LIMIT_EXCEEDED",
    sentence: "The plan's calls of this month are used up.",
    members: { ...planLimit, retryAfter },
    headers: timed
  },
  WebhookLimitReached: {
    status: 403,
    reason: "WEBHOOK_LIMIT_REACHED",
    sentence: "The plan allows no further webhook.",
    members: planLimit
  },
  DaemonLimitReached: {
    status: 403,
    reason: "DAEMON_LIMIT_REACHED",
    sentence: "The plan allows no further daemon. Revoke one that is not needed.",
    members: planLimit
  },
  ApiKeyLimitReached: {
    status: 403,
    reason: "API_KEY_LIMIT_REACHED",
    sentence: "The plan allows no further API key. Revoke one that is not needed.",
    members: planLimit
  },
  JoinKeyLimitReached: {
    status: 403,
    reason: "JOIN_KEY_LIMIT_REACHED",
    sentence: "The account may have no further join key. Remove one that is not needed.",
    members: { limit: Schema.Int }
  },
  ConnectedAppLimitReached: {
    status: 403,
    reason: "CONNECTED_APP_LIMIT_REACHED",
    sentence: "The account may have no further connected app. Disconnect one that is not needed.",
    members: { limit: Schema.Int }
  },
  Overloaded: {
    status: 503,
    reason: "OVERLOADED",
    sentence: "Too much is waiting already. Try again shortly.",
    members: { retryAfter },
    headers: timed,
    optionalHeaders: timedApart
  },
  PayloadTooLarge: {
    status: 413,
    reason: "PAYLOAD_TOO_LARGE",
    sentence: "What was sent is larger than this call takes.",
    members: { limit: Schema.Int.annotate({ description: "Bytes" }) }
  }
} as const satisfies Partial<Rows>

const daemons = {
  DaemonOffline: { status: 500, reason: "DAEMON_OFFLINE", sentence: "The daemon is offline." },
  DaemonOnline: {
    status: 409,
    reason: "DAEMON_ONLINE",
    sentence: "The daemon is connected, or was a moment ago. Revoke it first, or wait until it is offline."
  },
  DaemonSocketLost: {
    status: 503,
    reason: "DAEMON_SOCKET_LOST",
    sentence: "The daemon's connection is interrupted.",
    members: { retryAfter, commandId },
    fill: (failure) => ({
      retryAfter: socketLostSeconds,
      ...(failure.commandId === undefined ? {} : { commandId: failure.commandId })
    }),
    headers: { "Retry-After": () => String(socketLostSeconds) }
  },
  CommandTimeout: {
    status: 504,
    reason: "COMMAND_TIMEOUT",
    sentence: "The daemon did not answer the command in time.",
    members: { commandId },
    optionalHeaders: { Location: ({ commandId, kept }) => (kept === true ? commandPath(commandId) : undefined) }
  },
  CommandLimitReached: {
    status: 429,
    reason: "COMMAND_LIMIT_REACHED",
    sentence: "The plan keeps no further command. This one was not sent; without `Prefer: respond-async` it would be.",
    members: { ...planLimit, retryAfter },
    headers: timed
  },
  CommandNotCancellable: {
    status: 409,
    reason: "COMMAND_NOT_CANCELLABLE",
    sentence: "The command runs, and its daemon cannot end one that runs."
  },
  JobLimitReached: {
    status: 429,
    reason: "JOB_LIMIT_REACHED",
    sentence: "The account has too many jobs under way or kept, or too many targets of them. Nothing was sent.",
    members: {
      limit: Schema.Int,
      of: Schema.Literals(["under way", "kept", "targets"]).annotate({
        description: "What there is no room for: jobs under way, jobs kept, or daemons of all of them"
      }),
      retryAfter
    },
    headers: timed
  },
  DaemonLacksFeature: {
    status: 409,
    reason: "DAEMON_LACKS_FEATURE",
    sentence: "The daemon does not have this feature. A newer one may.",
    members: { feature: Schema.String }
  },
  AmbiguousTarget: {
    status: 400,
    reason: "AMBIGUOUS_TARGET",
    sentence: "Several sessions match this target. Name one of them.",
    members: { candidates: Schema.Array(Schema.String).annotate({ description: "Target ids" }) }
  },
  PromptChanged: {
    status: 409,
    reason: "PROMPT_CHANGED",
    sentence:
      "Another prompt waits by now than the one named, and nothing was resolved. Read the status and decide again."
  },
  TokenRevoked: { status: 403, reason: "TOKEN_REVOKED", sentence: "This daemon token was revoked." },
  AccountDisabled: {
    status: 403,
    reason: "ACCOUNT_DISABLED",
    sentence: "The account of this daemon is disabled. Its token is good again once the account is enabled.",
    members: { retryAfter },
    headers: timed,
    optionalHeaders: timedApart
  },
  OriginForbidden: { status: 403, reason: "ORIGIN_FORBIDDEN", sentence: "No page of this origin may connect here." },
  UpgradeRequired: {
    status: 426,
    reason: "UPGRADE_REQUIRED",
    sentence: "This path speaks WebSocket (RFC 6455, version 13) only.",
    headers: { Upgrade: () => "websocket", Connection: () => "Upgrade", "Sec-WebSocket-Version": () => "13" }
  }
} as const satisfies Partial<Rows>

const idempotency = {
  IdempotencyConflict: {
    status: 409,
    reason: "IDEMPOTENCY_CONFLICT",
    sentence: "A call with this Idempotency-Key is still running.",
    members: { retryAfter },
    headers: timed
  },
  IdempotencyMismatch: {
    status: 422,
    reason: "IDEMPOTENCY_MISMATCH",
    sentence: "This Idempotency-Key was used with another request."
  },
  IdempotencyLimitReached: {
    status: 429,
    reason: "IDEMPOTENCY_LIMIT_REACHED",
    sentence: "The plan keeps no further outcome. This call was not run; without an Idempotency-Key it would be.",
    members: { ...planLimit, retryAfter },
    headers: timed
  },
  OutcomeNotKept: {
    status: 410,
    reason: "OUTCOME_NOT_KEPT",
    sentence: "This call was run and is not run again. Its answer was not kept: the account had too much kept then.",
    members: { status: Schema.Int.annotate({ description: "Of the first answer to this Idempotency-Key" }) },
    headers: replayed
  },
  OutcomeUnknown: {
    status: 503,
    reason: "INTERNAL",
    sentence: "The node that ran this call ended in mid-work. What came of it is not known, and it is not run again.",
    headers: replayed
  }
} as const satisfies Partial<Rows>

/** The row of every failure. */
export const problems = {
  ...approvals,
  ...identity,
  ...devices,
  ...limits,
  ...people,
  ...daemons,
  ...idempotency,
  ValidationFailed: {
    status: 400,
    reason: "VALIDATION_FAILED",
    sentence: "The request does not fit what this call takes.",
    members: { issues }
  },
  NotFound: {
    status: 404,
    reason: "NOT_FOUND",
    sentence: "There is nothing here.",
    says: ({ what }) => what && `There is no ${what}.`
  },
  MethodNotAllowed: {
    status: 405,
    reason: "METHOD_NOT_ALLOWED",
    sentence: "This path does not take this method; the Allow header names those that it takes.",
    says: ({ allow }) => allow && `This path takes only ${allow}.`,
    headers: { Allow: ({ allow }) => allow }
  },
  LengthRequired: {
    status: 411,
    reason: "LENGTH_REQUIRED",
    sentence: "Say the length of the body in Content-Length; it is 0 without one."
  },
  UriTooLong: { status: 414, reason: "URI_TOO_LONG", sentence: "The address is longer than that of any call." },
  UnsupportedMediaType: {
    status: 415,
    reason: "UNSUPPORTED_MEDIA_TYPE",
    sentence: "The body must be JSON in UTF-8, without a Content-Encoding."
  },
  VersionExists: { status: 409, reason: "VERSION_EXISTS", sentence: "This version was published with other bytes." },
  VersionYanked: { status: 409, reason: "VERSION_YANKED", sentence: "This version was yanked." },
  RangeNotSatisfiable: {
    status: 416,
    reason: "RANGE_NOT_SATISFIABLE",
    sentence: "The range lies outside the content.",
    headers: { "Content-Range": ({ size }) => `bytes */${size}` }
  },
  StoreFailed: { status: 500, reason: "INTERNAL", sentence: "Something went wrong on our side." }
} as const satisfies Rows

type Table = typeof problems

/** The further members of a failure's body. */
export type Members<T extends Tag> = Table[T] extends { readonly members: infer F extends Schema.Struct.Fields }
  ? Schema.Struct.Type<F>
  : {}

/** The failures whose rows have members that neither their facts nor `fill` give. */
type Unfilled = {
  [T in Tag]: Table[T] extends { readonly fill: (failure: never) => infer Filled }
    ? Filled extends Members<T>
      ? never
      : T
    : Failure<T> extends Members<T>
      ? never
      : T
}[Tag]
/** Every failure; one whose members nothing gives is left out, and what takes all failures does not compile. */
export type Answerable = Failure<Exclude<Tag, Unfilled>>
