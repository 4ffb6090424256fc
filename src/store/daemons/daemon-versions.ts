/**
 * The store of the versions of daemons: policies, and the newest update of each daemon. Owns the rows, and that of the
 * nodes that look at an account's rollouts one decides at a time; src/domain/daemon/rollout.ts decides.
 */
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Decided, FleetDaemon } from "../../domain/daemon/rollout.ts"
import { readSelector, selectorText } from "../../domain/daemon/selector.ts"
import type { OwnerTags, Tags } from "../../domain/daemon/tags.ts"
import type { VersionPolicy } from "../../domain/daemon/version-policy.ts"
import { isId } from "../../domain/ids.ts"
import { rolloutAccountsStep, updateReasonCharsMax, versionPoliciesMax } from "../../limits/daemon-versions.ts"
import { anyRecorded, attemptRecorded } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"
import { ownerTagsColumn } from "./snapshots.ts"

/** What is known of an account. */
export interface Fleet {
  readonly policies: ReadonlyArray<VersionPolicy>
  readonly daemons: ReadonlyArray<FleetDaemon>
}

/** What a daemon says of an update that it did not get to run. */
export interface UpdateFailure {
  readonly daemonId: string
  readonly sha256: string
  readonly reason: string
}

/** Why a policy was not written: there are as many as there may be, or the account has no such daemon. */
export type NotPut = "full" | "no daemon"

interface PolicyRow extends Omit<VersionPolicy, "selector"> {
  readonly selector: string
}

/** One that cannot be read, of a later version of the hub, means no daemon rather than all. */
const policyOf = ({ selector, ...row }: PolicyRow): ReadonlyArray<VersionPolicy> => {
  const read = readSelector(selector)
  return Result.isSuccess(read) ? [{ ...row, selector: read.success }] : []
}

const policiesText = `select id, selector, daemon_id as "daemonId", version, window_json as window, canary,
  max_failures as "maxFailures", paused from daemon_versions where account_id = $1 order by id`

interface DaemonRow extends Omit<FleetDaemon, "tags" | "ownerTags"> {
  readonly tags: Tags
  readonly ownerTags: OwnerTags | null
}

const fleetText = `select d.id as "daemonId", d.version, d.picture_epoch as "versionEpoch", coalesce(p.epoch, 0) as epoch,
    p.node is not null as online, coalesce((d.picture->>'selfUpdate')::boolean, false) as updates,
    d.daemon_tags as tags, ${ownerTagsColumn},
    case when u.daemon_id is not null then json_build_object('policyId', u.policy_id, 'sha256', u.sha256,
      'state', u.state, 'askedAt', u.asked_at, 'askedEpoch', u.asked_epoch, 'backAt', u.back_at,
      'backEpoch', u.back_epoch, 'endedAt', u.ended_at, 'reason', u.reason) end as update
  from daemons d left join daemon_presence p on p.daemon_id = d.id left join daemon_updates u on u.daemon_id = d.id
  where d.account_id = $1 and not d.revoked order by d.id`

const readFleet = (sql: SqlClient.SqlClient, accountId: string, lock: "" | " for update") =>
  Effect.gen(function* () {
    const policies = (yield* sql.unsafe<PolicyRow>(policiesText + lock, [accountId])).flatMap(policyOf)
    if (policies.length === 0) return { policies, daemons: [] }
    const rows = yield* sql.unsafe<DaemonRow>(fleetText, [accountId])
    const daemons = rows.map(({ ownerTags, ...row }) => ({ ...row, ...(ownerTags !== null && { ownerTags }) }))
    return { policies, daemons }
  })

const write = (sql: SqlClient.SqlClient, accountId: string, now: number, to: Decided) =>
  Effect.gen(function* () {
    const ids = (members: ReadonlyArray<{ readonly daemonId: string }>) => members.map(({ daemonId }) => daemonId)
    if (to.ask.length > 0)
      yield* sql`insert into daemon_updates
          (daemon_id, account_id, policy_id, version, sha256, state, asked_at, asked_epoch)
        select id, ${accountId}, policy, version, sha256, 'updating', ${now}::bigint, epoch
        from unnest(${ids(to.ask)}::text[], ${to.ask.map(({ policyId }) => policyId)}::text[],
          ${to.ask.map(({ epoch }) => epoch)}::bigint[], ${to.ask.map(({ release }) => release.version)}::text[],
          ${to.ask.map(({ release }) => release.sha256)}::text[]) as a (id, policy, epoch, version, sha256)
        where exists (select from daemons d where d.id = a.id)
        on conflict (daemon_id) do update set policy_id = excluded.policy_id, version = excluded.version,
          sha256 = excluded.sha256, state = excluded.state, asked_at = excluded.asked_at,
          asked_epoch = excluded.asked_epoch, back_at = null, back_epoch = null, ended_at = null, reason = null`
    if (to.back.length > 0)
      yield* sql`update daemon_updates u
        set state = 'updating', back_at = ${now}::bigint, back_epoch = b.epoch, ended_at = null, reason = null
        from unnest(${ids(to.back)}::text[], ${to.back.map(({ epoch }) => epoch)}::bigint[]) as b (id, epoch)
        where u.daemon_id = b.id`
    if (to.done.length > 0)
      yield* sql`update daemon_updates set state = 'done', ended_at = ${now}::bigint
        where daemon_id = any(${[...to.done]}::text[])`
    if (to.failed.length > 0)
      yield* sql`update daemon_updates u set state = 'failed', ended_at = ${now}::bigint, reason = f.reason
        from unnest(${ids(to.failed)}::text[], ${to.failed.map(({ reason }) => reason)}::text[]) as f (id, reason)
        where u.daemon_id = f.id`
  })

