/**
 * The routes of members and invitations. Owns what of a request is refused before the store is asked, and that every
 * node hears of a change; the stores decide who may change whom.
 */
import { Clock, Effect, Result } from "effect"
import { hashCredential } from "../../src/auth/api-key.ts"
import { Authenticator } from "../../src/auth/authenticator.ts"
import { invitationTokens } from "../../src/auth/checksummed-token.ts"
import { Passwords } from "../../src/auth/password.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import { readEmailAddress } from "../../src/domain/account/email-address.ts"
import { readMemberSelector, wideRole } from "../../src/domain/account/member.ts"
import { newId } from "../../src/domain/ids.ts"
import { cursorAfter, pageOf } from "../../src/domain/page-cursor.ts"
import { AuthRequired, invalid, NotFound } from "../../src/errors.ts"
import { invitationMillis, invitationMillisMax, membersPageMax } from "../../src/limits/people.ts"
import { toEffect } from "../../src/runtime/maybe-sync.ts"
import { Invitations } from "../../src/store/accounts/invitations.ts"
import { Members as MemberStore } from "../../src/store/accounts/members.ts"
import type { Members } from "../api/members.ts"
import type { Routes } from "../pipeline/action.ts"
import { bearerOf } from "../pipeline/bearer.ts"
import { json } from "../pipeline/response.ts"
import { readPlace } from "./paging.ts"

const page = "/console#/invitation/"
/** Members as they are listed, changed and removed. */
const ofMembers = Effect.gen(function* () {
  const store = yield* MemberStore
  const bus = yield* Bus
  const clock = yield* Clock.Clock

  const routes: Pick<Routes<typeof Members>, "list" | "change" | "remove"> = {
    list: Effect.fnUntraced(function* ({ principal, query }) {
      const limit = query.limit ?? membersPageMax
      const after = yield* readPlace("person", query.cursor)
      const { rows, last } = pageOf(yield* store.list(principal.accountId, limit + 1, after), limit)
      return {
        members: rows,
        ...(last !== undefined && { nextCursor: cursorAfter({ at: last.since, id: last.personId }) })
      }
    }),

    change: Effect.fnUntraced(function* ({ principal, params: { personId }, payload: { role, selector } }) {
      const { accountId, person: by = "" } = principal
      const bound = selector === undefined ? undefined : yield* Effect.fromResult(readMemberSelector(selector))
      const changed = yield* store.change({ accountId, personId, by }, { role, selector: bound })
      bus.publish("member_changed", { accountId, member: personId })
      return changed
    }),

    remove: Effect.fnUntraced(function* ({ principal, params: { personId } }) {
      const { accountId, person: by = "" } = principal
      const { sessionIds, keyIds } = yield* store.remove({ accountId, personId, by }, clock.currentTimeMillisUnsafe())
      bus.publish("member_changed", { accountId, member: personId })
      // nodes of an earlier version know sessions and keys only
      for (const sessionId of sessionIds) bus.publish("session_ended", { sessionId })
      for (const keyId of keyIds) bus.publish("key_changed", { keyId })
      bus.publish("holdings_changed", { accountId })
      return { success: true as const, personId, revokedKeys: keyIds }
    })
  }
  return routes
})

