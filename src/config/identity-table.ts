/** The settings of signing in, as table.ts has all others. Owns these rows. */
import * as kinds from "./kinds.ts"

const http = kinds.url("http", "https")

export const identity = {
  oidcIssuer: { env: "HUB_OIDC_ISSUER", kind: http, reason: "An OpenID Connect provider through which people sign in" },
  oidcClientId: { env: "HUB_OIDC_CLIENT_ID", kind: kinds.text, reason: "This hub's client id there" },
  oidcClientSecret: { env: "HUB_OIDC_CLIENT_SECRET", kind: kinds.text, reason: "And its secret", secret: true },
  oidcAccount: {
    env: "HUB_OIDC_ACCOUNT",
    kind: kinds.text,
    reason:
      "For the hub of one company: the id of an account of which all become members, viewers at first, who sign in through OpenID Connect; unset: each gets an account of their own"
  },
  oidcRoleClaim: {
    env: "HUB_OIDC_ROLE_CLAIM",
    kind: kinds.text,
    reason:
      "The claim that names a person's groups there: of the roles of these the highest counts in `HUB_OIDC_ACCOUNT`, anew at each sign-in, and without one there is none"
  },
  oidcRoles: {
    env: "HUB_OIDC_ROLES",
    kind: kinds.list(kinds.groupRole, 100),
    standard: "",
    reason: "The role of each group, as `hub-admins=admin,staff=viewer`; unset: the groups are called as the roles are"
  },
  signInChallenge: {
    env: "HUB_SIGN_IN_CHALLENGE",
    kind: kinds.choice("required", "optional"),
    standard: "required",
    reason:
      "`optional`: a dashboard may begin a sign-in through OpenID Connect without a challenge, which binds its one-time code to no browser"
  },
  jwksUrl: {
    env: "HUB_JWKS_URL",
    kind: http,
    reason: "Keys whose tokens are accepted as dashboard tokens, as they are"
  },
  jwksIssuer: { env: "HUB_JWKS_ISSUER", kind: kinds.text, reason: "The `iss` such a token must carry" },
  jwksAudience: { env: "HUB_JWKS_AUDIENCE", kind: kinds.text, reason: "The `aud` such a token must carry" },
  jwksAccountClaim: {
    env: "HUB_JWKS_ACCOUNT_CLAIM",
    kind: kinds.text,
    standard: "sub",
    reason: "The claim that names the person; the first token of a new one creates the account"
  },
  jwksEmailClaim: {
    env: "HUB_JWKS_EMAIL_CLAIM",
    kind: kinds.text,
    standard: "email",
    reason: "The claim with the person's address"
  },
  oauthRegistration: {
    env: "HUB_OAUTH_REGISTRATION",
    kind: kinds.choice("off", "open"),
    standard: "off",
    reason:
      "`open`: programs that connect to `/mcp` may register themselves, for those that have no document of their own. OAuth itself needs https in `HUB_PUBLIC_URL`"
  }
} as const
