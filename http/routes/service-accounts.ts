/** The routes of service accounts. Owns what each may be given; the store has the rows, api-keys.ts their keys. */
import { Clock, Effect } from "effect"
import { hashCredential, makeKey, shownPrefix } from "../../src/auth/api-key.ts"
import { revokeKey } from "../../src/auth/credential-ending.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import { readKeySelector } from "../../src/domain/account/key-selector.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { scopesOfRole } from "../../src/domain/account/roles.ts"
import { newId } from "../../src/domain/ids.ts"
import { pageOf, sealCursor } from "../../src/domain/page-cursor.ts"
import { AuthForbidden, invalid, NotFound } from "../../src/errors.ts"
import { serviceAccountKeyMillis } from "../../src/limits/people.ts"
import { listPageMax } from "../../src/limits.ts"
import { Keys } from "../../src/store/accounts/api-keys.ts"
import {
  type ServiceAccount,
  type ServiceKey,
  ServiceAccounts as Store
} from "../../src/store/accounts/service-accounts.ts"
import type { ServiceAccounts } from "../api/service-accounts.ts"
import type { Routes } from "../pipeline/action.ts"
import { json } from "../pipeline/response.ts"
import { readIdCursor } from "./paging.ts"

type Called<K extends keyof Routes<typeof ServiceAccounts>> = Parameters<Routes<typeof ServiceAccounts>[K]>[0]

const shownOnce = [["cache-control", "no-store"]] as const

const shown = (account: ServiceAccount, keys: ReadonlyArray<ServiceKey>) => ({
  ...account,
  role: account.role === "owner" ? null : account.role,
  keys: keys
    .filter(({ serviceAccountId }) => serviceAccountId === account.id)
    .map(({ serviceAccountId: _, ...key }) => key)
})

/** What it may do. A member gives no more than they have: a role has what its giver has of it. */
const granted = Effect.fnUntraced(function* (principal: Principal, { role, scopes }: Called<"create">["payload"]) {
  if ((role === undefined) === (scopes === undefined)) return yield* invalid("role", "say either role or scopes")
  if (role !== undefined) return scopesOfRole[role].filter((scope) => principal.scopes.has(scope))
  const lacked = scopes!.find((scope) => !principal.scopes.has(scope))
  return lacked === undefined ? [...new Set(scopes)] : yield* new AuthForbidden({ requiredScope: lacked })
})

const ofAccounts = Effect.gen(function* () {
  const store = yield* Store
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<Keys | Bus>()
  const keysOf = (accountId: string, ids: ReadonlyArray<string>) =>
    store.keysOf(accountId, ids, clock.currentTimeMillisUnsafe())

  const found = Effect.fnUntraced(function* (accountId: string, id: string) {
    return (yield* store.find(accountId, id)) ?? (yield* new NotFound())
  })

  const routes: Pick<Routes<typeof ServiceAccounts>, "list" | "create" | "change" | "remove"> = {
    list: Effect.fnUntraced(function* ({ principal: { accountId }, query }) {
      const limit = query.limit ?? listPageMax
      const after = yield* readIdCursor("serviceAccount", query.cursor)
      const { rows, last } = pageOf(yield* store.list(accountId, limit + 1, after), limit)
      const keys = yield* keysOf(
        accountId,
        rows.map(({ id }) => id)
      )
      return {
        serviceAccounts: rows.map((one) => shown(one, keys)),
        ...(last !== undefined && { nextCursor: sealCursor(last.id) })
      }
    }),

    create: Effect.fnUntraced(function* ({ principal, payload }) {
      const { accountId, person: createdBy = "" } = principal
      const { name, role = null } = payload
      const scopes = yield* granted(principal, payload)
      const selector = yield* Effect.fromResult(readKeySelector(payload.selector, scopes, principal.selector))
      const createdAt = clock.currentTimeMillisUnsafe()
      const account = {
        id: newId("serviceAccount"),
        ...{ name, role, scopes, selector, createdBy, createdAt },
        disabled: false
      }
      yield* store.add(accountId, account)
      bus.publish("holdings_changed", { accountId })
      return json(201, shown(account, []))
    }),

    change: Effect.fnUntraced(function* ({ principal: { accountId, person = "" }, params, payload: { disabled } }) {
      const { serviceAccountId: id } = params
      if (!(yield* store.setDisabled(accountId, id, disabled, person))) return yield* new NotFound()
      bus.publish("member_changed", { accountId, member: id })
      return shown(yield* found(accountId, id), yield* keysOf(accountId, [id]))
    }),

    remove: Effect.fnUntraced(function* ({ principal: { accountId, person = "" }, params: { serviceAccountId: id } }) {
      const now = clock.currentTimeMillisUnsafe()
      yield* found(accountId, id)
      const keys = yield* keysOf(accountId, [id])
      for (const key of keys) yield* Effect.provideContext(revokeKey(accountId, key.id, now), context)
      if (!(yield* store.remove(accountId, id, person))) return yield* new NotFound()
      bus.publish("member_changed", { accountId, member: id })
      bus.publish("holdings_changed", { accountId })
      return { success: true as const, id, revokedKeys: keys.map((key) => key.id) }
    })
  }
  return { routes, found }
})

/** The routes of `ServiceAccounts`. */
export const serviceAccountRoutes = Effect.gen(function* () {
  const keys = yield* Keys
  const bus = yield* Bus
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const { routes: ofAccount, found } = yield* ofAccounts

  const createKey: Routes<typeof ServiceAccounts>["createKey"] = Effect.fnUntraced(function* ({
    principal: { accountId, person: by = "" },
    params: { serviceAccountId },
    payload
  }) {
    if (settings.keyIssuing === "disabled") return yield* new AuthForbidden({})
    const { name, scopes, selector } = yield* found(accountId, serviceAccountId)
    const createdAt = clock.currentTimeMillisUnsafe()
    const { expiresAt = createdAt + serviceAccountKeyMillis } = payload
    if (expiresAt <= createdAt) return yield* invalid("expiresAt", "must lie in the future")
    const key = makeKey()
    const record = { id: newId("key"), name, prefix: shownPrefix(key), scopes, createdAt, expiresAt, selector }
    yield* keys.insertOfService({ ...record, accountId, serviceAccountId, hash: hashCredential(key) }, by)
    bus.publish("holdings_changed", { accountId })
    const owner = { kind: "service_account" as const, id: serviceAccountId }
    return json(201, { ...record, lastUsedAt: null, revokedAt: null, owner, key }, shownOnce)
  })

  const routes: Routes<typeof ServiceAccounts> = { ...ofAccount, createKey }
  return routes
})
