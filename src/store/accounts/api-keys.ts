/**
 * The store of API keys, by SHA-256 only. Owns their rows and the batched look-up; auth/authenticator.ts owns the
 * cache. Hashes are lower-case hex outside and bytes in the table.
 */
import { Array as Arr, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Member } from "../../domain/account/member.ts"
import { type Plan, planLimits } from "../../domain/account/plans.ts"
import type { Scope } from "../../domain/account/scopes.ts"
import { isId } from "../../domain/ids.ts"
import type { PagePosition } from "../../domain/page-cursor.ts"
import { ApiKeyLimitReached, ServiceKeyLimitReached } from "../../errors.ts"
import { serviceAccountKeysMax } from "../../limits/people.ts"
import { batchMax, prunedRowsMax } from "../../limits.ts"
import { cancelJobsOf } from "../jobs/credential-jobs.ts"
import * as query from "../sql/query.ts"
import { makeQueryBatcher } from "../sql/query-batcher.ts"
import { lockAccount, lockAccountAs } from "./account-lock.ts"
import { type MemberColumns, withMember } from "./member-columns.ts"
import { attemptRecorded } from "./recorded-change.ts"

/** Whose a key is. Both null: the account's own. */
export interface KeyOwner {
  readonly personId: string | null
  readonly serviceAccountId: string | null
}

/** A key's record. Times are epoch milliseconds; null: has not happened. */
export interface Key extends KeyOwner {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly prefix: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The daemons that it is bound to; null: all. */
  readonly selector: string | null
}

export interface KeyDraft {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly prefix: string
  readonly hash: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
  readonly expiresAt: number | null
  /** The daemons that it is bound to; absent or null: all. */
  readonly selector?: string | null
  /** Absent, with no service account either: of the person whose address the account bears. */
  readonly personId?: string | null
  readonly serviceAccountId?: string | null
}

/** A key with the fields of its account that decide whether it is valid. The caller judges expiry and revocation. */
export interface KeyHolder {
  readonly id: string
  readonly accountId: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The daemons that it is bound to; absent or null: all. */
  readonly selector?: string | null
  readonly plan: Plan
  readonly admin: boolean
  readonly accountDisabled: boolean
  readonly owner: HolderOwner
}

/** Who stands behind a key. "gone": who did is no member of the account any more, or the service account is ended. */
export type HolderOwner =
  | { readonly kind: "account" | "gone" }
  | { readonly kind: "person"; readonly member: Member }
  | {
      readonly kind: "service_account"
      readonly id: string
      readonly scopes: ReadonlyArray<Scope>
      readonly selector: string | null
    }

/** A use of a key, at epoch milliseconds. */
export interface KeyUse {
  readonly keyId: string
  readonly at: number
}

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")
const newestOfAll: PagePosition = { at: Number.MAX_SAFE_INTEGER, id: "" }

type HolderRow = Omit<KeyHolder, "owner"> &
  MemberColumns & {
    readonly hash: Buffer
    readonly ofAccount: boolean
    readonly serviceId: string | null
    readonly serviceScopes: ReadonlyArray<Scope> | null
    readonly serviceSelector: string | null
  }

const holderOf = (row: HolderRow): KeyHolder => {
  const { hash: _, ofAccount, serviceId, serviceScopes, serviceSelector, member, ...holder } = withMember(row)
  if (ofAccount) return { ...holder, owner: { kind: "account" } }
  if (member !== null) return { ...holder, owner: { kind: "person", member } }
  if (serviceId === null || serviceScopes === null) return { ...holder, owner: { kind: "gone" } }
  const service = { id: serviceId, scopes: serviceScopes, selector: serviceSelector }
  return { ...holder, owner: { kind: "service_account", ...service } }
}

