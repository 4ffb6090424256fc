/** The closed list of reasons in error bodies. problems.ts assigns one to each failure. */

/** Every reason, in the order the documentation shows them. */
export const reasons = [
  "AUTH_REQUIRED",
  "AUTH_INVALID",
  "TOKEN_EXPIRED",
  "AUTH_FORBIDDEN",
  "RECENT_LOGIN_REQUIRED",
  "VALIDATION_FAILED",
  "NOT_FOUND",
  "RATE_LIMITED",
  "API_LIMIT_EXCEEDED",
  "DAEMON_OFFLINE",
  "DAEMON_ONLINE",
  "DAEMON_SOCKET_LOST",
  "COMMAND_TIMEOUT",
  "DAEMON_LACKS_FEATURE",
  "OVERLOADED",
  "WEBHOOK_LIMIT_REACHED",
  "DAEMON_LIMIT_REACHED",
  "API_KEY_LIMIT_REACHED",
  "VERSION_EXISTS",
  "VERSION_YANKED",
  "AMBIGUOUS_TARGET",
  "METHOD_NOT_ALLOWED",
  "PAYLOAD_TOO_LARGE",
  "LENGTH_REQUIRED",
  "RANGE_NOT_SATISFIABLE",
  "TOKEN_REVOKED",
  "ACCOUNT_DISABLED",
  "ORIGIN_FORBIDDEN",
  "UPGRADE_REQUIRED",
  "IDEMPOTENCY_CONFLICT",
  "IDEMPOTENCY_MISMATCH",
  "IDEMPOTENCY_LIMIT_REACHED",
  "OUTCOME_NOT_KEPT",
  "INTERNAL"
] as const

/** Why a call was not served. */
export type Reason = (typeof reasons)[number]
