/**
 * The routes of signing in with a provider: to it, and back to the dashboard. Owns the cookie of the browser and the
 * one-time code for the dashboard. src/auth has the provider.
 */
import { randomBytes } from "node:crypto"
import { Clock, Effect } from "effect"
import { AuditLog } from "../../actors/audit-log/audit-log.ts"
import { hashCredential } from "../../src/auth/api-key.ts"
import { FederatedAccounts } from "../../src/auth/federated-accounts.ts"
import { Oidc } from "../../src/auth/oidc.ts"
import { Config } from "../../src/config.ts"
import { NotFound, ValidationFailed } from "../../src/errors.ts"
import { codeMillisMax, signInMillisMax } from "../../src/limits.ts"
import { LoginCodes } from "../../src/store/accounts/login-codes.ts"
import { AuditedBy } from "../../src/store/accounts/recorded-change.ts"
import type { Auth } from "../api/auth.ts"
import type { Routes } from "../pipeline/action.ts"
import { emptyAnswer, type Headers } from "../pipeline/response.ts"

const cookieName = "hub_sign_in"
/** A browser takes a cookie of this name from this host over https only, and for the whole of it. */
const cookieNameOverTls = `__Host-${cookieName}`
const cookiePath = "/api/v1/auth"
const callbackPath = "/api/v1/auth/callback"
const found = 302
const noStore = ["cache-control", "no-store"] as const

const isTls = (base: URL): boolean => base.protocol === "https:"
const cookieNameAt = (base: URL): string => (isTls(base) ? cookieNameOverTls : cookieName)

const cookieOf = (base: URL, header: string | undefined): string | undefined => {
  const wanted = cookieNameAt(base)
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=")
    if (pair.slice(0, at).trim() === wanted) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** `base`: the public URL, whose path precedes the hub's paths. */
const setCookie = (base: URL, value: string, seconds: number): readonly [string, string] => {
  const path = isTls(base) ? "/" : base.pathname.replace(/\/$/u, "") + cookiePath
  const secure = isTls(base) ? "; Secure" : ""
  const rest = `; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
  return ["set-cookie", `${cookieNameAt(base)}=${value}${rest}`]
}

/** The routes of `Auth` that a provider takes part in. */
export const federatedRoutes = Effect.gen(function* () {
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const auditLog = yield* AuditLog
  const codes = yield* LoginCodes
  const oidc = yield* Oidc
  const federatedAccounts = yield* FederatedAccounts
  const { publicUrl, dashboardUrl } = settings
  const base = publicUrl === undefined ? undefined : new URL(publicUrl)
  const callbackUrl = (): URL => new URL(publicUrl!.replace(/\/$/u, "") + callbackPath)

  /** Redirects to the dashboard on success and on failure. The result is in the fragment, which no server sees. */
  const toDashboard = (fragment: string, headers: Headers = []) =>
    emptyAnswer(found, [["location", `${dashboardUrl}#${fragment}`], noStore, ...headers])

  const finish = Effect.fnUntraced(function* (query: Record<string, string | undefined>, cookie: string) {
    const callback = callbackUrl()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) callback.searchParams.set(name, value)
    const { identity, challenge = null } = yield* oidc.finish(callback, cookie)
    const account = yield* federatedAccounts.accountOf(identity)
    const code = randomBytes(32).toString("base64url")
    const authTime = identity.authTime === undefined ? null : identity.authTime * 1_000
    const login = { accountId: account.id, authTime, challenge }
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

  const routes: Pick<Routes<typeof Auth>, "begin" | "callback"> = {
    begin: Effect.fnUntraced(function* ({ query: { challenge } }) {
      if (base === undefined || dashboardUrl === undefined) return yield* new NotFound()
      if (challenge === undefined && settings.signInChallenge === "required") {
        const message = "is needed: the SHA-256, in base64url, of a verifier that the exchange of the code then shows"
        return yield* new ValidationFailed({ issues: [{ path: "challenge", message }] })
      }
      const { location, cookie } = yield* oidc.begin(callbackUrl().href, challenge)
      return emptyAnswer(found, [["location", location], noStore, setCookie(base, cookie, signInMillisMax / 1_000)])
    }),

    callback: Effect.fnUntraced(function* ({ query, headers }) {
      if (base === undefined || dashboardUrl === undefined) return yield* new NotFound()
      const expiredCookie = setCookie(base, "", 0)
      const fragment = yield* finish(query, cookieOf(base, headers.cookie) ?? "").pipe(
        Effect.catchTags({
          AuthInvalid: () => failure(),
          AddressRefused: ({ because }) => failure(`the e-mail address of the provider ${because}`)
        })
      )
      return toDashboard(fragment.toString(), [expiredCookie])
    })
  }
  return routes
})