/** The account's row is locked before its keys are counted, so that a concurrent insert counts this one too. */
const addition = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (draft: KeyDraft) {
    const { accountId, createdAt: now } = draft
    const plan = yield* lockAccount(sql, accountId)
    const limit = planLimits[plan].apiKeys
    const added = yield* sql`
      insert into api_keys (id, account_id, person_id, service_account_id, name, prefix, hash, scopes, created_at,
        expires_at, selector)
      select ${draft.id}::text, ${accountId}::text, ${draft.personId ?? null}::text,
        ${draft.serviceAccountId ?? null}::text, ${draft.name}::text, ${draft.prefix}::text,
        ${bytes(draft.hash)}::bytea, ${draft.scopes}::text[], ${now}::bigint, ${draft.expiresAt}::bigint,
        ${draft.selector ?? null}::text
      where (select count(*) from api_keys where account_id = ${accountId} and revoked_at is null
        and (expires_at is null or expires_at > ${now}::bigint)) < ${limit}::bigint
      returning id`
    if (added.length === 0) return yield* new ApiKeyLimitReached({ limit, plan })
    // As many revoked or expired keys are kept as a plan allows live ones, so minting and revoking adds a bounded
    // number of rows.
    yield* sql`
      with beyond as (
        select id from api_keys where account_id = ${accountId} and (revoked_at is not null or expires_at <= ${now})
        order by created_at desc, id desc limit ${prunedRowsMax} offset ${limit}
      ), locked as (
        select id from api_keys where id = any(array(select id from beyond)) for update skip locked
      )
      delete from api_keys where id = any(array(select id from locked))`
  })

/** The same lock, before the keys of one service account are counted. */
const roomForService = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* ({ accountId, serviceAccountId, createdAt: now }: KeyDraft, by: string) {
    yield* lockAccountAs(sql, accountId, by)
    const living = yield* sql`select 1 from api_keys where service_account_id = ${serviceAccountId}
      and revoked_at is null and (expires_at is null or expires_at > ${now}::bigint)`
    if (living.length >= serviceAccountKeysMax) {
      return yield* new ServiceKeyLimitReached({ limit: serviceAccountKeysMax })
    }
  })

const touched = (sql: SqlClient.SqlClient, uses: ReadonlyArray<KeyUse>) =>
  sql`with used as (
      select id, max(at) as at
      from unnest(${uses.map(({ keyId }) => keyId)}::text[], ${uses.map(({ at }) => at)}::bigint[]) as u (id, at)
      group by id
    ), locked as (
      select k.id, used.at from api_keys k join used on used.id = k.id order by k.id for update of k
    )
    update api_keys k set last_used_at = greatest(k.last_used_at, locked.at) from locked where k.id = locked.id`

