/**
 * The labels of the counted figures, each with the closed list of its values. Owns the lists; counts nothing. What a
 * peer chooses is never a value: a close code or a status that is not listed counts as `other`.
 */
import { STATUS_CODES } from "node:http"
import { dispatchedEvents, testEvent } from "../domain/event/events.ts"
import { close } from "../protocol/close.ts"
import { misfitMembers } from "../protocol/tolerant.ts"

/** A label: `Value` is what those who count may say, `values` what is told apart. */
export interface Label<Value extends string = string> {
  readonly name: string
  readonly values: ReadonlySet<string>
  /** Never there: it carries the type. */
  readonly value?: Value
}

/** What stands for every value that is not listed. */
export const other = "other"

const label = <const Value extends string>(name: string, ...values: ReadonlyArray<Value>): Label<Value> => ({
  name,
  values: new Set<string>(values)
})

/**
 * What the library and RFC 6455 close with, beside the codes of the protocol: 1005 is a close without a code, 1006 none
 * at all.
 */
const socketCodes = [1002, 1003, 1005, 1006, 1007, 1008, 1009, 1010, 1011]

/** Every label there is. */
export const labels = {
  status: label<string>("status", ...Object.keys(STATUS_CODES)),
  reason: label(
    "reason",
    "AuthRequired",
    "AuthInvalid",
    "TokenExpired",
    "AuthForbidden",
    "RecentLoginRequired",
    "ValidationFailed",
    "NotFound",
    "RateLimited",
    "ApiLimitExceeded",
    "DaemonOffline",
    "DaemonOnline",
    "DaemonSocketLost",
    "CommandTimeout",
    "Overloaded",
    "WebhookLimitReached",
    "VersionExists",
    "VersionYanked",
    "AmbiguousTarget",
    "MethodNotAllowed",
    "PayloadTooLarge",
    "LengthRequired",
    "RangeNotSatisfiable",
    "TokenRevoked",
    "OriginForbidden",
    "UpgradeRequired",
    "IdempotencyConflict",
    "IdempotencyMismatch",
    "OutcomeUnknown",
    "StoreFailed",
    "TokenReplaced",
    "AddressRefused",
    "DaemonLimitReached",
    "ApiKeyLimitReached",
    "AccountDisabled",
    "IdempotencyLimitReached",
    "OutcomeNotKept"
  ),
  where: label(
    "where",
    "offloop",
    "flush",
    "ends",
    "endpoint",
    "attempt",
    "wheel",
    "events",
    "snapshots",
    "carried",
    "asked"
  ),
  code: label<string>("code", ...[...socketCodes, ...Object.values(close).map(({ code }) => code)].map(String)),
  ignored: label("why", "unknown type", "misfit", "second result", "late result", "event"),
  member: { name: "member", values: misfitMembers } as Label,
  command: label("outcome", "succeeded", "refused", "overloaded", "timeout", "lost", "cancelled"),
  event: label("event", ...dispatchedEvents, testEvent),
  attempt: label("outcome", "succeeded", "failed", "retry"),
  dropped: label("by", "number", "bytes"),
  kind: label("kind", "daemon", "subscriber", "bucket"),
  refused: label("why", "not signed by this hub", "not readable", "repeated")
} as const
