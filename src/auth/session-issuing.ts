/**
 * Begins dashboard sessions and issues their tokens. Owns how long each lasts; sessions.ts decides whether a token is
 * valid.
 */
import { Clock, Effect } from "effect"
import { Bus } from "../bus/bus.ts"
import { Config } from "../config.ts"
import { newId } from "../domain/ids.ts"
import { AuthInvalid } from "../errors.ts"
import { loginMillisMax } from "../limits.ts"
import type { Account } from "../store/accounts/accounts.ts"
import { People, type Person } from "../store/accounts/people.ts"
import { type LoginSession, type SessionDraft, Sessions, type SignedInBy } from "../store/accounts/sessions.ts"
import { type LoginTime, loginTimeOf, storedTime } from "./session-ending.ts"
import { signToken } from "./session-tokens.ts"
import { SigningKeys } from "./signing-keys.ts"

/** The result of a sign-in. */
export interface SignedIn {
  readonly token: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly account: Pick<Account, "id" | "email" | "plan" | "admin">
  readonly person: Pick<Person, "id" | "email">
}

export const makeIssuing = Effect.gen(function* () {
  const store = yield* Sessions
  const people = yield* People
  const signing = yield* SigningKeys
  const bus = yield* Bus
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()

  /** Issues a token for this session, never beyond the session's own end. */
  const issue = Effect.fnUntraced(function* (
    account: Account,
    session: Pick<LoginSession, "id" | "authTime" | "expiresAt" | "generation">,
    personId: string | null = account.personId
  ) {
    const found = personId === null ? undefined : yield* people.byId(personId)
    // removed meanwhile: the token would be refused
    if (found === undefined) return yield* new AuthInvalid()
    const key = yield* signing.current
    const { id: sessionId, generation } = session
    const authTime = loginTimeOf(session.authTime)
    const issuedAt = Math.floor(now() / 1_000)
    const expiresAt = Math.min(issuedAt + settings.sessionSeconds, Math.floor(session.expiresAt / 1_000))
    const token = yield* signToken({ accountId: account.id, sessionId, authTime, issuedAt, expiresAt, generation }, key)
    const { id, email, plan, admin } = account
    const person = { id: found.id, email: found.email }
    return { token, expiresAt: expiresAt * 1_000, account: { id, email, plan, admin }, person } satisfies SignedIn
  })

  const begin = Effect.fnUntraced(function* (account: Account, session: SessionDraft, by?: SignedInBy) {
    const ended = yield* store.start(session, by)
    if (ended === undefined) return yield* new AuthInvalid()
    for (const endedId of ended) bus.publish("session_ended", { sessionId: endedId })
    return yield* issue(account, { ...session, generation: 0 }, session.personId)
  })

  const start = Effect.fnUntraced(function* (
    account: Account,
    authTime: LoginTime,
    personId?: string,
    by?: SignedInBy
  ) {
    const id = newId("session")
    const createdAt = now()
    const expiresAt = createdAt + Math.max(loginMillisMax, settings.sessionSeconds * 1_000)
    const of = { accountId: account.id, ...(personId !== undefined && { personId }) }
    const session = { id, ...of, authTime: storedTime(authTime), createdAt, expiresAt }
    return yield* begin(account, session, by)
  })

  return { issue, begin, start }
})