const batchedByHash = (sql: SqlClient.SqlClient) =>
  makeQueryBatcher<string, KeyHolder | undefined>({
    name: "look up API keys",
    queue: "keys",
    run: (hashes) =>
      Effect.map(
        sql<HolderRow>`
            select k.hash, k.id, k.account_id as "accountId", k.scopes, k.expires_at as "expiresAt",
              k.revoked_at as "revokedAt", k.selector, a.plan, a.admin, a.disabled as "accountDisabled",
              k.service_account_id is null and coalesce(k.person_id, a.person_id) is null as "ofAccount",
              m.person_id as "memberPerson", m.role as "memberRole", m.selector as "memberSelector",
              s.id as "serviceId", s.scopes as "serviceScopes", s.selector as "serviceSelector"
            from api_keys k join accounts a on a.id = k.account_id
            left join memberships m on m.account_id = k.account_id and k.service_account_id is null
              and m.person_id = coalesce(k.person_id, a.person_id)
            left join service_accounts s on s.account_id = k.account_id and s.id = k.service_account_id
              and not s.disabled
            where k.hash = any(${hashes.map(bytes)}::bytea[])`,
        (rows) => {
          const found = new Map(rows.map((row) => [row.hash.toString("hex"), holderOf(row)]))
          return hashes.map((hash) => found.get(hash))
        }
      )
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const byHash = yield* batchedByHash(sql)

  const inserting = <E>(draft: KeyDraft, work: Effect.Effect<void, E | SqlError.SqlError>) =>
    attemptRecorded(sql, "add an API key", work, () => ({
      action: "key.created",
      accountId: draft.accountId,
      object: draft.id,
      detail: draft.scopes.join(" ")
    }))

  return {
    /** The holder of the key with this hash; concurrent calls share one statement. */
    byHash,
    /**
     * Adds a key. Never more than the plan allows, however many calls come at once; revoked and expired keys do not
     * count.
     */
    insert: (draft: KeyDraft) => inserting(draft, addition(sql)(draft)),
    /** The same for a service account, whose keys that live are bounded as well, by a person. */
    insertOfService: (draft: KeyDraft & { readonly serviceAccountId: string }, by: string) =>
      inserting(draft, Effect.andThen(roomForService(sql)(draft, by), addition(sql)(draft))),
    /** The keys of an account that are not revoked, after a place, newest first. `of`: only this person's. */
    listByAccount: (accountId: string, limit: number, after: PagePosition = newestOfAll, of?: string | undefined) =>
      query.many(
        "list API keys",
        sql<Key>`select k.id, k.account_id as "accountId", k.name, k.prefix, k.scopes, k.created_at as "createdAt",
            k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.selector,
            case when k.service_account_id is null then coalesce(k.person_id, a.person_id) end as "personId",
            k.service_account_id as "serviceAccountId"
          from api_keys k join accounts a on a.id = k.account_id
          where k.account_id = ${accountId} and k.revoked_at is null
            and (k.created_at, k.id) < (${after.at}::bigint, ${after.id}::text)
            and (${of ?? null}::text is null or (k.service_account_id is null
              and coalesce(k.person_id, a.person_id) = ${of ?? null}::text))
          order by k.created_at desc, k.id desc limit ${limit}`
      ),
    /** The account of a key, revoked or not. */
    accountOf: (id: string) =>
      isId("key", id)
        ? query.one(
            "read an API key",
            sql<{ accountId: string }>`select account_id as "accountId" from api_keys where id = ${id}`,
            ({ accountId }) => accountId
          )
        : Effect.succeed(undefined),
    /** Whose key it is, of this account and not revoked. */
    ownerOf: (accountId: string, id: string) =>
      isId("key", id)
        ? query.one(
            "read whose an API key is",
            sql<KeyOwner>`select k.service_account_id as "serviceAccountId",
                case when k.service_account_id is null then coalesce(k.person_id, a.person_id) end as "personId"
              from api_keys k join accounts a on a.id = k.account_id
              where k.id = ${id} and k.account_id = ${accountId} and k.revoked_at is null`
          )
        : Effect.succeed(undefined),
    /** Revokes a key of this account and cancels its jobs, which it returns; undefined: no such key is unrevoked. */
    revoke: (accountId: string, id: string, now: number) =>
      isId("key", id)
        ? attemptRecorded(
            sql,
            "revoke an API key",
            Effect.flatMap(
              sql`update api_keys set revoked_at = ${now}
                where id = ${id} and account_id = ${accountId} and revoked_at is null returning id`,
              ({ length }) =>
                length === 0 ? Effect.succeed(undefined) : Effect.map(cancelJobsOf(sql, [id]), (jobsOf) => jobsOf(id))
            ),
            (jobs) => jobs && { action: "key.revoked", accountId, object: id }
          )
        : Effect.succeed(undefined),
    /** Records uses, many in one statement. An older use never replaces a newer one. */
    touch: (uses: ReadonlyArray<KeyUse>) =>
      Effect.forEach(
        Arr.chunksOf(uses, batchMax),
        (some) => query.attempt("record uses of API keys", touched(sql, some)),
        {
          discard: true
        }
      )
  }
})

/** The store of API keys. */
export class Keys extends Context.Service<Keys, Effect.Success<typeof make>>()("hub/Keys") {
  static readonly layer = Layer.effect(Keys, make)
}
