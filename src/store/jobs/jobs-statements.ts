/** The statements on jobs as their account sees them. Owns text and the order of parameters; runs nothing. */

import { selectorText } from "../daemons/selector-condition.ts"

/** The columns of a job, of `jobs j`. */
export const jobColumns = `j.id as "jobId", j.account_id as "accountId", j.type, j.state, j.stop, j.targets,
  j.timeout_ms as "timeoutMs", j.per_minute as "perMinute", j.concurrency, j.abort_after as "abortAfterFailures",
  j.created_at as "createdAt", j.expires_at as "expiresAt", j.finished_at as "finishedAt"`

/** An account: its jobs are counted by one caller at a time. */
export const lockText = "select plan from accounts where id = $1 for update"

export const keptText = `select count(*) filter (where state = 'running')::int as "underWay", count(*)::int as kept,
    coalesce(sum(targets), 0)::bigint as targets, min(finished_at) as oldest
  from jobs where account_id = $1`

/** Id, account, type, payload, targets, milliseconds of a command, rate, concurrency, failures, begin, end, key. */
export const draftText = `insert into jobs (id, account_id, type, payload, prepared, state, targets, timeout_ms, per_minute,
    concurrency, abort_after, created_at, expires_at, key_id)
  values ($1, $2, $3, $4, false, 'running', $5, $6, $7, $8, $9, $10, $11, $12)`

/** A job, daemons, commands. */
export const addTargetsText = `insert into job_targets (job_id, daemon_id, command_id, state, due_at)
  select $1, g.daemon_id, g.command_id, 'waiting', 0
  from unnest($2::text[], $3::text[]) as g (daemon_id, command_id)`

/** A job. A key that was revoked meanwhile starts none: who revoked it may not have seen the draft. */
export const preparedText = `update jobs j set prepared = true, stop = case when exists(
    select from api_keys k where k.id = j.key_id and k.revoked_at is not null) then 'cancelled' else j.stop end
  where j.id = $1`

/** An account, a daemon, how many, the three of a selector. */
export const daemonsText = `select d.id from daemons d
  where d.account_id = $1 and not d.revoked and d.id > $2 and ${selectorText(4)} order by d.id limit $3`

export const knownText = "select id from daemons where account_id = $1 and id = any($2::text[])"

/** An account, an id. */
export const findText = `select ${jobColumns} from jobs j where j.id = $2 and j.account_id = $1 and j.prepared`

/** Account, types, state, the time and id of the last of the page before, how many. */
export const listText = `select ${jobColumns} from jobs j
  where j.account_id = $1 and j.prepared and j.type = any($2::text[]) and ($3::text is null or j.state = $3)
    and ($4::bigint is null or (j.created_at, j.id) < ($4::bigint, $5::text))
  order by j.created_at desc, j.id desc limit $6`

export const countsText = "select state, count(*)::int as number from job_targets where job_id = $1 group by state"

/** Job, state, the daemon of the last of the page before, how many. */
export const targetsText = `select daemon_id as "daemonId", state, case when taken_at is not null then command_id end as "commandId",
    error, finished_at as "finishedAt"
  from job_targets where job_id = $1 and ($2::text is null or state = $2) and daemon_id > $3
  order by daemon_id limit $4`

/** An account, a job; a draft too, whose key is revoked. */
export const cancelText = `update jobs set stop = 'cancelled'
  where id = $2 and account_id = $1 and state = 'running' and stop is null returning id`

/** An account, a key; drafts too, which are about to begin. */
export const runningOfText = `select id from jobs
  where account_id = $1 and key_id = $2 and state = 'running' and stop is null order by id`

const old = "(j.finished_at < $1 or not j.prepared and j.created_at < $2)"

/** The ends of the kept ones, the begin of drafts, how many. */
export const pruneTargetsText = `delete from job_targets where ctid = any (array(
    select t.ctid from jobs j join job_targets t on t.job_id = j.id where ${old} limit $3
  )) returning 1`

export const pruneJobsText = `delete from jobs where id in (
    select j.id from jobs j where ${old} and not exists (select from job_targets t where t.job_id = j.id)
    order by j.id limit $3
  ) returning 1`
