/**
 * Enrols a daemon, or re-enrols one under its id. Owns the plan's maximum of daemons, and that enrolling and revoking
 * adds a bounded number of rows; the database keeps the count. Every statement that changes the count locks the daemon
 * first, then its account.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AuditAction } from "../../domain/account/audit-event.ts"
import { type Plan, planLimits, plans } from "../../domain/account/plans.ts"
import type { Tags } from "../../domain/daemon/tags.ts"
import { isId, newId } from "../../domain/ids.ts"
import { DaemonLimitReached } from "../../errors.ts"
import { prunedRowsMax, revokedDaemonsKeptMax } from "../../limits/store.ts"
import { attemptRecorded } from "../accounts/recorded-change.ts"
import { addToken } from "./daemon-tokens.ts"

/** A new token, and for whom. */
export interface Enrolment {
  readonly accountId: string
  /** A daemon of this account that re-enrols; undefined: a new one. */
  readonly daemonId: string | undefined
  readonly tokenHash: string
  /** The daemon's nickname until it gives itself another; empty: none. */
  readonly name: string
  readonly now: number
  /** Of a new one that comes by a join key. */
  readonly joined?: {
    readonly joinKeyId: string
    readonly machineIdHash: string | undefined
    readonly hostname: string
    /** What its owner gives it by that key. */
    readonly tags: Tags
    readonly removeAfterMinutes: number | null
  }
}

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")

const maxima = JSON.stringify(Object.fromEntries(plans.map((plan) => [plan, planLimits[plan].daemons])))

const statements = (sql: SqlClient.SqlClient) => {
  const plansMax = sql`(${maxima}::json ->> plan)::bigint`

  // The row is locked before its count is compared, until the count has grown.
  const account = (accountId: string) =>
    sql`select id from accounts where id = ${accountId} and daemons < ${plansMax} for no key update`

  const token = ({ accountId, tokenHash, name, now }: Enrolment) =>
    sql`insert into daemon_tokens (hash, daemon_id, account_id, name, created_at)
      select ${bytes(tokenHash)}::bytea, id, ${accountId}::text, ${name}::text, ${now}::bigint from daemon`

  const revokedBeyond = (accountId: string) =>
    sql`select id from daemons where account_id = ${accountId} and revoked and exists (select from account)
      order by created_at desc, id desc limit ${prunedRowsMax}
      offset (select least(${plansMax}, ${revokedDaemonsKeptMax}) from accounts where id = ${accountId})`

  return {
    /** A row when there is room. */
    room: account,

    planOf: (accountId: string) => sql<{ plan: Plan }>`select plan from accounts where id = ${accountId}`,

    // `= any(array(…))` is looked up once, by id, whatever the planner believes of the tables.
    // All or nothing, and one statement also for who is refused.
    add: (given: Enrolment) =>
      sql<{ id: string | null; plan: Plan | null }>`
        with account as (${account(given.accountId)}), daemon as (
          insert into daemons (id, account_id, nickname, created_at, hostname, owner_tags, owner_tags_version,
            join_key_id, machine_id, remove_after_minutes)
          select ${newId("daemon")}::text, id, ${given.name}::text, ${given.now}::bigint,
            ${given.joined?.hostname ?? ""}::text, ${JSON.stringify(given.joined?.tags ?? {})}::jsonb,
            ${given.joined === undefined ? 0 : 1}::bigint, ${given.joined?.joinKeyId ?? null}::text,
            ${given.joined?.machineIdHash ?? null}::text, ${given.joined?.removeAfterMinutes ?? null}::integer
          from account returning id
        ), token as (${token(given)}), beyond as (${revokedBeyond(given.accountId)}), locked as (
          select id from daemons where revoked and id = any(array(select id from beyond)) for update skip locked
        ), forgotten as (
          delete from daemons where revoked and id = any(array(select id from locked))
        )
        select (select id from daemon) as id, (select plan from accounts where id = ${given.accountId}) as plan`,

    known: ({ accountId, daemonId }: Enrolment) =>
      sql<{ revoked: boolean }>`
        select revoked from daemons where id = ${daemonId} and account_id = ${accountId} for update`,

    renew: ({ daemonId, name }: Enrolment) =>
      sql`update daemons set revoked = false, nickname = coalesce(nullif(${name}::text, ''), nickname) where id = ${daemonId}`
  }
}

const refused = (plan: Plan) => new DaemonLimitReached({ limit: planLimits[plan].daemons, plan })

/** Enrols. Undefined: not a daemon of this account. */
export const enrolment = (sql: SqlClient.SqlClient) => {
  const { room, planOf, add, known, renew } = statements(sql)

  const anew = Effect.fnUntraced(function* (given: Enrolment) {
    const [added] = yield* add(given)
    if (added?.id) return added.id
    return added?.plan ? yield* refused(added.plan) : undefined
  })

  const again = Effect.fnUntraced(function* (given: Enrolment, daemonId: string) {
    const [daemon] = yield* known(given)
    if (daemon === undefined) return undefined
    if (daemon.revoked && (yield* room(given.accountId)).length === 0) {
      const [account] = yield* planOf(given.accountId)
      return account && (yield* refused(account.plan))
    }
    yield* renew(given)
    yield* addToken(sql)({ ...given, daemonId })
    return daemonId
  })

  return (given: Enrolment) => {
    const { accountId, daemonId } = given
    const audited = <E>(action: AuditAction, change: Effect.Effect<string | undefined, E>) =>
      attemptRecorded(sql, "enrol a daemon", change, (object) =>
        object === undefined ? undefined : { action, accountId, object, detail: given.joined?.joinKeyId }
      )
    if (daemonId === undefined) return audited("daemon.enrolled", anew(given))
    if (!isId("daemon", daemonId)) return Effect.succeed(undefined)
    return audited("daemon.token_created", again(given, daemonId))
  }
}
