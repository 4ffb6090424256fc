/**
 * The routes of signing in and out. federated-sign-in.ts has those that a provider takes part in; src/auth has
 * passwords and sessions.
 */
import { Clock, Effect } from "effect"
import { AuditLog } from "../../actors/audit-log/audit-log.ts"
import { LoginLimits } from "../../actors/limits/login-limits.ts"
import { hashCredential } from "../../src/auth/api-key.ts"
import { isBoundTo } from "../../src/auth/challenge.ts"
import { signInPlace } from "../../src/auth/federated-accounts.ts"
import { Passwords } from "../../src/auth/password.ts"
import { loginTimeOf } from "../../src/auth/session-ending.ts"
import { DashboardSessions } from "../../src/auth/sessions.ts"
import { Config } from "../../src/config.ts"
import { AuthForbidden, AuthInvalid } from "../../src/errors.ts"
import { Accounts } from "../../src/store/accounts/accounts.ts"
import { LoginCodes } from "../../src/store/accounts/login-codes.ts"
import { People } from "../../src/store/accounts/people.ts"
import { AuditedBy } from "../../src/store/accounts/recorded-change.ts"
import type { Auth } from "../api/auth.ts"
import type { Routes } from "../pipeline/action.ts"
import { federatedRoutes } from "./federated-sign-in.ts"

const refusedSignIn = { action: "session.started", outcome: "refused", reason: "AUTH_INVALID" } as const

/** The routes of `Auth`. */
export const authRoutes = Effect.gen(function* () {
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const loginLimits = yield* LoginLimits
  const auditLog = yield* AuditLog
  const accounts = yield* Accounts
  const people = yield* People
  const context = yield* Effect.context<Accounts | People>()
  const passwords = yield* Passwords
  const sessions = yield* DashboardSessions
  const codes = yield* LoginCodes
  const seconds = (): number => Math.floor(clock.currentTimeMillisUnsafe() / 1_000)

  const byPassword = Effect.fnUntraced(function* (address: string, email: string, password: string) {
    const { person, matches } = yield* passwords.check(password, people.byEmail(email), address)
    const place = person && matches ? yield* Effect.provideContext(signInPlace(person.id), context) : undefined
    if (place === undefined) {
      const origin = yield* AuditedBy
      const [theirs] = person === undefined || origin === undefined ? [] : yield* people.accountsOf(person.id)
      if (origin !== undefined) auditLog.note(origin, { ...refusedSignIn, accountId: theirs?.accountId })
      return yield* new AuthInvalid()
    }
    // a password that is changed while it is compared is not this one any more
    const by = { passwordHash: person!.passwordHash! }
    return yield* sessions.start(place.account, seconds(), place.member.personId, by)
  })

  const routes: Routes<typeof Auth> = {
    ...(yield* federatedRoutes),

    login: ({ address, payload: { email, password } }) =>
      loginLimits.attempt(address(), email, byPassword(address(), email, password)),

    exchange: Effect.fnUntraced(function* ({ payload }) {
      const login = yield* codes.take(hashCredential(payload.code), clock.currentTimeMillisUnsafe())
      const account = login === undefined ? undefined : yield* accounts.byId(login.accountId)
      if (login === undefined || !isBoundTo(login.challenge, payload.verifier)) return yield* new AuthInvalid()
      // the sign-in began on a node of an earlier version, or with another setting
      if (login.challenge === null && settings.signInChallenge === "required") return yield* new AuthInvalid()
      if (account === undefined || account.disabled) return yield* new AuthInvalid()
      return yield* sessions.start(account, loginTimeOf(login.authTime), login.personId ?? undefined)
    }),

    refresh: ({ principal }) => sessions.refresh(principal),

    logout: ({ principal }) => Effect.as(sessions.end(principal), { success: true as const }),

    switch: ({ principal, payload: { accountId } }) => sessions.enter(principal, accountId),

    setPassword: Effect.fnUntraced(function* ({ principal, payload: { password } }) {
      const { accountId, person } = principal
      if (person === undefined) return yield* new AuthForbidden({})
      yield* people.setPassword(person, yield* passwords.hash(password), accountId)
      return { success: true as const, ended: yield* sessions.endOthers(principal) }
    }),

    logoutOthers: ({ principal }) =>
      Effect.map(sessions.endOthers(principal), (ended) => ({ success: true as const, ended }))
  }
  return routes
})
