/** The statements on `commands`. Owns their text and the order of their parameters; runs nothing. */
import { answeredStates, unknownStates } from "../../domain/command/stored-command.ts"
import { commandsLookedMax } from "../../limits/commands.ts"
import { insertedText } from "../webhooks/inserted-deliveries.ts"
import { selectorText } from "./selector-condition.ts"

const listed = (states: ReadonlyArray<string>): string => states.map((state) => `'${state}'`).join(", ")

/** Ids, accounts, daemons, types, durable, cancellable, epochs, times, deadlines, what is kept of what they run. */
export const insertText = `insert into commands
    (id, account_id, daemon_id, type, state, durable, cancellable, epoch, created_at, deadline_at, said)
  select g.id, g.account_id, g.daemon_id, g.type, 'pending', g.durable, g.cancellable, g.epoch, g.at, g.deadline, g.said
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::boolean[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::text[])
    as g (id, account_id, daemon_id, type, durable, cancellable, epoch, at, deadline, said)
  join daemons d on d.id = g.daemon_id
  on conflict (id) do nothing
  returning id`

export const withdrawText = "delete from commands where id = $1 and state = 'pending'"

export const standingsText = `select id as "commandId", account_id as "accountId", daemon_id as "daemonId", type, state,
    created_at as "createdAt"
  from commands where id = any($1::text[])`

/**
 * Ids, daemons, states, times, results, omitted, errors, codes, exit codes, beginnings and ends of outputs, the
 * attempts of a delivery, deliveries. Only what the rule of states allows changes a row, and only a first end is told.
 */
export const endText = `with asked as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::bigint[], $10::text[], $11::text[])
      as a (id, daemon_id, state, at, result, omitted, error, code, exit_code, head, tail)
  ), locked as (
    select c.id, c.state = 'pending' as first from commands c join asked a on a.id = c.id
    where c.daemon_id = a.daemon_id
      and (c.state = 'pending' or c.state in (${listed(unknownStates)}) and a.state in (${listed(answeredStates)}))
    order by c.id for update of c
  ), updated as (
    update commands c set state = a.state, finished_at = a.at, result = a.result, omitted = a.omitted, error = a.error,
      code = a.code, exit_code = a.exit_code, output_head = a.head, output_tail = a.tail
    from asked a join locked l on l.id = a.id where c.id = a.id
    returning c.id, l.first
  ), ${insertedText(12, "select id from updated where first")}
  select id, first, null as "deliveryId" from updated union all select null, false, id from inserted`

export const pendingText = `select id as "commandId", daemon_id as "daemonId", epoch, durable,
    cancel_at is not null as "cancelAsked"
  from commands where daemon_id = any($1::text[]) and state = 'pending'`

/** A time, and how many. */
export const dueText = `select id as "commandId", daemon_id as "daemonId" from commands
  where state = 'pending' and deadline_at < $1 order by deadline_at limit $2`

/** A node, the id they follow, and how many. */
export const cancelledText = `select c.id as "commandId", c.daemon_id as "daemonId"
  from commands c join daemon_presence p on p.daemon_id = c.daemon_id
  where c.state = 'pending' and c.cancel_at is not null and p.node = $1 and c.id > $2
  order by c.id limit $3`

/** An account, an id, a time. */
export const askCancelText = `update commands set cancel_at = $3
  where id = $2 and account_id = $1 and state = 'pending' and cancel_at is null`

const columns = `id as "commandId", account_id as "accountId", daemon_id as "daemonId", type, state,
  created_at as "createdAt", deadline_at as "deadlineAt", cancel_at as "cancelAt", finished_at as "finishedAt", omitted,
  error, code, cancellable, said, exit_code as "exitCode", output_head as head, output_tail as tail`

/** An account, an id. */
export const findText = `select ${columns} from commands where id = $2 and account_id = $1`

export const resultText = "select result from commands where id = $2 and account_id = $1"

const inOrder = (daemon: string): string => `from commands
  where account_id = $1 and ${daemon} and ($3::bigint is null or (created_at, id) < ($3::bigint, $4::text))
  order by created_at desc, id desc`

/** Looks at so many only: an account may keep a million of which a filter lets none pass. */
const listTextOf = (daemon: string, selected: string): string => `select ${columns}
  from (select * ${inOrder(daemon)} limit ${commandsLookedMax}) looked
  where type = any($5::text[]) and ($6::text is null or state = $6) ${selected}
  order by created_at desc, id desc limit $7`

/**
 * The terms of a selector. Postgres judges each daemon once, however many commands it has: it remembers
 * what a joined row came to, which it does for a condition that must hold, and not for one of several that may.
 */
const selected = `and exists (select from daemons d where d.id = looked.daemon_id and ${selectorText(8)})`

/**
 * Account, daemon, the time and id of the last of the page before, types, state, how many, and of `selected` the terms
 * of a selector. `lastLooked`, of the first four: the last row that such a page looked at, if it left any out.
 */
const textsOf = (daemon: string) => ({
  listed: listTextOf(daemon, ""),
  selected: listTextOf(daemon, selected),
  lastLooked: `select created_at as at, id ${inOrder(daemon)} offset ${commandsLookedMax - 1} limit 1`
})
/** The list of an account's commands. */
export const ofAccount = textsOf("$2::text is null")
/** The same of one daemon. */
export const ofDaemon = textsOf("daemon_id = $2")

/** A time, and how many. What a job has not taken note of stays: without its row it would be sent again. */
export const pruneText = `delete from commands where id in (
    select c.id from commands c where c.finished_at < $1
      and not exists (select from job_targets t where t.command_id = c.id and t.state = 'running')
    order by c.finished_at limit $2
  ) returning 1`
