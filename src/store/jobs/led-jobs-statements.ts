/** The statements of a job's leader. Owns their text and the order of their parameters; runs nothing. */
import { jobTypes, maySendAgain, retriedStates } from "../../domain/job/job.ts"
import { storedErrorCharsMax } from "../../limits/commands.ts"
import { jobLeaseMillis } from "../../limits/jobs.ts"
import * as query from "../sql/query.ts"
import { insertedText } from "../webhooks/inserted-deliveries.ts"
import { jobColumns } from "./jobs-statements.ts"

const freeText = `from jobs j left join job_leases l on l.job_id = j.id
    where j.state = 'running' and j.prepared and (l.job_id is null or l.until < ${query.databaseNow})`

export const freeCountText = `select count(*)::int as free from (select 1 ${freeText} limit $1) as counted`

/** A node, how many. The fence grows with each lead. First those that were never led, then those that wait longest. */
export const takeText = `with free as (
    select j.id ${freeText} order by coalesce(l.until, 0), j.created_at limit $2
  ), taken as (
    insert into job_leases as l (job_id, node, fence, until)
    select id, $1, 1, ${query.databaseNow} + ${jobLeaseMillis} from free order by id
    on conflict (job_id) do update set node = excluded.node, fence = l.fence + 1, until = excluded.until
      where l.until < ${query.databaseNow}
    returning job_id, fence
  )
  select t.fence, ${jobColumns}, j.payload, coalesce(a.plan, 'free') as plan
  from taken t join jobs j on j.id = t.job_id left join accounts a on a.id = j.account_id`

/** A node, jobs, fences. */
export const renewText = `update job_leases l set until = ${query.databaseNow} + ${jobLeaseMillis}
  from unnest($2::text[], $3::bigint[]) as g (job_id, fence)
  where l.node = $1 and l.job_id = g.job_id and l.fence = g.fence
  returning l.job_id as id, l.fence`

/** A node, jobs, fences. */
export const releaseText = `update job_leases l set until = ${query.databaseNow} - 1, node = ''
  from unnest($2::text[], $3::bigint[]) as g (job_id, fence)
  where l.node = $1 and l.job_id = g.job_id and l.fence = g.fence`

export const reclaimText = "update job_leases set until = 0, node = ''"

/** A job, a fence. */
export const standingText = `select j.state, j.stop from jobs j join job_leases l on l.job_id = j.id
  where j.id = $1 and l.fence = $2`

const failedByCode = `c.state = 'succeeded' and c.exit_code is not null
    and c.exit_code <> all (coalesce(j.success_exit_codes, '{0}'))`

/** A job: what its commands have come to. A command that ran fails its target by its exit code. */
export const settleText = `update job_targets t set finished_at = c.finished_at, exit_code = c.exit_code,
    state = case when ${failedByCode} then 'failed' else c.state end,
    error = case when ${failedByCode} then 'exit code ' || c.exit_code
      else left(coalesce(c.error, c.code), ${storedErrorCharsMax}) end
  from commands c, jobs j where j.id = $1 and t.job_id = $1 and t.state = 'running' and c.id = t.command_id and c.state <> 'pending'`

/**
 * Job, fence, a time, how many: takes targets that are online, each at once for good unless it is given back. By their
 * places: a job that has just begun has no statistics, and a join would compare every target with every due one.
 */
export const takeTargetsText = `with due as (
    select t.ctid as place from job_targets t
    join daemon_presence p on p.daemon_id = t.daemon_id and p.node is not null
    where t.job_id = $1 and t.state = 'waiting' and t.due_at <= $3 and exists (
      select from jobs j join job_leases l on l.job_id = j.id
      where j.id = $1 and j.state = 'running' and j.stop is null and l.fence = $2)
    limit $4 for update of t skip locked
  )
  update job_targets t set state = 'running', taken_at = $3, fence = $2
  where t.ctid = any (array(select place from due))
  returning t.daemon_id as "daemonId", t.command_id as "commandId"`

/** Job, fence, daemons, times: what was not sent waits again. */
export const giveBackText = `update job_targets t set state = 'waiting', taken_at = null, due_at = g.due_at
  from unnest($3::text[], $4::bigint[]) as g (daemon_id, due_at)
  where t.job_id = $1 and t.fence = $2 and t.daemon_id = g.daemon_id and t.state = 'running'
    and not exists (select from commands c where c.id = t.command_id)`

/** Job, fence, a time, daemons, words: what can never be sent. */
export const failText = `update job_targets t set state = 'failed', finished_at = $3, error = g.words
  from unnest($4::text[], $5::text[]) as g (daemon_id, words)
  where t.job_id = $1 and t.fence = $2 and t.daemon_id = g.daemon_id and t.state = 'running'`

const unsent = "not exists (select from commands c where c.id = t.command_id)"
const orphans = `t.job_id = $1 and t.state = 'running' and (t.fence <> $2 or t.taken_at < $4) and ${unsent}`

/**
 * Job, fence, a time, the time before which a target without a command was not sent. One whose daemon is gone has
 * ended: the row of its command went with the daemon.
 */
export const loseOrphansText = `update job_targets t set state = 'lost', finished_at = $3
  where ${orphans} and not exists (select from daemons d where d.id = t.daemon_id)`

export const returnOrphansText = `update job_targets t set state = 'waiting', taken_at = null, due_at = $3
  where ${orphans}`

/** A job, a time. */
export const skipRemovedText = `update job_targets t set state = 'skipped', finished_at = $2
  where t.job_id = $1 and t.state = 'waiting'
    and not exists (select from daemons d where d.id = t.daemon_id and not d.revoked)`

export const stopText = `update jobs j set stop = $2 from job_leases l
  where j.id = $1 and l.job_id = j.id and l.fence = $3 and j.state = 'running' and j.stop is null`

/** Job, outcome, a time, how many. By a range: a join with a list is slow on a table without statistics. */
export const endWaitingText = `update job_targets set state = $2, finished_at = $3
  where job_id = $1 and state = 'waiting' and daemon_id <= (select max(first.daemon_id) from (
    select daemon_id from job_targets where job_id = $1 and state = 'waiting' order by daemon_id limit $4) first)
  returning 1`

export const cancelRunningText = `update commands c set cancel_at = $2 from job_targets t
  where t.job_id = $1 and t.state = 'running' and c.id = t.command_id and c.state = 'pending' and c.cancel_at is null
    and c.cancellable
  returning c.id as "commandId", c.daemon_id as "daemonId"`

const quoted = (words: ReadonlyArray<string>): string => words.map((word) => `'${word}'`).join(", ")
const keepsPayload = `j.type in (${quoted(jobTypes.filter(maySendAgain))}) and exists (
      select from job_targets t where t.job_id = $1 and t.state in (${quoted(retriedStates)}))`

/** A job: when the last of those that were sent ended. */
export const lastEndText = "select max(finished_at) as at from job_targets where job_id = $1 and taken_at is not null"

/** Job, state, a time, the attempts of a delivery, deliveries: ends it once, when each target has its outcome. */
export const finishText = `with ended as (
    update jobs j set state = $2, finished_at = $3, payload = case when ${keepsPayload} then payload end
    where j.id = $1 and j.state = 'running' and not exists (
      select from job_targets t where t.job_id = $1 and t.state in ('waiting', 'running'))
    returning j.id
  ), ${insertedText(4, "select id from ended")}
  select id as "jobId", null as "deliveryId" from ended union all select null, id from inserted`
