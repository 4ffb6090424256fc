/** Every failure and its error response: the table of the specification and of the decisions, written out. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { failures } from "../../../http/api/failures.ts"
import { problems, type Row } from "../../../http/api/problems.ts"
import { reasons } from "../../../http/api/reasons.ts"
import { internal, problem } from "../../../http/pipeline/problem.ts"
import * as errors from "../../../src/errors.ts"

const issues = [{ path: "events.0", message: "not a text" }]
const seen: ReadonlyArray<readonly [errors.HubError, number, Record<string, unknown>, Record<string, string>?]> = [
  [
    new errors.AuthRequired(),
    401,
    { code: "AUTH_REQUIRED", reason: "AUTH_REQUIRED" },
    { "www-authenticate": 'Bearer realm="hub"' }
  ],
  [
    new errors.AuthInvalid(),
    401,
    { code: "AUTH_INVALID", reason: "AUTH_INVALID" },
    { "www-authenticate": 'Bearer realm="hub", error="invalid_token"' }
  ],
  [
    new errors.TokenExpired(),
    401,
    { reason: "TOKEN_EXPIRED" },
    { "www-authenticate": 'Bearer realm="hub", error="invalid_token", error_description="The access token expired"' }
  ],
  [
    new errors.TokenReplaced({ accountId: "acc_secret", sessionId: "ses_secret" }),
    401,
    { code: "AUTH_INVALID", reason: "AUTH_INVALID" },
    { "www-authenticate": 'Bearer realm="hub", error="invalid_token", error_description="The token was refreshed"' }
  ],
  [
    new errors.AddressRefused({ because: "is missing" }),
    401,
    { code: "AUTH_INVALID", reason: "AUTH_INVALID", issues: [{ path: "email", message: "The address is missing" }] },
    {
      "www-authenticate": 'Bearer realm="hub", error="invalid_token", error_description="The e-mail address is refused"'
    }
  ],
  [
    new errors.AuthForbidden({ requiredScope: "ide:read" }),
    403,
    { code: "AUTH_FORBIDDEN", reason: "AUTH_FORBIDDEN", requiredScope: "ide:read" },
    { "www-authenticate": 'Bearer realm="hub", error="insufficient_scope", scope="ide:read"' }
  ],
  [
    new errors.AuthForbidden({}),
    403,
    { code: "AUTH_FORBIDDEN", reason: "AUTH_FORBIDDEN" },
    { "www-authenticate": 'Bearer realm="hub", error="insufficient_scope"' }
  ],
  [
    new errors.RecentLoginRequired({ maxAge: 900, authAge: 5_000 }),
    403,
    { code: "RECENT_LOGIN_REQUIRED", reason: "RECENT_LOGIN_REQUIRED", maxAge: 900, authAge: 5_000 },
    { "www-authenticate": 'Bearer error="insufficient_user_authentication", max_age="900"' }
  ],
  [
    new errors.RecentLoginRequired({ maxAge: 900 }),
    403,
    { code: "RECENT_LOGIN_REQUIRED", reason: "RECENT_LOGIN_REQUIRED", maxAge: 900 },
    { "www-authenticate": 'Bearer error="insufficient_user_authentication", max_age="900"' }
  ],
  [new errors.ValidationFailed({ issues }), 400, { reason: "VALIDATION_FAILED", issues }],
  [new errors.NotFound(), 404, { reason: "NOT_FOUND" }],
  [
    new errors.RateLimited({ limit: 120, retryAfter: 7 }),
    429,
    { code: "RATE_LIMITED", reason: "RATE_LIMITED", limit: 120, retryAfter: 7 },
    { "retry-after": "7" }
  ],
  [
    new errors.ApiLimitExceeded({ limit: 1_000, plan: "free", retryAfter: 99 }),
    429,
    { code: "API_LIMIT_EXCEEDED", reason: "API_LIMIT_EXCEEDED", limit: 1_000, plan: "free", retryAfter: 99 },
    { "retry-after": "99" }
  ],
  [new errors.DaemonOffline(), 500, { reason: "DAEMON_OFFLINE" }],
  [new errors.DaemonOnline(), 409, { reason: "DAEMON_ONLINE" }],
  [
    new errors.DaemonSocketLost({ commandId: "cmd_1" }),
    503,
    { reason: "DAEMON_SOCKET_LOST", retryAfter: 2, commandId: "cmd_1" },
    { "retry-after": "2" }
  ],
  [new errors.DaemonSocketLost({}), 503, { reason: "DAEMON_SOCKET_LOST", retryAfter: 2 }, { "retry-after": "2" }],
  [new errors.CommandTimeout({ commandId: "cmd_1" }), 504, { reason: "COMMAND_TIMEOUT", commandId: "cmd_1" }],
  [
    new errors.CommandTimeout({ commandId: "cmd_1", kept: true }),
    504,
    { reason: "COMMAND_TIMEOUT", commandId: "cmd_1" },
    { location: "/api/v1/commands/cmd_1" }
  ],
  [
    new errors.CommandLimitReached({ limit: 1_000, plan: "free", retryAfter: 99 }),
    429,
    { reason: "COMMAND_LIMIT_REACHED", limit: 1_000, plan: "free", retryAfter: 99 },
    { "retry-after": "99" }
  ],
  [
    new errors.JobLimitReached({ limit: 10, of: "under way", retryAfter: 9 }),
    429,
    { reason: "JOB_LIMIT_REACHED", limit: 10, of: "under way", retryAfter: 9 },
    { "retry-after": "9" }
  ],
  [new errors.CommandNotCancellable(), 409, { reason: "COMMAND_NOT_CANCELLABLE" }],
  [
    new errors.DaemonLacksFeature({ feature: "session_log" }),
    409,
    { reason: "DAEMON_LACKS_FEATURE", feature: "session_log" }
  ],
  [new errors.Overloaded({ retryAfter: 1 }), 503, { reason: "OVERLOADED", retryAfter: 1 }, { "retry-after": "1" }],
  [
    new errors.WebhookLimitReached({ limit: 2, plan: "free" }),
    403,
    { reason: "WEBHOOK_LIMIT_REACHED", limit: 2, plan: "free" }
  ],
  [
    new errors.DaemonLimitReached({ limit: 20, plan: "free" }),
    403,
    { reason: "DAEMON_LIMIT_REACHED", limit: 20, plan: "free" }
  ],
  [
    new errors.ApiKeyLimitReached({ limit: 20, plan: "free" }),
    403,
    { reason: "API_KEY_LIMIT_REACHED", limit: 20, plan: "free" }
  ],
  [new errors.JoinKeyLimitReached({ limit: 100 }), 403, { reason: "JOIN_KEY_LIMIT_REACHED", limit: 100 }],
  [new errors.VersionExists(), 409, { reason: "VERSION_EXISTS" }],
  [new errors.VersionYanked(), 409, { reason: "VERSION_YANKED" }],
  [new errors.PromptChanged(), 409, { reason: "PROMPT_CHANGED" }],
  [new errors.AmbiguousTarget({ candidates: ["a", "b"] }), 400, { reason: "AMBIGUOUS_TARGET", candidates: ["a", "b"] }],
  [new errors.MethodNotAllowed({ allow: "GET, HEAD" }), 405, { reason: "METHOD_NOT_ALLOWED" }, { allow: "GET, HEAD" }],
  [new errors.PayloadTooLarge({ limit: 9 }), 413, { reason: "PAYLOAD_TOO_LARGE", limit: 9 }],
  [new errors.LengthRequired(), 411, { reason: "LENGTH_REQUIRED" }],
  [
    new errors.RangeNotSatisfiable({ size: 10 }),
    416,
    { reason: "RANGE_NOT_SATISFIABLE" },
    { "content-range": "bytes */10" }
  ],
  [new errors.TokenRevoked(), 403, { reason: "TOKEN_REVOKED" }],
  [
    new errors.AccountDisabled({ retryAfter: 61, retryAfterMillis: 60_001 }),
    403,
    { reason: "ACCOUNT_DISABLED", retryAfter: 61 },
    { "retry-after": "61", "retry-after-ms": "60001" }
  ],
  [new errors.OriginForbidden(), 403, { reason: "ORIGIN_FORBIDDEN" }],
  [
    new errors.UpgradeRequired(),
    426,
    { reason: "UPGRADE_REQUIRED" },
    { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" }
  ],
  [new errors.IdempotencyConflict(), 409, { reason: "IDEMPOTENCY_CONFLICT" }],
  [new errors.IdempotencyMismatch(), 422, { reason: "IDEMPOTENCY_MISMATCH" }],
  [
    new errors.IdempotencyLimitReached({ limit: 10_000, plan: "free", retryAfter: 60 }),
    429,
    { reason: "IDEMPOTENCY_LIMIT_REACHED", limit: 10_000, plan: "free", retryAfter: 60 },
    { "retry-after": "60" }
  ],
  [
    new errors.OutcomeNotKept({ status: 201 }),
    410,
    { reason: "OUTCOME_NOT_KEPT", status: 201 },
    { "idempotency-replayed": "true" }
  ],
  [new errors.OutcomeUnknown(), 503, { reason: "INTERNAL" }, { "idempotency-replayed": "true" }],
  [
    new errors.AuthorizationPending({ retryAfter: 5 }),
    400,
    { reason: "AUTHORIZATION_PENDING", retryAfter: 5 },
    { "retry-after": "5" }
  ],
  [new errors.SlowDown({ retryAfter: 10 }), 400, { reason: "SLOW_DOWN", retryAfter: 10 }, { "retry-after": "10" }],
  [new errors.ExpiredToken(), 400, { reason: "EXPIRED_TOKEN" }],
  [new errors.AccessDenied(), 400, { reason: "ACCESS_DENIED" }],
  [
    new errors.StoreFailed({ operation: "read keys", cause: new Error("select * from keys") }),
    500,
    { reason: "INTERNAL" }
  ]
]

