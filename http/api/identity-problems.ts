/** The error bodies of refused credentials, and of who waits for one. Owns these rows of problems.ts. */
import { Schema } from "effect"
import { roles } from "../../src/domain/account/roles.ts"
import { challenge, challengeText, issues, maybe, type Rows, retryAfter, seconds, timed } from "./problem-row.ts"

/** Of credentials and sessions. */
export const identity = {
  AuthRequired: {
    status: 401,
    code: "AUTH_REQUIRED",
    reason: "AUTH_REQUIRED",
    sentence: "This call needs an Authorization header with a bearer credential.",
    headers: challenge()
  },
  AuthInvalid: {
    status: 401,
    code: "AUTH_INVALID",
    reason: "AUTH_INVALID",
    sentence: "The credential is invalid or expired.",
    says: ({ because }) => because,
    members: { issues: maybe(issues) },
    fill: () => ({}),
    headers: challenge('error="invalid_token"')
  },
  TokenExpired: {
    status: 401,
    reason: "TOKEN_EXPIRED",
    sentence: "The access token has expired.",
    headers: challenge('error="invalid_token", error_description="The access token expired"')
  },
  TokenReplaced: {
    status: 401,
    code: "AUTH_INVALID",
    reason: "AUTH_INVALID",
    sentence: "The token was replaced by a newer one of its session.",
    headers: challenge('error="invalid_token", error_description="The token was refreshed"'),
    like: "AuthInvalid"
  },
  AddressRefused: {
    status: 401,
    code: "AUTH_INVALID",
    reason: "AUTH_INVALID",
    sentence: "The token names its person by an e-mail address that no account may have.",
    members: { issues },
    fill: ({ because }) => ({ issues: [{ path: "email", message: `The address ${because}` }] }),
    headers: challenge('error="invalid_token", error_description="The e-mail address is refused"'),
    like: "AuthInvalid"
  },
  AuthForbidden: {
    status: 403,
    code: "AUTH_FORBIDDEN",
    reason: "AUTH_FORBIDDEN",
    sentence: "This credential may not do that.",
    says: ({ because }) => because,
    members: { requiredScope: maybe(Schema.String) },
    headers: {
      "WWW-Authenticate": ({ requiredScope }) =>
        challengeText(`error="insufficient_scope"${requiredScope === undefined ? "" : `, scope="${requiredScope}"`}`)
    }
  },
  RoleTooLow: {
    status: 403,
    reason: "ROLE_TOO_LOW",
    sentence: "Your role in this account is too low for that.",
    members: { requiredRole: Schema.Literals(roles) }
  },
  RecentLoginRequired: {
    status: 403,
    code: "RECENT_LOGIN_REQUIRED",
    reason: "RECENT_LOGIN_REQUIRED",
    sentence: "This call needs a dashboard session with a recent login.",
    members: { maxAge: seconds("how old a login may be"), authAge: maybe(seconds("how old this one is, when known")) },
    headers: {
      "WWW-Authenticate": ({ maxAge }) => `Bearer error="insufficient_user_authentication", max_age="${maxAge}"`
    }
  }
} as const satisfies Partial<Rows>

export const devices = {
  AuthorizationPending: {
    status: 400,
    reason: "AUTHORIZATION_PENDING",
    sentence: "The person of this device has not decided yet.",
    members: { retryAfter },
    headers: timed
  },
  SlowDown: {
    status: 400,
    reason: "SLOW_DOWN",
    sentence: "This device asks too often. It has to wait longer from now on.",
    members: { retryAfter },
    headers: timed
  },
  ExpiredToken: {
    status: 400,
    reason: "EXPIRED_TOKEN",
    sentence: "This device code is unknown, used or too old. Begin again."
  },
  AuthorizationRefused: {
    status: 400,
    reason: "AUTHORIZATION_REFUSED",
    sentence: "The program's request to connect is refused.",
    says: ({ because }) => because,
    members: {
      location: maybe(Schema.String.annotate({ description: "Where the program is told so, if its person wants" }))
    }
  },
  AccessDenied: { status: 400, reason: "ACCESS_DENIED", sentence: "The person of this device refused it." }
} as const satisfies Partial<Rows>
