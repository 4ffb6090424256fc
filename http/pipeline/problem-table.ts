/**
 * The one table from failures to error responses: status, code, reason, public sentence, extra members and headers per
 * tag. A failure without a row does not compile. Encodes no response.
 */
import type { Plan } from "../../src/domain/account/plans.ts"
import type { HubError } from "../../src/errors.ts"
import type { Reason } from "./reasons.ts"
import type { Headers } from "./response.ts"

/** A failure's name. */
export type Tag = HubError["_tag"]
type Failure<T extends Tag> = Extract<HubError, { readonly _tag: T }>

/** What a caller may know of one failure. */
export interface Row<T extends Tag> {
  readonly status: number
  /** Only where the specification's error table has one. */
  readonly code?:
    | "AUTH_REQUIRED"
    | "AUTH_INVALID"
    | "AUTH_FORBIDDEN"
    | "RECENT_LOGIN_REQUIRED"
    | "RATE_LIMITED"
    | "API_LIMIT_EXCEEDED"
  readonly reason: Reason
  readonly sentence: string
  readonly extras?: (failure: Failure<T>) => Record<string, unknown>
  readonly headers?: (failure: Failure<T>) => Headers
}

const realm = 'Bearer realm="hub"'
const challenge = (rest: string): Headers => [["www-authenticate", rest === "" ? realm : `${realm}, ${rest}`]]
const retryAfterMember = (failure: { readonly retryAfter: number }) => ({ retryAfter: failure.retryAfter })
const retryAfterHeader = (failure: { readonly retryAfter: number }): Headers => [
  ["retry-after", String(failure.retryAfter)]
]
/** To the millisecond, where many callers are each given their own time, so that their retries spread. */
const retryAfterMillisHeader = (failure: {
  readonly retryAfter: number
  readonly retryAfterMillis?: number
}): Headers =>
  failure.retryAfterMillis === undefined
    ? retryAfterHeader(failure)
    : [...retryAfterHeader(failure), ["retry-after-ms", String(failure.retryAfterMillis)]]
const planLimit = ({ limit, plan }: { readonly limit: number; readonly plan: Plan }) => ({ limit, plan })
const socketLostSeconds = 2
/** The command's id, where the command was sent. */
const commandOf = (failure: { readonly commandId?: string }) =>
  failure.commandId === undefined ? {} : { commandId: failure.commandId }

const identity = {
  AuthRequired: {
    status: 401,
    code: "AUTH_REQUIRED",
    reason: "AUTH_REQUIRED",
    sentence: "This call needs an Authorization header with a bearer credential.",
    headers: () => challenge("")
  },
  AuthInvalid: {
    status: 401,
    code: "AUTH_INVALID",
    reason: "AUTH_INVALID",
    sentence: "The credential is invalid or expired.",
    headers: () => challenge('error="invalid_token"')
  },
  TokenExpired: {
    status: 401,
    reason: "TOKEN_EXPIRED",
    sentence: "The access token has expired.",
    headers: () => challenge('error="invalid_token", error_description="The access token expired"')
  },
  TokenReplaced: {
    status: 401,
    code: "AUTH_INVALID",
    reason: "AUTH_INVALID",
    sentence: "The token was replaced by a newer one of its session.",
    headers: () => challenge('error="invalid_token", error_description="The token was refreshed"')
  },
  AddressRefused: {
    status: 401,
    code: "AUTH_INVALID",
    reason: "AUTH_INVALID",
    sentence: "The token names its person by an e-mail address that no account may have.",
    extras: (failure) => ({ issues: [{ path: "email", message: `The address ${failure.because}` }] }),
    headers: () => challenge('error="invalid_token", error_description="The e-mail address is refused"')
  },
  AuthForbidden: {
    status: 403,
    code: "AUTH_FORBIDDEN",
    reason: "AUTH_FORBIDDEN",
    sentence: "This credential may not do that.",
    extras: (failure) => (failure.requiredScope === undefined ? {} : { requiredScope: failure.requiredScope }),
    headers: (failure) =>
      challenge(
        `error="insufficient_scope"${failure.requiredScope === undefined ? "" : `, scope="${failure.requiredScope}"`}`
      )
  },
  RecentLoginRequired: {
    status: 403,
    code: "RECENT_LOGIN_REQUIRED",
    reason: "RECENT_LOGIN_REQUIRED",
    sentence: "This call needs a dashboard session with a recent login.",
    extras: (failure) => ({
      maxAge: failure.maxAge,
      ...(failure.authAge === undefined ? {} : { authAge: failure.authAge })
    }),
    headers: (failure) => [
      ["www-authenticate", `Bearer error="insufficient_user_authentication", max_age="${failure.maxAge}"`]
    ]
  }
} satisfies {
  readonly [T in
    | "AuthRequired"
    | "AuthInvalid"
    | "TokenExpired"
    | "TokenReplaced"
    | "AddressRefused"
    | "AuthForbidden"
    | "RecentLoginRequired"]: Row<T>
}