describe("a failure", () => {
  it.each(seen.map(([failure, status, body, headers]) => [failure._tag, failure, status, body, headers] as const))(
    "%s is shown as its row says, and no more",
    (_, failure, status, body, headers = {}) => {
      const answer = problem(failure, "req_1")
      expect(answer.status).toBe(status)
      expect(JSON.parse(String(answer.body))).toEqual({ error: expect.any(String), requestId: "req_1", ...body })
      expect(Object.fromEntries(answer.headers)).toEqual({ "content-type": "application/json", ...headers })
    }
  )

  it.each(seen.map(([failure]) => [failure._tag, failure] as const))(
    "%s shows the members that its schema in the contract describes, and no other",
    (tag, failure) => {
      const decode = Schema.decodeUnknownExit(Schema.Union(failures(tag)), { onExcessProperty: "error" })
      expect(decode(JSON.parse(String(problem(failure, "req_1").body)))).toMatchObject({ _tag: "Success" })
    }
  )

  it.each(seen.map(([failure]) => [failure._tag, failure] as const))(
    "%s has the headers that its row names, and no other",
    (tag, failure) => {
      const { headers = [], optionalHeaders = [] }: Row = problems[tag]
      const sent = problem(failure, "req_1").headers.map(([name]) => name)
      const always = ["content-type", ...headers.map((name) => name.toLowerCase())]
      expect(sent).toEqual(expect.arrayContaining(always))
      expect([...always, ...optionalHeaders.map((name) => name.toLowerCase())]).toEqual(expect.arrayContaining(sent))
    }
  )

  it("has a row and a test for every tag, with a reason of the closed list and one sentence", () => {
    const tested = new Set(seen.map(([failure]) => failure._tag))
    for (const [tag, row] of Object.entries<Row>(problems)) {
      expect(tested, tag).toContain(tag)
      expect(reasons).toContain(row.reason)
      expect(row.sentence).toMatch(/^[A-Z].*\.$/u)
    }
  })

  it("of ours shows nothing but the request id", () => {
    expect(JSON.parse(String(internal("req_1").body))).toEqual({
      error: expect.any(String),
      reason: "INTERNAL",
      requestId: "req_1"
    })
  })
})
