/**
 * Dashboard sessions: sign-in begins one, refresh continues it, log-out ends it. Owns whether a token is valid: its
 * signature, a live session in the store, and no refresh that replaced it. A refresh keeps the time of the login.
 * authenticator.ts caches the result.
 */
import { hash } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { decodeJwt } from "jose"
import { boundTo, type Member } from "../domain/account/member.ts"
import type { Plan } from "../domain/account/plans.ts"
import type { Principal, SessionCredential } from "../domain/account/principal.ts"
import { isAtLeast, sessionScopesOf } from "../domain/account/roles.ts"
import { newId } from "../domain/ids.ts"
import {
  type AddressRefused,
  AuthForbidden,
  AuthInvalid,
  NotFound,
  type Overloaded,
  type StoreFailed,
  type TokenExpired,
  TokenReplaced
} from "../errors.ts"
import { refreshGraceMillis } from "../limits.ts"
import { type Account, Accounts } from "../store/accounts/accounts.ts"
import { People } from "../store/accounts/people.ts"
import { type LoginSession, type SessionHolder, Sessions, type SignedInBy } from "../store/accounts/sessions.ts"
import { FederatedAccounts } from "./federated-accounts.ts"
import { Jwks } from "./jwks.ts"
import { type LoginTime, makeEnding } from "./session-ending.ts"
import { makeIssuing, type SignedIn } from "./session-issuing.ts"
import { issuer, keyIdOf, readToken } from "./session-tokens.ts"
import { SigningKeys } from "./signing-keys.ts"

/** The principal of a token, and when it ends at the latest (epoch milliseconds). */
export interface KnownSession {
  readonly principal: Principal
  readonly endsAt: number
}

const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]*$/u

/** Why a token is refused. */
export type TokenRefusal = AuthInvalid | TokenExpired | TokenReplaced | AddressRefused

/** Whether a text has the shape of a token. */
export const mayBeToken = (text: string): boolean => tokenShape.test(text)

