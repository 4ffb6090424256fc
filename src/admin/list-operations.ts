/**
 * The administrator's lists: accounts, keys, daemons, the audit log, one page at a time. Owns which columns of a row
 * they show.
 */
import { Effect } from "effect"
import { shownEvent } from "../domain/account/shown-audit-event.ts"
import { isId } from "../domain/ids.ts"
import { cursorAfter, pageOf, placeOf } from "../domain/page-cursor.ts"
import { adminPageRowsMax } from "../limits/admin.ts"
import { Accounts } from "../store/accounts/accounts.ts"
import { Keys } from "../store/accounts/api-keys.ts"
import { AuditEvents } from "../store/accounts/audit-events.ts"
import { Daemons } from "../store/daemons/daemons.ts"
import { account, type Part, Refused, type Request } from "./operation.ts"

const when = (millis: number | null): string | null => (millis === null ? null : new Date(millis).toISOString())

/** Where a page begins; undefined: at the first row. */
const begin = <A>(after: string | undefined, read: (after: string) => A | undefined) =>
  Effect.suspend((): Effect.Effect<A | undefined, Refused> => {
    const place = after === undefined ? undefined : read(after)
    return after !== undefined && place === undefined
      ? Effect.fail(new Refused({ sentence: "the list does not go on from there" }))
      : Effect.succeed(place)
  })

const oneMore = adminPageRowsMax + 1

/** The accounts, oldest first. */
export const listAccounts = Effect.fnUntraced(function* (request: Request<"account list">) {
  const accounts = yield* Accounts
  const from = yield* begin(request.after, (cursor) => placeOf("account", cursor))
  const { rows, last } = pageOf(yield* accounts.list(oneMore, from), adminPageRowsMax)
  const shown = rows.map(({ id, email, plan, admin, disabled, createdAt }) => ({
    accountId: id,
    email,
    plan,
    admin,
    disabled,
    createdAt: when(createdAt)
  }))
  return { answer: { accounts: shown }, after: last && cursorAfter({ at: last.createdAt, id: last.id }) } as Part
})

/** An account's keys that are not revoked, newest first. */
export const listKeys = Effect.fnUntraced(function* (request: Request<"key list">) {
  const keys = yield* Keys
  const { id: accountId } = yield* account(request.account)
  const from = yield* begin(request.after, (cursor) => placeOf("key", cursor))
  const { rows, last } = pageOf(yield* keys.listByAccount(accountId, oneMore, from), adminPageRowsMax)
  const apiKeys = rows.map(({ id, name, prefix, scopes, createdAt, lastUsedAt, expiresAt, selector }) => ({
    id,
    name,
    prefix,
    scopes,
    createdAt: when(createdAt),
    lastUsedAt: when(lastUsedAt),
    expiresAt: when(expiresAt),
    selector
  }))
  return { answer: { apiKeys }, after: last && cursorAfter({ at: last.createdAt, id: last.id }) } as Part
})

/** An account's daemons, revoked ones too, by id. */
export const listTokens = Effect.fnUntraced(function* (request: Request<"token list">) {
  const daemons = yield* Daemons
  const { id: accountId } = yield* account(request.account)
  const from = yield* begin(request.after, (id) => (isId("daemon", id) ? id : undefined))
  const { rows, last } = pageOf(yield* daemons.enrolled(accountId, oneMore, from ?? ""), adminPageRowsMax)
  const shown = rows.map(({ daemonId, nickname, hostname, platform, version, revoked, lastSeenAt }) => ({
    daemonId,
    name: nickname,
    hostname,
    platform,
    version,
    revoked,
    lastSeenAt: when(lastSeenAt)
  }))
  return { answer: { daemons: shown }, after: last?.daemonId } as Part
})

/** Events that are not too old, newest first. An account that is removed has its events still, by its id. */
export const listAudit = Effect.fnUntraced(function* (request: Request<"audit list">) {
  const store = yield* AuditEvents
  const after = yield* begin(request.after, (cursor) => placeOf("auditEvent", cursor))
  const accountId = request.account?.includes("@") ? (yield* account(request.account)).id : request.account
  const { action, actor, object, outcome, since = 0, until } = request
  const asked = { accountId, action, actor, object, outcome, since, until, after, limit: oneMore }
  const found = yield* store.list(asked)
  const { rows, last = found.lookedTo } = pageOf(found.events, adminPageRowsMax)
  const events = rows.map((event) => {
    const { at, actor: who, ...rest } = shownEvent(event)
    return {
      at: when(at),
      accountId: event.accountId ?? null,
      actor: who.id === null ? who.kind : `${who.kind} ${who.id}`,
      ...rest
    }
  })
  return { answer: { events }, after: last && cursorAfter(last) } as Part
})
