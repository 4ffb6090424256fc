/**
 * The store of service accounts: who a program is that no person stands behind. Owns their rows; api-keys.ts owns their
 * keys, which end with them.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { planLimits } from "../../domain/account/plans.ts"
import type { Role } from "../../domain/account/roles.ts"
import type { Scope } from "../../domain/account/scopes.ts"
import { isId } from "../../domain/ids.ts"
import { ServiceAccountLimitReached } from "../../errors.ts"
import * as query from "../sql/query.ts"
import { lockAccountAs } from "./account-lock.ts"
import { anyRecorded, attemptRecorded } from "./recorded-change.ts"

/** A service account. Times are epoch milliseconds. */
export interface ServiceAccount {
  readonly id: string
  readonly name: string
  /** Null: its scopes were given one by one. */
  readonly role: Role | null
  readonly scopes: ReadonlyArray<Scope>
  readonly selector: string | null
  readonly disabled: boolean
  readonly createdBy: string
  readonly createdAt: number
}

/** A key of one that is neither revoked nor expired. */
export interface ServiceKey {
  readonly id: string
  readonly serviceAccountId: string
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

const columns = `id, name, role, scopes, selector, disabled, created_by as "createdBy", created_at as "createdAt"`

/** The account's row is locked before they are counted, so that a concurrent call counts this one too. */
const addition = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (accountId: string, draft: ServiceAccount) {
    const plan = yield* lockAccountAs(sql, accountId, draft.createdBy)
    const limit = planLimits[plan].serviceAccounts
    const [counted] = yield* sql<{ count: number }>`
      select count(*) as count from service_accounts where account_id = ${accountId}`
    if (counted!.count >= limit) return yield* new ServiceAccountLimitReached({ limit, plan })
    yield* sql`insert into service_accounts (id, account_id, name, role, scopes, selector, disabled, created_by,
        created_at)
      values (${draft.id}, ${accountId}, ${draft.name}, ${draft.role}, ${draft.scopes}::text[], ${draft.selector},
        ${draft.disabled}, ${draft.createdBy}, ${draft.createdAt})`
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const select = sql.literal(columns)
  const add = addition(sql)

  return {
    /** Adds one; never more than the plan allows, however many calls come at once. */
    add: (accountId: string, draft: ServiceAccount) =>
      attemptRecorded(sql, "add a service account", add(accountId, draft), () => ({
        action: "service_account.created",
        accountId,
        object: draft.id,
        detail: draft.role ?? draft.scopes.join(" ")
      })),
    /** Those of an account, after an id, in the order of ids. */
    list: (accountId: string, limit: number, after = "") =>
      query.many(
        "list service accounts",
        sql<ServiceAccount>`select ${select} from service_accounts
          where account_id = ${accountId} and id > ${after} order by id limit ${limit}`
      ),
    find: (accountId: string, id: string) =>
      isId("serviceAccount", id)
        ? query.one(
            "read a service account",
            sql<ServiceAccount>`select ${select} from service_accounts where account_id = ${accountId} and id = ${id}`
          )
        : Effect.succeed(undefined),
    /** The keys of these that live. */
    keysOf: (accountId: string, ids: ReadonlyArray<string>, now: number) =>
      query.many(
        "list the keys of service accounts",
        sql<ServiceKey>`select id, service_account_id as "serviceAccountId", expires_at as "expiresAt",
            last_used_at as "lastUsedAt"
          from api_keys where account_id = ${accountId} and service_account_id = any(${ids}::text[])
            and revoked_at is null and (expires_at is null or expires_at > ${now}::bigint)
          order by created_at, id`
      ),
    /** By this person, who must have the role as it is written. False when there is none. */
    setDisabled: (accountId: string, id: string, disabled: boolean, by: string) =>
      isId("serviceAccount", id)
        ? anyRecorded(
            sql,
            "disable or enable a service account",
            Effect.andThen(
              lockAccountAs(sql, accountId, by),
              sql`update service_accounts set disabled = ${disabled}
                    where account_id = ${accountId} and id = ${id} returning id`
            ),
            { action: "service_account.changed", accountId, object: id, detail: disabled ? "disabled" : "enabled" }
          )
        : Effect.succeed(false),
    /** By this person, as above. False when there is none. */
    remove: (accountId: string, id: string, by: string) =>
      isId("serviceAccount", id)
        ? anyRecorded(
            sql,
            "remove a service account",
            Effect.andThen(
              lockAccountAs(sql, accountId, by),
              sql`delete from service_accounts where account_id = ${accountId} and id = ${id} returning id`
            ),
            { action: "service_account.removed", accountId, object: id }
          )
        : Effect.succeed(false)
  }
})

/** The store of service accounts. */
export class ServiceAccounts extends Context.Service<ServiceAccounts, Effect.Success<typeof make>>()(
  "hub/ServiceAccounts"
) {
  static readonly layer = Layer.effect(ServiceAccounts, make)
}