const limits = {
  RateLimited: {
    status: 429,
    code: "RATE_LIMITED",
    reason: "RATE_LIMITED",
    sentence: "Too many requests in a short time.",
    extras: (failure) => ({ limit: failure.limit, retryAfter: failure.retryAfter }),
    headers: retryAfterHeader
  },
  ApiLimitExceeded: {
    status: 429,
    code: "API_LIMIT_EXCEEDED",
    reason: "API_LIMIT_EXCEEDED",
    sentence: "The plan's calls of this month are used up.",
    extras: (failure) => ({ limit: failure.limit, plan: failure.plan, retryAfter: failure.retryAfter }),
    headers: retryAfterHeader
  },
  WebhookLimitReached: {
    status: 403,
    reason: "WEBHOOK_LIMIT_REACHED",
    sentence: "The plan allows no further webhook.",
    extras: planLimit
  },
  DaemonLimitReached: {
    status: 403,
    reason: "DAEMON_LIMIT_REACHED",
    sentence: "The plan allows no further daemon. Revoke one that is not needed.",
    extras: planLimit
  },
  ApiKeyLimitReached: {
    status: 403,
    reason: "API_KEY_LIMIT_REACHED",
    sentence: "The plan allows no further API key. Revoke one that is not needed.",
    extras: planLimit
  },
  Overloaded: {
    status: 503,
    reason: "OVERLOADED",
    sentence: "Too much is waiting already. Try again shortly.",
    extras: retryAfterMember,
    headers: retryAfterMillisHeader
  },
  PayloadTooLarge: {
    status: 413,
    reason: "PAYLOAD_TOO_LARGE",
    sentence: "What was sent is larger than this call takes.",
    extras: (failure) => ({ limit: failure.limit })
  }
} satisfies {
  readonly [T in
    | "RateLimited"
    | "ApiLimitExceeded"
    | "WebhookLimitReached"
    | "DaemonLimitReached"
    | "ApiKeyLimitReached"
    | "Overloaded"
    | "PayloadTooLarge"]: Row<T>
}

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
    extras: (failure) => ({ retryAfter: socketLostSeconds, ...commandOf(failure) }),
    headers: () => retryAfterHeader({ retryAfter: socketLostSeconds })
  },
  CommandTimeout: {
    status: 504,
    reason: "COMMAND_TIMEOUT",
    sentence: "The daemon did not answer the command in time.",
    extras: commandOf
  },
  AmbiguousTarget: {
    status: 400,
    reason: "AMBIGUOUS_TARGET",
    sentence: "Several sessions match this target. Name one of them.",
    extras: (failure) => ({ candidates: failure.candidates })
  }
} satisfies {
  readonly [T in "DaemonOffline" | "DaemonOnline" | "DaemonSocketLost" | "CommandTimeout" | "AmbiguousTarget"]: Row<T>
}

/** The row of every failure. */
export const rows: { readonly [T in Tag]: Row<T> } = {
  ...identity,
  ...limits,
  ...daemons,
  ValidationFailed: {
    status: 400,
    reason: "VALIDATION_FAILED",
    sentence: "The request does not fit what this call takes.",
    extras: (failure) => ({ issues: failure.issues })
  },
  NotFound: { status: 404, reason: "NOT_FOUND", sentence: "There is nothing here." },
  MethodNotAllowed: {
    status: 405,
    reason: "METHOD_NOT_ALLOWED",
    sentence: "This path does not take this method.",
    headers: (failure) => [["allow", failure.allow]]
  },
  LengthRequired: {
    status: 411,
    reason: "LENGTH_REQUIRED",
    sentence: "Say the length of the body in Content-Length; it is 0 without one."
  },
  VersionExists: { status: 409, reason: "VERSION_EXISTS", sentence: "This version was published with other bytes." },
  VersionYanked: { status: 409, reason: "VERSION_YANKED", sentence: "This version was yanked." },
  RangeNotSatisfiable: {
    status: 416,
    reason: "RANGE_NOT_SATISFIABLE",
    sentence: "The range lies outside the content.",
    headers: (failure) => [["content-range", `bytes */${failure.size}`]]
  },
  TokenRevoked: {
    status: 403,
    reason: "TOKEN_REVOKED",
    sentence: "This daemon token was revoked."
  },
  AccountDisabled: {
    status: 403,
    reason: "ACCOUNT_DISABLED",
    sentence: "The account of this daemon is disabled. Its token is good again once the account is enabled.",
    extras: retryAfterMember,
    headers: retryAfterMillisHeader
  },
  OriginForbidden: {
    status: 403,
    reason: "ORIGIN_FORBIDDEN",
    sentence: "No page of this origin may connect here."
  },
  UpgradeRequired: {
    status: 426,
    reason: "UPGRADE_REQUIRED",
    sentence: "This path speaks WebSocket (RFC 6455, version 13) only.",
    headers: () => [
      ["upgrade", "websocket"],
      ["connection", "Upgrade"],
      ["sec-websocket-version", "13"]
    ]
  },
  IdempotencyConflict: {
    status: 409,
    reason: "IDEMPOTENCY_CONFLICT",
    sentence: "A call with this Idempotency-Key is still running."
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
    extras: (failure) => ({ limit: failure.limit, plan: failure.plan, retryAfter: failure.retryAfter }),
    headers: retryAfterHeader
  },
  OutcomeNotKept: {
    status: 410,
    reason: "OUTCOME_NOT_KEPT",
    sentence: "This call was run and is not run again. Its answer was not kept: the account had too much kept then.",
    extras: (failure) => ({ status: failure.status }),
    headers: () => [["idempotency-replayed", "true"]]
  },
  OutcomeUnknown: {
    status: 503,
    reason: "INTERNAL",
    sentence: "The node that ran this call ended in mid-work. What came of it is not known, and it is not run again.",
    headers: () => [["idempotency-replayed", "true"]]
  },
  StoreFailed: { status: 500, reason: "INTERNAL", sentence: "Something went wrong on our side." }
}
