/** The store of accounts. Owns their rows; never hashes a password and never decides what a plan allows. */
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { emailKey, readEmailAddress } from "../../domain/account/email-address.ts"
import type { Plan } from "../../domain/account/plans.ts"
import { isId } from "../../domain/ids.ts"
import type { PagePosition } from "../../domain/page-cursor.ts"
import { type StoreFailed, ValidationFailed } from "../../errors.ts"
import * as query from "../sql/query.ts"
import { anyRecorded, attemptRecorded } from "./recorded-change.ts"

/** An account. Times are epoch milliseconds; null: never set. */
export interface Account {
  readonly id: string
  readonly email: string
  /** The person whose address and password these are; null: they have left. */
  readonly personId: string | null
  readonly passwordHash: string | null
  readonly plan: Plan
  readonly admin: boolean
  readonly disabled: boolean
  /** False: no issuer vouched for the address when the account was made. */
  readonly vouched: boolean
  readonly createdAt: number
}

/** A new account. The address is stored in the form of account/email-address.ts. */
export interface AccountDraft {
  readonly id: string
  readonly email: string
  readonly passwordHash: string | null
  readonly plan: Plan
  readonly admin: boolean
  /** True when absent. */
  readonly vouched?: boolean
  readonly createdAt: number
}

/** An address names one account and one person. */
const unique = ["accounts_email", "accounts_email_key", "people_email", "people_email_key"]

const oldestOfAll: PagePosition = { at: -1, id: "" }

const columns = `id, email, person_id as "personId", password_hash as "passwordHash", plan, admin, disabled, vouched, created_at as "createdAt"`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const select = sql.literal(columns)

  return {
    /**
     * Adds an account with its owner, a new person; false when the address is that of an account or a person, in
     * whatever spelling. ValidationFailed when the address can name none.
     */
    create: (draft: AccountDraft): Effect.Effect<boolean, StoreFailed | ValidationFailed> => {
      const address = readEmailAddress(draft.email)
      if (Result.isFailure(address)) {
        return Effect.fail(new ValidationFailed({ issues: [{ path: "email", message: address.failure }] }))
      }
      const { text, key } = address.success
      return sql`insert into accounts (id, email, email_key, password_hash, plan, admin, vouched, created_at) values (
        ${draft.id}, ${text}, ${key}, ${draft.passwordHash}, ${draft.plan}, ${draft.admin},
        ${draft.vouched ?? true}, ${draft.createdAt}
      )`.pipe(
        Effect.as(true),
        Effect.catchIf(
          (error) => unique.some((constraint) => query.violates(error, constraint)),
          () => Effect.succeed(false)
        ),
        (insert) =>
          attemptRecorded(sql, "create an account", insert, (is) =>
            is ? { action: "account.created", accountId: draft.id, object: draft.id, detail: draft.plan } : undefined
          )
      )
    },
    byId: (id: string) =>
      isId("account", id)
        ? query.one("read an account", sql<Account>`select ${select} from accounts where id = ${id}`)
        : Effect.succeed(undefined),
    /** Of two accounts older than the comparison by key, the one whose address is spelled exactly so. */
    byEmail: (email: string) =>
      query.one(
        "read an account by its address",
        sql<Account>`select ${select} from accounts
            where email = ${email.toLowerCase()} or email_key = ${emailKey(email)}
            order by (email = ${email.toLowerCase()}) desc limit 1`
      ),
    /** Accounts after a place, oldest first. */
    list: (limit: number, after: PagePosition = oldestOfAll) =>
      query.many(
        "list accounts",
        sql<Account>`select ${select} from accounts where (created_at, id) > (${after.at}::bigint, ${after.id}::text)
          order by created_at, id limit ${limit}`
      ),
    count: Effect.map(
      query.many("count accounts", sql<{ count: number }>`select count(*) as count from accounts`),
      (rows) => rows[0]!.count
    ),
    setPlan: (id: string, plan: Plan) =>
      isId("account", id)
        ? anyRecorded(
            sql,
            "set an account's plan",
            sql`update accounts set plan = ${plan} where id = ${id} returning id`,
            { action: "account.plan_set", accountId: id, object: id, detail: plan }
          )
        : Effect.succeed(false),
    /** Also marks its webhooks as changed, by which every node notices when the bus does not say so. */
    setDisabled: (id: string, disabled: boolean) => {
      if (!isId("account", id)) return Effect.succeed(false)
      const update = sql`with next as (
          update webhook_version set version = version + 1
          where id = 1 and exists (select 1 from accounts where id = ${id}) returning version
        ), noted as (
          insert into webhook_changes (account_id, version) select ${id}::text, version from next
          on conflict (account_id) do update set version = excluded.version
        )
        update accounts set disabled = ${disabled} where id = ${id} returning id`
      const action = disabled ? "account.disabled" : "account.enabled"
      return anyRecorded(sql, "disable or enable an account", update, { action, accountId: id, object: id })
    },
    setAdmin: (id: string, admin: boolean) =>
      isId("account", id)
        ? query.any("set an administrator", sql`update accounts set admin = ${admin} where id = ${id} returning id`)
        : Effect.succeed(false)
  }
})

/** The store of accounts. */
export class Accounts extends Context.Service<Accounts, Effect.Success<typeof make>>()("hub/Accounts") {
  static readonly layer = Layer.effect(Accounts, make)
}