const isOwn = (token: string): boolean => {
  try {
    return decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/**
 * The session id under which a foreign token is ended, since it has no session here. It is made from the signed part,
 * not from the signature: a signature has several spellings, and an ended token must not live on in another.
 */
const foreignId = (token: string): string =>
  `ses_${BigInt(`0x${hash("sha256", token.slice(0, token.lastIndexOf(".")), "hex")}`)
    .toString(36)
    .slice(0, 20)}`

interface Owner {
  readonly id: string
  readonly plan: Plan
  readonly admin: boolean
}

/** AuthInvalid: the member is bound to daemons that cannot be told. */
const principalOf = (
  account: Owner,
  { personId, role, selector }: Member,
  credential: Omit<SessionCredential, "kind">
): Effect.Effect<Principal, AuthInvalid> => {
  const bound = boundTo([selector])
  if (bound === "unreadable") return Effect.fail(new AuthInvalid())
  // what an administrator's account may do beyond its own daemons is for those who manage it
  const admin = account.admin && isAtLeast(role, "admin")
  return Effect.succeed({
    accountId: account.id,
    person: personId,
    role,
    plan: account.plan,
    admin,
    scopes: sessionScopesOf(role, admin),
    ...(bound !== undefined && { selector: bound }),
    credential: { kind: "session", ...credential }
  })
}

const timeOf = (authTime: LoginTime): { readonly authTime?: number } => (authTime === undefined ? {} : { authTime })

type Refreshed = Pick<LoginSession, "generation" | "refreshedAt">

/**
 * Whether the last refresh is so recent that the token before it is still valid. A further refresh in this time counts
 * as the same one.
 */
const inGrace = ({ refreshedAt }: Refreshed, now: number): boolean =>
  refreshedAt !== null && now < refreshedAt + refreshGraceMillis

/**
 * Whether a refresh replaced this token longer ago than the grace. Counted refreshes lie at least one grace apart, so a
 * token two or more refreshes back is always beyond it. A token of an earlier version carries no generation and is
 * accepted.
 */
const isReplaced = (session: Refreshed, generation: number | undefined, now: number): boolean =>
  generation !== undefined &&
  generation < session.generation &&
  !(generation === session.generation - 1 && inGrace(session, now))

/** Reads tokens: the hub's own, and those of another issuer. */
const makeReading = Effect.gen(function* () {
  const store = yield* Sessions
  const signing = yield* SigningKeys
  const jwks = yield* Jwks
  const federatedAccounts = yield* FederatedAccounts
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()

  const liveSession = Effect.fnUntraced(function* (sessionId: string, accountId: string) {
    const session = yield* store.byId(sessionId)
    if (session === undefined || session.endedAt !== null) return yield* new AuthInvalid()
    if (session.expiresAt <= now() || session.accountId !== accountId) return yield* new AuthInvalid()
    const { member } = session
    if (session.accountDisabled || member === null) return yield* new AuthInvalid()
    return { ...session, member }
  })

  const readOwn = Effect.fnUntraced(function* (token: string) {
    const kid = keyIdOf(token)
    const key = kid === undefined ? undefined : yield* signing.publicKey(kid)
    if (key === undefined) return yield* new AuthInvalid()
    const claims = yield* readToken(token, key, now())
    const { sessionId, authTime, generation } = claims
    const session = yield* liveSession(sessionId, claims.accountId)
    const { accountId, member, plan, admin } = session
    if (isReplaced(session, generation, now())) return yield* new TokenReplaced({ accountId, sessionId })
    const replaced = generation !== undefined && generation < session.generation
    const graceEnds = replaced ? session.refreshedAt! + refreshGraceMillis : Number.POSITIVE_INFINITY
    const expiresAt = Math.min(claims.expiresAt * 1_000, graceEnds)
    const credential = { sessionId, ...timeOf(authTime), expiresAt, ...(generation !== undefined && { generation }) }
    const principal = yield* principalOf({ id: accountId, plan, admin }, member, credential)
    return { principal, endsAt: expiresAt } satisfies KnownSession
  })

  const readForeign = Effect.fnUntraced(function* (token: string) {
    const identity = yield* jwks.read(token)
    const sessionId = foreignId(token)
    const session = yield* store.byId(sessionId)
    if (session !== undefined && session.endedAt !== null) return yield* new AuthInvalid()
    const { account, member } = yield* federatedAccounts.placeOf(identity)
    const endsAt = identity.expiresAt * 1_000
    const credential = { sessionId, ...timeOf(identity.authTime), expiresAt: endsAt }
    return { principal: yield* principalOf(account, member, credential), endsAt } satisfies KnownSession
  })

  const read = (token: string) =>
    Effect.suspend(
      (): Effect.Effect<KnownSession, TokenRefusal | StoreFailed> =>
        isOwn(token) ? readOwn(token) : readForeign(token)
    )
  return { liveSession, read }
})

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const people = yield* People
  const store = yield* Sessions
  const clock = yield* Clock.Clock
  const { liveSession, read } = yield* makeReading
  const { end, endOthers, replayed } = yield* makeEnding
  const { start, issue, begin } = yield* makeIssuing
  const now = (): number => clock.currentTimeMillisUnsafe()

  /** The session after a refresh with this token. */
  const advance = Effect.fnUntraced(function* (session: SessionHolder, generation: number | undefined) {
    const { id: sessionId, accountId } = session
    if (isReplaced(session, generation, now())) {
      const failure = new TokenReplaced({ accountId, sessionId })
      yield* replayed(failure)
      return yield* failure
    }
    if (inGrace(session, now())) return session
    if (yield* store.refreshed(sessionId, session.generation, now())) {
      return { ...session, generation: session.generation + 1 }
    }
    // A concurrent refresh was counted.
    return yield* liveSession(sessionId, accountId)
  })

  const enter = Effect.fnUntraced(function* ({ person, accountId: from, credential }: Principal, accountId: string) {
    if (credential.kind !== "session" || person === undefined) return yield* new AuthForbidden({})
    const session = yield* store.byId(credential.sessionId)
    // The hub issues no token for a login it did not see.
    if (session === undefined) return yield* new AuthForbidden({})
    const { authTime, expiresAt } = yield* liveSession(session.id, from)
    const theirs = (yield* people.accountsOf(person)).find((one) => one.accountId === accountId && !one.disabled)
    const account = theirs && (yield* accounts.byId(accountId))
    if (account === undefined) return yield* new NotFound({ what: "such account of yours; GET /api/v1/me lists them" })
    const entered = { id: newId("session"), accountId, personId: person, authTime, createdAt: now(), expiresAt }
    return yield* begin(account, entered, { sessionId: session.id })
  })

  const refresh = Effect.fnUntraced(function* ({ accountId, credential }: Principal) {
    if (credential.kind !== "session") return yield* new AuthForbidden({})
    const session = yield* store.byId(credential.sessionId)
    // Another issuer refreshes its own tokens: the hub issues no token for a login it did not see.
    if (session === undefined) return yield* new AuthForbidden({})
    const living = yield* liveSession(session.id, accountId)
    const account = yield* accounts.byId(accountId)
    if (account === undefined) return yield* new AuthInvalid()
    return yield* issue(account, yield* advance(living, credential.generation), living.member.personId)
  })

  return DashboardSessions.of({ start, enter, refresh, end, endOthers, replayed, read })
})

export class DashboardSessions extends Context.Service<
  DashboardSessions,
  {
    /**
     * Begins a session; `authTime` (epoch seconds) is when the person signed in, undefined when unknown. `personId`
     * absent: the person whose address the account bears. AuthInvalid: what they signed in by is over meanwhile.
     */
    readonly start: (
      account: Account,
      authTime: LoginTime,
      personId?: string,
      by?: SignedInBy
    ) => Effect.Effect<SignedIn, AuthInvalid | StoreFailed>
    /** Begins a session of the same login in another account of the person. NotFound: it is none of theirs. */
    readonly enter: (
      principal: Principal,
      accountId: string
    ) => Effect.Effect<SignedIn, AuthForbidden | AuthInvalid | NotFound | StoreFailed>
    /** Issues a new token for the same login. */
    readonly refresh: (
      principal: Principal
    ) => Effect.Effect<SignedIn, AuthForbidden | AuthInvalid | TokenReplaced | StoreFailed>
    /** Ends the session: no node accepts any of its tokens any more. */
    readonly end: (principal: Principal) => Effect.Effect<void, AuthForbidden | StoreFailed>
    /** Ends every other session of the person, in whatever account; returns their number. */
    readonly endOthers: (principal: Principal) => Effect.Effect<number, AuthForbidden | StoreFailed>
    /** Ends the session of a replaced token that was used where only the newest may be. */
    readonly replayed: (token: TokenReplaced) => Effect.Effect<void, StoreFailed>
    /** The principal of a token. */
    readonly read: (token: string) => Effect.Effect<KnownSession, TokenRefusal | Overloaded | StoreFailed>
  }
>()("hub/DashboardSessions") {
  static readonly layer = Layer.effect(DashboardSessions, make)
}
