/**
 * Dashboard sessions: what signing in begins, refreshing continues and logging out ends. Owns whether a token is believed
 * (its signature, and that its session still lives in the store); a refresh keeps the time of the login. What is cached
 * of a token is the keyring's.
 */
import { hash } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { decodeJwt } from "jose"
import { Bus } from "../bus/bus.ts"
import { Config } from "../config.ts"
import { newId } from "../domain/ids.ts"
import type { Plan } from "../domain/plans.ts"
import type { Principal } from "../domain/principal.ts"
import { scopes, sessionScopes } from "../domain/scopes.ts"
import { AuthForbidden, AuthInvalid, type Overloaded, type StoreFailed, type TokenExpired } from "../errors.ts"
import { loginMillisMax } from "../limits.ts"
import { type Account, Accounts } from "../store/accounts.ts"
import { Sessions } from "../store/sessions.ts"
import { Jwks } from "./jwks.ts"
import { People } from "./people.ts"
import { Signing } from "./signing.ts"
import { issuer, keyIdOf, readToken, signToken } from "./tokens.ts"

/** What signing in gives. */
export interface SignedIn {
  readonly token: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly account: Pick<Account, "id" | "email" | "plan" | "admin">
}

/** Who a token is, and when that ends at the latest (epoch milliseconds). */
export interface KnownSession {
  readonly principal: Principal
  readonly endsAt: number
}

const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]*$/u

/** Whether a text can be a token at all. */
export const mayBeToken = (text: string): boolean => tokenShape.test(text)

