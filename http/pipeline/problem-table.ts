/**
 * What a failure adds to its error response: the further members of its body and its headers. A failure whose row in
 * api/problems.ts has members does not compile without them here. Encodes no response.
 */
import type { Plan } from "../../src/domain/account/plans.ts"
import type { HubError } from "../../src/errors.ts"
import { commandPath } from "../api/command-path.ts"
import type { Members } from "../api/failures.ts"
import type { problems, Tag } from "../api/problems.ts"
import type { Headers } from "./response.ts"

type Failure<T extends Tag> = Extract<HubError, { readonly _tag: T }>
/** The failures whose rows have this column. */
type With<Column extends string> = {
  [T in Tag]: (typeof problems)[T] extends Readonly<Record<Column, unknown>> ? T : never
}[Tag]

const realm = 'Bearer realm="hub"'
const challenge = (rest: string): Headers => [["www-authenticate", rest === "" ? realm : `${realm}, ${rest}`]]
const socketLostSeconds = 2
const retryAfterMember = ({ retryAfter }: { readonly retryAfter: number }) => ({ retryAfter })
const retryAfterHeader = ({ retryAfter }: { readonly retryAfter: number }): Headers => [
  ["retry-after", String(retryAfter)]
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
/** The command's id, where the command was sent. */
const commandOf = ({ commandId }: { readonly commandId?: string }) => (commandId === undefined ? {} : { commandId })
const limitOf = ({ limit }: { readonly limit: number }) => ({ limit })
const issuesOf = <Issues>({ issues }: { readonly issues: Issues }) => ({ issues })
const replayed = (): Headers => [["idempotency-replayed", "true"]]

/** The further members of each failure's body. */
export const members: { readonly [T in With<"members">]: (failure: Failure<T>) => Members<T> } = {
  AuthInvalid: () => ({}),
  AddressRefused: ({ because }) => ({ issues: [{ path: "email", message: `The address ${because}` }] }),
  AuthForbidden: ({ requiredScope }) => (requiredScope === undefined ? {} : { requiredScope }),
  RecentLoginRequired: ({ maxAge, authAge }) => (authAge === undefined ? { maxAge } : { maxAge, authAge }),
  AuthorizationPending: retryAfterMember,
  SlowDown: retryAfterMember,
  RateLimited: ({ limit, retryAfter }) => ({ limit, retryAfter }),
  ApiLimitExceeded: ({ limit, plan, retryAfter }) => ({ limit, plan, retryAfter }),
  WebhookLimitReached: planLimit,
  DaemonLimitReached: planLimit,
  ApiKeyLimitReached: planLimit,
  JoinKeyLimitReached: limitOf,
  Overloaded: retryAfterMember,
  PayloadTooLarge: limitOf,
  DaemonSocketLost: (failure) => ({ retryAfter: socketLostSeconds, ...commandOf(failure) }),
  CommandTimeout: commandOf,
  CommandLimitReached: ({ limit, plan, retryAfter }) => ({ limit, plan, retryAfter }),
  JobLimitReached: ({ limit, of, retryAfter }) => ({ limit, of, retryAfter }),
  DaemonLacksFeature: ({ feature }) => ({ feature }),
  AmbiguousTarget: ({ candidates }) => ({ candidates }),
  AccountDisabled: retryAfterMember,
  IdempotencyConflict: retryAfterMember,
  IdempotencyLimitReached: ({ limit, plan, retryAfter }) => ({ limit, plan, retryAfter }),
  OutcomeNotKept: ({ status }) => ({ status }),
  ValidationFailed: issuesOf
}

/** The headers of each failure's response. */
export const headers: {
  readonly [T in With<"headers"> | With<"optionalHeaders">]: (failure: Failure<T>) => Headers
} = {
  AuthRequired: () => challenge(""),
  AuthInvalid: () => challenge('error="invalid_token"'),
  TokenExpired: () => challenge('error="invalid_token", error_description="The access token expired"'),
  TokenReplaced: () => challenge('error="invalid_token", error_description="The token was refreshed"'),
  AddressRefused: () => challenge('error="invalid_token", error_description="The e-mail address is refused"'),
  AuthForbidden: ({ requiredScope }) =>
    challenge(`error="insufficient_scope"${requiredScope === undefined ? "" : `, scope="${requiredScope}"`}`),
  RecentLoginRequired: ({ maxAge }) => [
    ["www-authenticate", `Bearer error="insufficient_user_authentication", max_age="${maxAge}"`]
  ],
  AuthorizationPending: retryAfterHeader,
  SlowDown: retryAfterHeader,
  RateLimited: retryAfterHeader,
  ApiLimitExceeded: retryAfterHeader,
  Overloaded: retryAfterMillisHeader,
  CommandTimeout: ({ commandId, kept }) => (kept === true ? [["location", commandPath(commandId)]] : []),
  CommandLimitReached: retryAfterHeader,
  JobLimitReached: retryAfterHeader,
  DaemonSocketLost: () => retryAfterHeader({ retryAfter: socketLostSeconds }),
  AccountDisabled: retryAfterMillisHeader,
  UpgradeRequired: () => [
    ["upgrade", "websocket"],
    ["connection", "Upgrade"],
    ["sec-websocket-version", "13"]
  ],
  IdempotencyConflict: retryAfterHeader,
  IdempotencyLimitReached: retryAfterHeader,
  OutcomeNotKept: replayed,
  OutcomeUnknown: replayed,
  MethodNotAllowed: ({ allow }) => [["allow", allow]],
  RangeNotSatisfiable: ({ size }) => [["content-range", `bytes */${size}`]]
}
