/**
 * The session that a browser keeps for the console, so that all its tabs are signed in. Owns what is taken for one: no
 * script reads the cookie, no other site has it sent, and no other path of the hub takes it: no call of the API can be
 * forged by it. console-cookie.ts has the cookie.
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
import { consoleCookie, mayBeOld } from "./console-cookie.ts"

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
  const kept = (token: string, end: number) =>
    cookie.set(token, Math.max(0, Math.floor((end - clock.currentTimeMillisUnsafe()) / 1_000)))
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
      const end = credential.kind === "session" ? credential.expiresAt : 0
      return Effect.succeed(json(200, success, kept(bearerOf(headers.authorization) ?? "", end)))
    },

    // a browser that keeps none, or one that has ended, is no failure: it is the beginning of every sign-in
    resume: Effect.fnUntraced(function* ({ headers }) {
      if (!isOfThisSite(headers["sec-fetch-site"])) return yield* new AuthInvalid()
      const sent = cookie.read(headers.cookie)
      if (sent === undefined || sent.token.length > bearerCharsMax) return none
      const { token, isOld } = sent
      const found = yield* Effect.result(toEffect(authenticator.authenticate(token)))
      if (Result.isFailure(found)) {
        const { failure } = found
        return failure._tag === "StoreFailed" || failure._tag === "Overloaded" ? yield* failure : none
      }
      const principal = found.success
      if (principal.credential.kind !== "session") return none
      const { expiresAt, authTime } = principal.credential
      if (isOld && !mayBeOld(authTime)) return none
      const session = { token, expiresAt, ...(yield* whose(principal)) }
      return json(200, { session }, isOld ? kept(token, expiresAt) : [])
    }),

    forget: () => Effect.succeed(json(200, success, cookie.set("", 0)))
  }
  return routes
})
