/** The routes of API keys. Owns who may mint which scopes. The store has the rows, the authenticator the cache. */
import { Clock, Effect } from "effect"
import { hashCredential, makeKey, shownPrefix } from "../../src/auth/api-key.ts"
import { revokeKey } from "../../src/auth/credential-ending.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import { readKeySelector } from "../../src/domain/account/key-selector.ts"
import { ownOnly } from "../../src/domain/account/principal.ts"
import { newId } from "../../src/domain/ids.ts"
import { cursorAfter, pageOf } from "../../src/domain/page-cursor.ts"
import { AuthForbidden, invalid, NotFound } from "../../src/errors.ts"
import { listPageMax } from "../../src/limits.ts"
import { type Key, type KeyOwner, Keys as KeyStore } from "../../src/store/accounts/api-keys.ts"
import type { Keys } from "../api/keys.ts"
import type { Routes } from "../pipeline/action.ts"
import { readPlace } from "./paging.ts"

/** Whose a key is, as it is shown; null: the account's own. */
const shownOwner = ({ personId, serviceAccountId }: KeyOwner) => {
  if (serviceAccountId !== null) return { kind: "service_account" as const, id: serviceAccountId }
  return personId === null ? null : { kind: "person" as const, id: personId }
}

const record = ({ accountId: _own, personId, serviceAccountId, ...key }: Key) => ({
  ...key,
  owner: shownOwner({ personId, serviceAccountId })
})

const pastMessage = "must lie in the future"

/** The routes of `Keys`. */
export const keyRoutes = Effect.gen(function* () {
  const store = yield* KeyStore
  const bus = yield* Bus
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<KeyStore | Bus>()
  const revoke = (...of: Parameters<typeof revokeKey>) => Effect.provideContext(revokeKey(...of), context)

  const routes: Routes<typeof Keys> = {
    list: Effect.fnUntraced(function* ({ principal, query }) {
      const limit = query.limit ?? listPageMax
      const after = yield* readPlace("key", query.cursor)
      const { rows, last } = pageOf(
        yield* store.listByAccount(principal.accountId, limit + 1, after, ownOnly(principal)),
        limit
      )
      return {
        apiKeys: rows.map(record),
        ...(last !== undefined && { nextCursor: cursorAfter({ at: last.createdAt, id: last.id }) })
      }
    }),

    create: Effect.fnUntraced(function* ({ principal, payload }) {
      if (settings.keyIssuing === "disabled") return yield* new AuthForbidden({})
      const scopes = [...new Set(payload.scopes)]
      const lacked = scopes.find((scope) => !principal.scopes.has(scope))
      if (lacked !== undefined) return yield* new AuthForbidden({ requiredScope: lacked })
      const now = clock.currentTimeMillisUnsafe()
      const expiresAt = payload.expiresAt ?? null
      if (expiresAt !== null && expiresAt <= now) return yield* invalid("expiresAt", pastMessage)
      const selector = yield* Effect.fromResult(readKeySelector(payload.selector, scopes, principal.selector))
      const key = makeKey()
      const draft = {
        id: newId("key"),
        accountId: principal.accountId,
        personId: principal.person ?? null,
        serviceAccountId: null,
        name: payload.name,
        prefix: shownPrefix(key),
        scopes,
        createdAt: now,
        expiresAt,
        selector
      }
      yield* store.insert({ ...draft, hash: hashCredential(key) })
      bus.publish("holdings_changed", { accountId: principal.accountId })
      return { ...record({ ...draft, lastUsedAt: null, revokedAt: null }), key }
    }),

    revoke: Effect.fnUntraced(function* ({ principal, params }) {
      const own = ownOnly(principal)
      const owner = own === undefined ? undefined : yield* store.ownerOf(principal.accountId, params.keyId)
      if (own !== owner?.personId) return yield* new NotFound()
      const cancelled = yield* revoke(principal.accountId, params.keyId, clock.currentTimeMillisUnsafe())
      if (cancelled === undefined) return yield* new NotFound()
      return { success: true as const, id: params.keyId, cancelledJobs: cancelled }
    })
  }
  return routes
})
