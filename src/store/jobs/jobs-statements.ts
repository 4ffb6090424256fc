/** The statements on jobs as their account sees them. Owns text and the order of parameters; runs nothing. */

import { selectorText } from "../daemons/selector-condition.ts"

/** The columns of a job, of `jobs j`. */
export const jobColumns = `j.id as "jobId", j.account_id as "accountId", j.type, j.state, j.stop, j.targets,
  j.timeout_ms as "timeoutMs", j.per_minute as "perMinute", j.concurrency, j.abort_after as "abortAfterFailures",
  array_to_json(j.success_exit_codes) as "successExitCodes", j.steps, j.name, j.key_id as "keyId", j.session_id as "sessionId",
  j.retry_of as "retryOf", j.left_out as "leftOut",
  j.created_at as "createdAt", j.expires_at as "expiresAt", j.finished_at as "finishedAt"`

/** An account: its jobs are counted by one caller at a time. */
export const lockText = "select plan from accounts where id = $1 for update"

/** An account, since when a job may still be made. */
export const keptText = `select count(*) filter (where state = 'running' and (prepared or created_at > $2))::int as "underWay",
    count(*)::int as kept,
    coalesce(sum(targets), 0)::bigint as targets, min(finished_at) as oldest
  from jobs where account_id = $1`

/**
 * Id, account, type, payload, targets, milliseconds of a command, rate, concurrency, failures, begin, end, key, exit
 * codes, steps, name, session, the job that is tried again, daemons left out.
 */
export const draftText = `insert into jobs (id, account_id, type, payload, prepared, state, targets, timeout_ms, per_minute,
    concurrency, abort_after, created_at, expires_at, key_id, success_exit_codes, steps, name, session_id, retry_of,
    left_out)
  values ($1, $2, $3, $4, false, 'running', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::json, $15, $16, $17, $18::json)`

/** A job, daemons, commands. */
export const addTargetsText = `insert into job_targets (job_id, daemon_id, command_id, state, due_at)
  select $1, g.daemon_id, g.command_id, 'waiting', 0
  from unnest($2::text[], $3::text[]) as g (daemon_id, command_id)`

/**
 * A job, and the person who starts it, or null. A key or a grant that ended meanwhile starts none: who ended it may not
 * have seen the draft, and one that is being ended is waited for. Nor does a person who may not start jobs any more,
 * whatever they were let in with.
 */
export const preparedText = `update jobs j set prepared = true, stop = case when j.key_id is not null
      and not exists(select from api_keys k where k.id = j.key_id and k.revoked_at is null for share)
      and not exists(select from oauth_grants g where g.id = j.key_id for share)
    or $2::text is not null and not exists(select from memberships m where m.account_id = j.account_id
      and m.person_id = $2 and m.role <> 'viewer' and m.selector is null) then 'cancelled' else j.stop end
  where j.id = $1`

/** An account, a daemon, how many, the three of a selector. */
export const daemonsText = `select d.id from daemons d
  where d.account_id = $1 and not d.revoked and d.id > $2 and ${selectorText(4)} order by d.id limit $3`

// of one that is connected it is now, which no time is later than
const seenAt = `case when p.node is not null then 9e15::bigint
    else greatest(d.connected_at, d.last_seen_at, p.last_ended_at) end`
const withSeen = `daemons d left join daemon_presence p on p.daemon_id = d.id
  where d.account_id = $1 and not d.revoked`

/** An account, a daemon, how many, since when: those that were connected since then. */
export const recentText = `select d.id from ${withSeen} and d.id > $2 and ${seenAt} >= $4 order by d.id limit $3`

/** An account, a time: those that were not connected since then, and those that never were. */
export const leftOutText = `select count(*) filter (where ${seenAt} is null)::int as "neverConnected",
    count(*) filter (where ${seenAt} < $2)::int as away
  from ${withSeen}`

export const knownText = "select id from daemons where account_id = $1 and id = any($2::text[])"

/** An account, an id. */
export const findText = `select ${jobColumns} from jobs j where j.id = $2 and j.account_id = $1 and j.prepared`

/** Account, types, state, the time and id of the last of the page before, how many. */
export const listText = `select ${jobColumns} from jobs j
  where j.account_id = $1 and j.prepared and j.type = any($2::text[]) and ($3::text is null or j.state = $3)
    and ($4::bigint is null or (j.created_at, j.id) < ($4::bigint, $5::text))
  order by j.created_at desc, j.id desc limit $6`

export const countsText = "select state, count(*)::int as number from job_targets where job_id = $1 group by state"

const targetColumns = `t.daemon_id as "daemonId", t.state,
  case when t.taken_at is not null then t.command_id end as "commandId",
  t.error, t.finished_at as "finishedAt", t.exit_code as "exitCode"`
const askedTargets = `t.job_id = $1 and ($2::text is null or t.state = $2) and t.daemon_id > $3
  and ($5::boolean is null or (t.exit_code <> 0) = $5) and ($6::bigint is null or t.exit_code = $6)`

/**
 * Job, state, the daemon of the last of the page before, how many, whether the exit code is another than 0, the exit
 * code.
 */
export const targetsText = `select ${targetColumns}, c.output_head as head, c.output_tail as tail
  from (select t.* from job_targets t where ${askedTargets} order by t.daemon_id limit $4) t
  left join commands c on c.id = t.command_id
  order by t.daemon_id`

/** The same, and how many bytes their results may have: one more target at most has its own, however long. */
export const resultsText = `with asked as (
    select t.*, c.output_head, c.output_tail, c.omitted,
      coalesce(sum(octet_length(c.result)) over (order by t.daemon_id), 0) as bytes, octet_length(c.result) as own
    from (select t.* from job_targets t where ${askedTargets} order by t.daemon_id limit $4) t
    left join commands c on c.id = t.command_id
  )
  select ${targetColumns}, t.output_head as head, t.output_tail as tail, t.omitted, c.result,
    (select count(*)::int from asked) as found
  from asked t left join commands c on c.id = t.command_id
  where t.bytes - coalesce(t.own, 0) <= $7 order by t.daemon_id`

/** Job, states, the daemon of the last of the page before, how many. */
export const retriedText = `select daemon_id as id from job_targets
  where job_id = $1 and state = any($2::text[]) and daemon_id > $3 order by daemon_id limit $4`

/** A job: what it sends, sealed; null where that is gone. */
export const payloadText = "select payload from jobs where id = $1"

/** An account, a job. */
export const cancelText = `update jobs set stop = 'cancelled'
  where id = $2 and account_id = $1 and state = 'running' and stop is null returning id`

const old = "(j.finished_at < $1 or not j.prepared and j.created_at < $2)"

/** The ends of the kept ones, the begin of drafts, how many. */
export const pruneTargetsText = `delete from job_targets where ctid = any (array(
    select t.ctid from jobs j join job_targets t on t.job_id = j.id where ${old} limit $3
  )) returning 1`

export const pruneJobsText = `delete from jobs where id in (
    select j.id from jobs j where ${old} and not exists (select from job_targets t where t.job_id = j.id)
    order by j.id limit $3
  ) returning 1`