/** Invitations as an account sees them. */
const ofInvitations = Effect.gen(function* () {
  const store = yield* Invitations
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const { publicUrl = "" } = yield* Config

  const routes: Pick<Routes<typeof Members>, "invitations" | "invite" | "uninvite"> = {
    invitations: ({ principal }) =>
      Effect.map(store.listByAccount(principal.accountId, clock.currentTimeMillisUnsafe()), (invitations) => ({
        invitations
      })),

    invite: Effect.fnUntraced(function* ({ principal, payload }) {
      const createdAt = clock.currentTimeMillisUnsafe()
      const address = readEmailAddress(payload.email)
      if (Result.isFailure(address)) return yield* invalid("email", address.failure)
      const { role, expiresAt = createdAt + invitationMillis } = payload
      const selector = yield* Effect.fromResult(readMemberSelector(payload.selector ?? ""))
      const wide = wideRole(role, selector)
      if (wide !== undefined) return yield* wide
      if (expiresAt <= createdAt) return yield* invalid("expiresAt", "must lie in the future")
      if (expiresAt > createdAt + invitationMillisMax) return yield* invalid("expiresAt", "must lie within 30 days")
      const token = invitationTokens.make()
      const { accountId, person: invitedBy = "" } = principal
      const { text: email, key: emailKey } = address.success
      const shown = { id: newId("invitation"), email, role, selector, invitedBy, createdAt, expiresAt }
      yield* store.add({ ...shown, accountId, emailKey, hash: hashCredential(token) })
      bus.publish("holdings_changed", { accountId })
      const url = publicUrl.replace(/\/$/u, "") + page + token
      return json(201, { ...shown, token, url }, [["cache-control", "no-store"]])
    }),

    uninvite: Effect.fnUntraced(function* ({ principal: { accountId }, params: { invitationId } }) {
      if (!(yield* store.remove(accountId, invitationId))) return yield* new NotFound()
      bus.publish("holdings_changed", { accountId })
      return { success: true as const, id: invitationId }
    })
  }
  return routes
})

/** What an invitation is to, and its acceptance, which takes the session of whom it is for, or makes a person. */
const ofInvited = Effect.gen(function* () {
  const store = yield* Invitations
  const passwords = yield* Passwords
  const { authenticate } = yield* Authenticator
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const notGood = new NotFound({ what: "invitation that this token is good for" })

  /** The person who is signed in; undefined: none is. A token that has ended counts as none. */
  const signedIn = (authorization = "") => {
    const bearer = bearerOf(authorization)
    if (bearer === undefined || bearer === "") return Effect.succeed(undefined)
    return Effect.catchTags(
      Effect.map(toEffect(authenticate(bearer)), ({ credential, person }) =>
        credential.kind === "session" ? person : undefined
      ),
      {
        AuthInvalid: () => Effect.succeed(undefined),
        TokenExpired: () => Effect.succeed(undefined),
        TokenReplaced: () => Effect.succeed(undefined),
        AddressRefused: () => Effect.succeed(undefined)
      }
    )
  }

  const goodBy = Effect.fnUntraced(function* (token: string, now: number) {
    const good = invitationTokens.isValid(token) ? yield* store.good(hashCredential(token), now) : undefined
    return good ?? (yield* notGood)
  })

  const showInvitation: Routes<typeof Members>["showInvitation"] = Effect.fnUntraced(function* ({ payload }) {
    const { accountId, accountEmail, taken, ...shown } = yield* goodBy(payload.token, clock.currentTimeMillisUnsafe())
    return { account: { id: accountId, email: accountEmail }, ...shown, signsIn: taken }
  })

  const accept: Routes<typeof Members>["accept"] = Effect.fnUntraced(function* ({ headers, payload }) {
    const { token, password } = payload
    const now = clock.currentTimeMillisUnsafe()
    const good = yield* goodBy(token, now)
    const personId = yield* signedIn(headers.authorization)
    if (personId === undefined && good.taken) return yield* new AuthRequired()
    if (personId === undefined && password === undefined) {
      return yield* invalid("password", "is needed where no person has this address yet")
    }
    const who = personId === undefined ? { passwordHash: yield* passwords.hash(password!) } : { personId }
    const accepted = yield* store.accept(hashCredential(token), who, now)
    if (accepted === undefined) return yield* notGood
    const { accountId, personId: member } = accepted
    bus.publish("member_changed", { accountId, member })
    bus.publish("holdings_changed", { accountId })
    return { ...accepted, email: good.email }
  })
  return { showInvitation, accept }
})

/** The routes of `Members`. */
export const memberRoutes = Effect.gen(function* () {
  const routes: Routes<typeof Members> = { ...(yield* ofMembers), ...(yield* ofInvitations), ...(yield* ofInvited) }
  return routes
})