/** The account's row is locked before its policies are counted. */
const putting = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (accountId: string, policy: VersionPolicy) {
    const { id, daemonId, version, window, canary, maxFailures, paused } = policy
    yield* sql`select id from accounts where id = ${accountId} for no key update`
    if (daemonId !== null) {
      const own = isId("daemon", daemonId)
        ? yield* sql`select id from daemons where id = ${daemonId} and account_id = ${accountId}`
        : []
      if (own.length === 0) return "no daemon" as const
    }
    const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
    const written = yield* sql`insert into daemon_versions
        (account_id, id, selector, daemon_id, version, window_json, canary, max_failures, paused)
      select ${accountId}::text, ${id}::text, ${selectorText(policy.selector)}::text, ${daemonId}::text,
        ${version}::text, ${json(window)}::json, ${json(canary)}::json, ${maxFailures}::integer, ${paused}::boolean
      where (select count(*) from daemon_versions where account_id = ${accountId} and id <> ${id})
        < ${versionPoliciesMax}
      on conflict (account_id, id) do update set selector = excluded.selector, daemon_id = excluded.daemon_id,
        version = excluded.version, window_json = excluded.window_json, canary = excluded.canary,
        max_failures = excluded.max_failures, paused = excluded.paused
      returning id`
    if (written.length === 0) return "full" as const
    yield* sql`delete from daemon_updates
      where account_id = ${accountId} and policy_id = ${id} and state = 'failed'`
    return undefined
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const put = putting(sql)
  return {
    /** Writes a policy over one of the same id. Its failures are forgotten: their daemons are told once more. */
    put: (accountId: string, policy: VersionPolicy) =>
      attemptRecorded(sql, "write a policy of versions", put(accountId, policy), (refused) =>
        refused === undefined
          ? { action: "daemon_version.set", accountId, object: policy.id, detail: policy.version }
          : undefined
      ),
    /** All of an account, in the order of their ids. */
    list: (accountId: string) =>
      Effect.map(query.many("list policies of versions", sql.unsafe<PolicyRow>(policiesText, [accountId])), (rows) =>
        rows.flatMap(policyOf)
      ),
    /** False: there is none of this id. */
    remove: (accountId: string, id: string) =>
      anyRecorded(
        sql,
        "remove a policy of versions",
        sql`delete from daemon_versions where account_id = ${accountId} and id = ${id} returning id`,
        { action: "daemon_version.removed", accountId, object: id }
      ),
    /** Without a policy no daemons are read. */
    fleet: (accountId: string) => query.attempt("read the versions of daemons", readFleet(sql, accountId, "")),
    /** Accounts with policies, behind this one, in steps. */
    accounts: (after: string) =>
      query.many(
        "look for policies of versions",
        sql<{ accountId: string }>`select distinct v.account_id as "accountId" from daemon_versions v
          join accounts a on a.id = v.account_id and not a.disabled
          where v.account_id > ${after} order by 1 limit ${rolloutAccountsStep}`,
        ({ accountId }) => accountId
      ),
    /** Decides about an account and writes it, while no other node does. */
    round: (accountId: string, now: number, decide: (fleet: Fleet) => Decided) =>
      query.attempt(
        "roll versions out",
        sql.withTransaction(
          Effect.gen(function* () {
            const decided = decide(yield* readFleet(sql, accountId, " for update"))
            yield* write(sql, accountId, now, decided)
            return decided
          })
        )
      ),
    /**
     * Notes what daemons say, each once; gives how many had been told to, and had not failed yet. Every node hears all
     * of it: rows are locked in order of id, so that no two wait for each other in a circle.
     */
    failed: (said: ReadonlyArray<UpdateFailure>, now: number) =>
      query.affected(
        "note failed updates",
        sql`with told as (
            select u.daemon_id, f.reason from daemon_updates u
              join unnest(${said.map(({ daemonId }) => daemonId)}::text[], ${said.map(({ sha256 }) => sha256)}::text[],
                ${said.map(({ reason }) => reason.slice(0, updateReasonCharsMax))}::text[]) as f (id, sha256, reason)
                on u.daemon_id = f.id and u.sha256 = f.sha256
            where u.state = 'updating' order by u.daemon_id for update of u)
          update daemon_updates u set state = 'failed', ended_at = ${now}::bigint, reason = told.reason
          from told where u.daemon_id = told.daemon_id returning 1`
      )
  }
})

export class DaemonVersions extends Context.Service<DaemonVersions, Effect.Success<typeof make>>()(
  "hub/DaemonVersions"
) {
  static readonly layer = Layer.effect(DaemonVersions, make)
}
