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
import { type RoleTooLow, ServiceAccountLimitReached, type StoreFailed } from "../../errors.ts"
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

/** The store of service accounts. */
export class ServiceAccounts extends Context.Service<
  ServiceAccounts,
  {
    /** Adds one; never more than the plan allows, however many calls come at once. */
    readonly add: (
      accountId: string,
      draft: ServiceAccount
    ) => Effect.Effect<void, RoleTooLow | ServiceAccountLimitReached | StoreFailed>
    /** Those of an account, after an id, in the order of ids. */
    readonly list: (
      accountId: string,
      limit: number,
      after?: string | undefined
    ) => Effect.Effect<ReadonlyArray<ServiceAccount>, StoreFailed>
    readonly find: (accountId: string, id: string) => Effect.Effect<ServiceAccount | undefined, StoreFailed>
    /** The keys of these that live. */
    readonly keysOf: (
      accountId: string,
      ids: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<ReadonlyArray<ServiceKey>, StoreFailed>
    /** By this person, who must have the role as it is written. False when there is none. */
    readonly setDisabled: (
      accountId: string,
      id: string,
      disabled: boolean,
      by: string
    ) => Effect.Effect<boolean, RoleTooLow | StoreFailed>
    /** By this person, as above. False when there is none. */
    readonly remove: (accountId: string, id: string, by: string) => Effect.Effect<boolean, RoleTooLow | StoreFailed>
  }
>()("hub/ServiceAccounts") {
  static readonly layer = Layer.effect(ServiceAccounts)(Effect.suspend(() => make))
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

  return ServiceAccounts.of({
    add: (accountId, draft) =>
      attemptRecorded(sql, "add a service account", add(accountId, draft), () => ({
        action: "service_account.created",
        accountId,
        object: draft.id,
        detail: draft.role ?? draft.scopes.join(" ")
      })),
    list: (accountId, limit, after = "") =>
      query.many(
        "list service accounts",
        sql<ServiceAccount>`select ${select} from service_accounts
          where account_id = ${accountId} and id > ${after} order by id limit ${limit}`
      ),
    find: (accountId, id) =>
      isId("serviceAccount", id)
        ? query.one(
            "read a service account",
            sql<ServiceAccount>`select ${select} from service_accounts where account_id = ${accountId} and id = ${id}`
          )
        : Effect.succeed(undefined),
    keysOf: (accountId, ids, now) =>
      query.many(
        "list the keys of service accounts",
        sql<ServiceKey>`select id, service_account_id as "serviceAccountId", expires_at as "expiresAt",
            last_used_at as "lastUsedAt"
          from api_keys where account_id = ${accountId} and service_account_id = any(${ids}::text[])
            and revoked_at is null and (expires_at is null or expires_at > ${now}::bigint)
          order by created_at, id`
      ),
    setDisabled: (accountId, id, disabled, by) =>
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
    remove: (accountId, id, by) =>
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
  })
})
