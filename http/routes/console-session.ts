/**
 * The session that a browser keeps for the console, so that all its tabs are signed in. Owns the cookie: no script
 * reads it, no other site has it sent, and no other path of the hub takes it: no call of the API can be forged by it.
 */
import { Clock, Effect, Result } from "effect"
import { Authenticator } from "../../src/auth/authenticator.ts"
import { Config } from "../../src/config.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { AuthInvalid } from "../../src/errors.ts"
import { bearerCharsMax } from "../../src/limits.ts"
import { toEffect } from "../../src/runtime/maybe-sync.ts"
import { Accounts } from "../../src/store/accounts/accounts.ts"
import { People } from "../../src/store/accounts/people.ts"
import type { Console } from "../api/console.ts"
import type { Routes } from "../pipeline/action.ts"
import { bearerOf } from "../pipeline/bearer.ts"
import { json } from "../pipeline/response.ts"

const path = "/console/session"
const name = "hub_console"

/** The cookie at `base`, the public URL, whose path precedes the hub's paths. */
const consoleCookie = (base: URL | undefined) => {
  const isTls = base?.protocol === "https:"
  const of = isTls ? `__Secure-${name}` : name
  const rest = `Path=${(base?.pathname ?? "").replace(/\/$/u, "")}${path}; HttpOnly; SameSite=Strict${isTls ? "; Secure" : ""}`
  return {
    set: (value: string, seconds: number): readonly [string, string] => [
      "set-cookie",
      `${of}=${value}; Max-Age=${seconds}; ${rest}`
    ],
    read: (header: string | undefined): string | undefined =>
      header
        ?.split(";")
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${of}=`))
        ?.slice(of.length + 1)
  }
}

/** Browsers say where a call comes from; what says nothing is no page. */
const isOfThisSite = (site: string | undefined): boolean => site === undefined || site === "same-origin"

/** The routes of the session. */
export const consoleSessionRoutes = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const accounts = yield* Accounts
  const people = yield* People
  const clock = yield* Clock.Clock
  const { publicUrl } = yield* Config
  const cookie = consoleCookie(publicUrl === undefined ? undefined : new URL(publicUrl))
  const success = { success: true as const }
  const none = { session: null }

  const whose = Effect.fnUntraced(function* ({ accountId, person }: Principal) {
    const account = yield* accounts.byId(accountId)
    if (account === undefined) return yield* new AuthInvalid()
    const { id, email, plan, admin } = account
    const own = person === undefined ? undefined : yield* people.byId(person)
    if (own === undefined) return yield* new AuthInvalid()
    return { account: { id, email, plan, admin }, person: { id: own.id, email: own.email } }
  })

  const routes: Pick<Routes<typeof Console>, "keep" | "resume" | "forget"> = {
    keep: ({ principal, headers }) => {
      const { credential } = principal
      const left = credential.kind === "session" ? credential.expiresAt - clock.currentTimeMillisUnsafe() : 0
      return Effect.succeed(
        json(200, success, [cookie.set(bearerOf(headers.authorization) ?? "", Math.max(0, Math.floor(left / 1_000)))])
      )
    },

    // a browser that keeps none, or one that has ended, is no failure: it is the beginning of every sign-in
    resume: Effect.fnUntraced(function* ({ headers }) {
      if (!isOfThisSite(headers["sec-fetch-site"])) return yield* new AuthInvalid()
      const token = cookie.read(headers.cookie)
      if (token === undefined || token.length > bearerCharsMax) return none
      const found = yield* Effect.result(toEffect(authenticator.authenticate(token)))
      if (Result.isFailure(found)) {
        const { failure } = found
        return failure._tag === "StoreFailed" || failure._tag === "Overloaded" ? yield* failure : none
      }
      const principal = found.success
      if (principal.credential.kind !== "session") return none
      const { expiresAt } = principal.credential
      return { session: { token, expiresAt, ...(yield* whose(principal)) } }
    }),

    forget: () => Effect.succeed(json(200, success, [cookie.set("", 0)]))
  }
  return routes
})