const isOwn = (token: string): boolean => {
  try {
    return decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/**
 * The id under which a foreign token is ended: it has no session of ours to end. Made from what was signed, not from the
 * signature: of that there are several spellings, and a dead token must not live on in another one.
 */
const foreignId = (token: string): string =>
  `ses_${BigInt(`0x${hash("sha256", token.slice(0, token.lastIndexOf(".")), "hex")}`)
    .toString(36)
    .slice(0, 20)}`

/** When a person signed in, epoch seconds; undefined: unknown, and so never recent. */
type LoginTime = number | undefined

const storedTime = (seconds: LoginTime): number | null => (seconds === undefined ? null : seconds * 1_000)

/** The same of what is stored. */
export const loginTimeOf = (millis: number | null): LoginTime => (millis === null ? undefined : millis / 1_000)

const everyScope = new Set(scopes)
const userScopes = new Set(sessionScopes)

interface Owner {
  readonly id: string
  readonly plan: Plan
  readonly admin: boolean
}

const principalOf = (account: Owner, sessionId: string, authTime: LoginTime, expiresAt: number): Principal => ({
  accountId: account.id,
  plan: account.plan,
  admin: account.admin,
  scopes: account.admin ? everyScope : userScopes,
  credential: { kind: "session", sessionId, ...(authTime === undefined ? {} : { authTime }), expiresAt }
})

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const store = yield* Sessions
  const signing = yield* Signing
  const jwks = yield* Jwks
  const people = yield* People
  const bus = yield* Bus
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()

  /** A token for this session, never beyond the session's own end. */
  const issue = Effect.fnUntraced(function* (account: Account, sessionId: string, authTime: LoginTime, endsAt: number) {
    const key = yield* signing.current
    const issuedAt = Math.floor(now() / 1_000)
    const expiresAt = Math.min(issuedAt + settings.sessionSeconds, Math.floor(endsAt / 1_000))
    const token = yield* signToken({ accountId: account.id, sessionId, authTime, issuedAt, expiresAt }, key)
    const { id, email, plan, admin } = account
    return { token, expiresAt: expiresAt * 1_000, account: { id, email, plan, admin } } satisfies SignedIn
  })

  const start = Effect.fnUntraced(function* (account: Account, authTime: LoginTime) {
    const id = newId("session")
    const createdAt = now()
    const expiresAt = createdAt + Math.max(loginMillisMax, settings.sessionSeconds * 1_000)
    yield* store.start({ id, accountId: account.id, authTime: storedTime(authTime), createdAt, expiresAt })
    return yield* issue(account, id, authTime, expiresAt)
  })

  const liveSession = Effect.fnUntraced(function* (sessionId: string, accountId: string) {
    const session = yield* store.byId(sessionId)
    if (session === undefined || session.endedAt !== null) return yield* new AuthInvalid()
    if (session.expiresAt <= now() || session.accountId !== accountId) return yield* new AuthInvalid()
    if (session.accountDisabled) return yield* new AuthInvalid()
    return session
  })

  const readOwn = Effect.fnUntraced(function* (token: string) {
    const kid = keyIdOf(token)
    const key = kid === undefined ? undefined : yield* signing.publicKey(kid)
    if (key === undefined) return yield* new AuthInvalid()
    const claims = yield* readToken(token, key, now())
    const { accountId: id, plan, admin } = yield* liveSession(claims.sessionId, claims.accountId)
    const endsAt = claims.expiresAt * 1_000
    return {
      principal: principalOf({ id, plan, admin }, claims.sessionId, claims.authTime, endsAt),
      endsAt
    } satisfies KnownSession
  })

  const readForeign = Effect.fnUntraced(function* (token: string) {
    const identity = yield* jwks.read(token)
    const sessionId = foreignId(token)
    const session = yield* store.byId(sessionId)
    if (session !== undefined && session.endedAt !== null) return yield* new AuthInvalid()
    const account = yield* people.accountOf(identity)
    const endsAt = identity.expiresAt * 1_000
    return { principal: principalOf(account, sessionId, identity.authTime, endsAt), endsAt } satisfies KnownSession
  })

  const refresh = Effect.fnUntraced(function* ({ accountId, credential }: Principal) {
    if (credential.kind !== "session") return yield* new AuthForbidden({})
    const session = yield* store.byId(credential.sessionId)
    // Another issuer's token is refreshed there: the hub makes no token for a login it did not see.
    if (session === undefined) return yield* new AuthForbidden({})
    yield* liveSession(session.id, accountId)
    const account = yield* accounts.byId(accountId)
    if (account === undefined) return yield* new AuthInvalid()
    return yield* issue(account, session.id, loginTimeOf(session.authTime), session.expiresAt)
  })

  const end = Effect.fnUntraced(function* ({ accountId, credential }: Principal) {
    if (credential.kind !== "session") return yield* new AuthForbidden({})
    const { sessionId: id, authTime, expiresAt } = credential
    const endedAt = now()
    if (!(yield* store.end(id, endedAt))) {
      // Another issuer's token has no row: one is made that says it ended, for as long as the token could live.
      yield* store.start({ id, accountId, authTime: storedTime(authTime), createdAt: endedAt, expiresAt })
      yield* store.end(id, endedAt)
    }
    bus.publish("session_ended", { sessionId: id })
  })

  return DashboardSessions.of({
    start,
    refresh,
    end,
    read: (token) => Effect.suspend(() => (isOwn(token) ? readOwn(token) : readForeign(token)))
  })
})

/** Dashboard sessions. */
export class DashboardSessions extends Context.Service<
  DashboardSessions,
  {
    /** Begins a session; `authTime` (epoch seconds) is when the person signed in, undefined where nobody said it. */
    readonly start: (account: Account, authTime: LoginTime) => Effect.Effect<SignedIn, StoreFailed>
    /** A new token for the same login. */
    readonly refresh: (principal: Principal) => Effect.Effect<SignedIn, AuthForbidden | AuthInvalid | StoreFailed>
    /** Ends the session: none of its tokens is good any more, on any node. */
    readonly end: (principal: Principal) => Effect.Effect<void, AuthForbidden | StoreFailed>
    /** Who a token is. */
    readonly read: (token: string) => Effect.Effect<KnownSession, AuthInvalid | TokenExpired | Overloaded | StoreFailed>
  }
>()("hub/DashboardSessions") {
  static readonly layer = Layer.effect(DashboardSessions, make)
}
