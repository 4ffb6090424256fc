/**
 * The routes of signing in with a provider: to it, and back to the dashboard. Owns what the dashboard is told and its
 * one-time code. sign-in-cookies.ts has the cookies, src/auth the provider.
 */
import { randomBytes } from "node:crypto"
import { Clock, Effect } from "effect"
import { AuditLog } from "../../actors/audit-log/audit-log.ts"
import { hashCredential } from "../../src/auth/api-key.ts"
import { FederatedAccounts } from "../../src/auth/federated-accounts.ts"
import type { Identity } from "../../src/auth/jwks.ts"
import { Oidc } from "../../src/auth/oidc.ts"
import { Config } from "../../src/config.ts"
import { roleOfGroups } from "../../src/domain/account/group-roles.ts"
import { AuthInvalid, invalid, NotFound, type ProviderAway } from "../../src/errors.ts"
import { codeMillisMax } from "../../src/limits.ts"
import { LoginCodes } from "../../src/store/accounts/login-codes.ts"
import { AuditedBy } from "../../src/store/accounts/recorded-change.ts"
import type { Auth } from "../api/auth.ts"
import type { Routes } from "../pipeline/action.ts"
import { emptyAnswer, type Headers } from "../pipeline/response.ts"
import { signInCookies } from "./sign-in-cookies.ts"

const callbackPath = "/api/v1/auth/callback"
const found = 302
const noStore = ["cache-control", "no-store"] as const
const providerAway = new URLSearchParams({
  error: "temporarily_unavailable",
  error_description: "the provider does not answer now: sign in again in a moment"
})

/** Where an identity of the provider signs in: in an account of its own, or in that of the hub. */
const makePlaceOf = Effect.gen(function* () {
  const settings = yield* Config
  const federatedAccounts = yield* FederatedAccounts
  return Effect.fnUntraced(function* (identity: Identity, groups: unknown) {
    const { oidcAccount: accountId, oidcRoleClaim, oidcRoles } = settings
    if (accountId === undefined) return yield* federatedAccounts.placeOf(identity)
    if (oidcRoleClaim === undefined)
      return yield* federatedAccounts.enter(identity, { accountId, role: "viewer", fixed: false })
    const role = roleOfGroups(groups, oidcRoles)
    if (role === undefined) return yield* new AuthInvalid({ because: "none of your groups there has a role here" })
    return yield* federatedAccounts.enter(identity, { accountId, role, fixed: true })
  })
})

/** The routes of `Auth` that a provider takes part in. */
export const federatedRoutes = Effect.gen(function* () {
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const auditLog = yield* AuditLog
  const codes = yield* LoginCodes
  const oidc = yield* Oidc
  const placeOf = yield* makePlaceOf
  const { publicUrl, dashboardUrl } = settings
  const cookies = publicUrl === undefined ? undefined : signInCookies(new URL(publicUrl))
  const callbackUrl = (): URL => new URL(publicUrl!.replace(/\/$/u, "") + callbackPath)

  /** Redirects to the dashboard on success and on failure. The result is in the fragment, which no server sees. */
  const toDashboard = (fragment: string, headers: Headers = []) =>
    emptyAnswer(found, [["location", `${dashboardUrl}#${fragment}`], noStore, ...headers])

  const finish = Effect.fnUntraced(function* (query: Record<string, string | undefined>, cookie: string | undefined) {
    if (cookie === undefined) return yield* new AuthInvalid()
    const callback = callbackUrl()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) callback.searchParams.set(name, value)
    const { identity, challenge = null, groups } = yield* oidc.finish(callback, cookie)
    const { account, member } = yield* placeOf(identity, groups)
    const code = randomBytes(32).toString("base64url")
    const authTime = identity.authTime === undefined ? null : identity.authTime * 1_000
    const login = { accountId: account.id, personId: member.personId, authTime, challenge }
    yield* codes.add(hashCredential(code), login, clock.currentTimeMillisUnsafe() + codeMillisMax)
    return new URLSearchParams({ code })
  })

  /** The answer is a redirect, so only this place knows that it is a refusal. */
  const failure = (why?: string) =>
    Effect.map(AuditedBy, (origin) => {
      if (origin !== undefined)
        auditLog.note(origin, { action: "session.started", outcome: "refused", reason: "AUTH_INVALID" })
      return new URLSearchParams({ error: "sign_in_failed", ...(why !== undefined && { error_description: why }) })
    })

  const away = ({ cause }: ProviderAway) =>
    Effect.as(Effect.logWarning("the sign-in provider is away", cause), providerAway)

  const routes: Pick<Routes<typeof Auth>, "begin" | "callback"> = {
    begin: Effect.fnUntraced(function* ({ query: { challenge }, headers }) {
      if (cookies === undefined || dashboardUrl === undefined) return yield* new NotFound()
      if (challenge === undefined && settings.signInChallenge === "required") {
        const message = "is needed: the SHA-256, in base64url, of a verifier that the exchange of the code then shows"
        return yield* invalid("challenge", message)
      }
      const begun = oidc.begin(callbackUrl().href, challenge).pipe(
        Effect.map(({ location, state, cookie }) => {
          const set = cookies.begin(state, cookie, headers.cookie, clock.currentTimeMillisUnsafe())
          return emptyAnswer(found, [["location", location], noStore, ...set])
        })
      )
      return yield* Effect.catchTag(begun, "ProviderAway", (failure) =>
        Effect.map(away(failure), (fragment) => toDashboard(fragment.toString()))
      )
    }),

    callback: Effect.fnUntraced(function* ({ query, headers }) {
      if (cookies === undefined || dashboardUrl === undefined) return yield* new NotFound()
      const cookie = cookies.of(query.state, headers.cookie)
      const fragment = yield* finish(query, cookie?.value).pipe(
        Effect.catchTags({
          AuthInvalid: ({ because }) => failure(because),
          AddressRefused: ({ because }) => failure(`the e-mail address of the provider ${because}`),
          ProviderAway: away
        })
      )
      // the provider may know the code still: the same address, or a new sign-in, goes on
      const ended = cookie === undefined || fragment === providerAway ? [] : [cookie.end]
      return toDashboard(fragment.toString(), ended)
    })
  }
  return routes
})
