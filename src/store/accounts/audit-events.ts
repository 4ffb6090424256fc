/**
 * The store of the audit log. Owns the rows of `audit_events`: counted ones written in batches, the list by filter and
 * page, their removal by age, and what the sink lacks. recorded-change.ts writes those of changes.
 */
import { Array as Arr, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditActor, AuditEvent, AuditOutcome } from "../../domain/account/audit-event.ts"
import type { PagePosition } from "../../domain/page-cursor.ts"
import { auditExportRowsMax, auditLookedMax, auditRowsMax } from "../../limits/audit.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"

/** Which events. What is undefined matters not. */
export interface AuditAsked {
  /** Undefined: of all accounts. */
  readonly accountId: string | undefined
  readonly action: string | undefined
  /** An id of a credential, a person or a service account, or a kind of actor. */
  readonly actor: string | undefined
  readonly object: string | undefined
  readonly outcome: AuditOutcome | undefined
  /** At this time or later, epoch milliseconds. */
  readonly since: number
  /** Before this time. */
  readonly until: number | undefined
  /** After this one, in a list that begins with the newest. */
  readonly after: PagePosition | undefined
  readonly limit: number
}

/** Writes events. One that is there already, counted further, takes its new count and is exported again. */
export const insertAuditText = `insert into audit_events
    (id, account_id, at, actor_kind, actor_id, action, object, detail, outcome, reason, address, node, request_id, count,
      actor_owner)
  select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::text[])
  on conflict (id) do update set count = excluded.count, exported = false`

/** The parameters of that statement. */
export const auditColumns = (events: ReadonlyArray<AuditEvent>): ReadonlyArray<ReadonlyArray<unknown>> => [
  events.map(({ id }) => id),
  events.map(({ accountId }) => accountId ?? null),
  events.map(({ at }) => at),
  events.map(({ actor }) => actor.kind),
  events.map(({ actor }) => actor.id ?? null),
  events.map(({ action }) => action),
  events.map(({ object }) => object ?? null),
  events.map(({ detail }) => detail ?? null),
  events.map(({ outcome }) => outcome),
  events.map(({ reason }) => reason ?? null),
  events.map(({ address }) => address ?? null),
  events.map(({ node }) => node ?? null),
  events.map(({ requestId }) => requestId ?? null),
  events.map(({ count }) => count),
  events.map(({ actor }) => actor.owner ?? null)
]

const columns = `id, account_id as "accountId", at, actor_kind as "actorKind", actor_id as "actorId", action, object,
  detail, outcome, reason, address, node, request_id as "requestId", count, actor_owner as "actorOwner"`

const inTime = (of: string) => `from audit_events
  where ${of} and at >= $2 and ($3::bigint is null or at < $3)
    and ($4::bigint is null or (at, id) < ($4::bigint, $5::text))
  order by at desc, id desc`

/** Looks at so many only: an account may have millions of which a filter lets none pass. */
const listText = (of: string) => `select ${columns} from (select * ${inTime(of)} limit ${auditLookedMax}) looked
  where ($6::text is null or action = $6) and ($7::text is null or actor_id = $7 or actor_kind = $7 or actor_owner = $7)
    and ($8::text is null or object = $8) and ($9::text is null or outcome = $9)
  order by at desc, id desc limit $10`
const lastLookedText = (of: string) => `select at, id ${inTime(of)} offset ${auditLookedMax - 1} limit 1`

const texts = (of: string) => ({ list: listText(of), lastLooked: lastLookedText(of) })
const ofAccount = texts("account_id = $1")
const ofAll = texts("$1::text is null")

const exportedText = `update audit_events e set exported = true
  from unnest($1::text[], $2::bigint[]) as g (id, count) where e.id = g.id and e.count = g.count`

const claimText = `insert into audit_sink (id, node, until) values (1, $1, $3)
  on conflict (id) do update set node = excluded.node, until = excluded.until
  where audit_sink.node = excluded.node or audit_sink.until < $2 returning id`

type Row = query.Nullable<Omit<AuditEvent, "actor">> & {
  readonly actorKind: AuditActor["kind"]
  readonly actorId: string | null
  readonly actorOwner: string | null
}

const eventOf = ({ actorKind: kind, actorId, actorOwner, ...row }: Row): AuditEvent => ({
  ...query.withoutNulls<Omit<AuditEvent, "actor">>(row),
  actor: { kind, id: actorId ?? undefined, owner: actorOwner ?? undefined }
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const events = (operation: string, statement: string, values: ReadonlyArray<unknown>) =>
    query.many(operation, sql.unsafe<Row>(statement, values), eventOf)

  return {
    /** Inserts events, or counts further those that are there. */
    write: (all: ReadonlyArray<AuditEvent>) =>
      Effect.forEach(
        Arr.chunksOf(all, auditRowsMax),
        (some) => query.many("write the audit log", sql.unsafe(insertAuditText, auditColumns(some))),
        { discard: true }
      ),
    /** A page, newest first. `lookedTo`: it has fewer than were asked for, and older ones were not looked at. */
    list: Effect.fnUntraced(function* (asked: AuditAsked) {
      const { accountId, since, until, action, actor, object, outcome, after, limit } = asked
      const { list, lastLooked } = accountId === undefined ? ofAll : ofAccount
      const inTime = [accountId ?? null, since, until ?? null, after?.at ?? null, after?.id ?? null]
      const filter = [action ?? null, actor ?? null, object ?? null, outcome ?? null]
      const found = yield* events("read the audit log", list, [...inTime, ...filter, limit])
      if (found.length === limit || filter.every((one) => one === null)) return { events: found, lookedTo: undefined }
      const last = sql.unsafe<PagePosition>(lastLooked, inTime)
      const [lookedTo] = yield* query.many("find where the audit log was looked to", last)
      return { events: found, lookedTo }
    }),
    /** Removes what happened before this time; returns the number of rows, of at most so many. */
    prune: (before: number) =>
      prune(sql, "shorten the audit log", { table: "audit_events", key: "id", by: "at", before }),
    /** Some of those that the sink lacks, oldest first. */
    unexported: events(
      "read what the audit sink lacks",
      `select ${columns} from audit_events where not exported order by at, id limit $1`,
      [auditExportRowsMax]
    ),
    /** Notes that the sink has these, as far as they are still the same. */
    exported: (some: ReadonlyArray<AuditEvent>) =>
      query.run(
        "note what the audit sink has",
        sql.unsafe(exportedText, [some.map(({ id }) => id), some.map(({ count }) => count)])
      ),
    /** Whether this node may serve the sink until then: no other does. */
    claimSink: (node: string, now: number, until: number) =>
      query.any("claim the audit sink", sql.unsafe(claimText, [node, now, until])),
    /** Lets another node serve it at once. */
    releaseSink: (node: string) =>
      query.run("release the audit sink", sql.unsafe("delete from audit_sink where node = $1", [node]))
  }
})

export class AuditEvents extends Context.Service<AuditEvents, Effect.Success<typeof make>>()("hub/AuditEvents") {
  static readonly layer = Layer.effect(AuditEvents, make)
}
