/**
 * Makes changes that the audit log records, each in one transaction with its record. Owns that both are committed or
 * neither is; audit-events.ts owns the rows. A change without an origin is the hub's own: it is a transaction too, and
 * is not audited.
 */
import { Array as Arr, Clock, Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type AuditAction, type AuditEvent, type AuditOrigin, originMembers } from "../../domain/account/audit-event.ts"
import { newId } from "../../domain/ids.ts"
import * as query from "../sql/query.ts"
import { auditColumns, insertAuditText } from "./audit-events.ts"

/** The origin of what the running fiber does. */
export const AuditedBy = Context.Reference<AuditOrigin | undefined>("hub/AuditedBy", { defaultValue: () => undefined })

/** What a change did. `accountId` undefined: it concerns the account of its origin. */
export interface ChangeMade {
  readonly action: AuditAction
  readonly accountId?: string | undefined
  readonly object?: string | undefined
  readonly detail?: string | undefined
  /** Another than the origin's: a sign-in begins without a credential. */
  readonly actor?: AuditEvent["actor"]
}

const eventOf = (origin: AuditOrigin, { accountId, actor, action, object, detail }: ChangeMade, at: number) =>
  ({
    ...originMembers(origin),
    id: newId("auditEvent"),
    accountId: accountId ?? origin.accountId,
    actor: actor ?? origin.actor,
    at,
    action,
    object,
    detail,
    outcome: "done",
    reason: undefined,
    count: 1
  }) satisfies AuditEvent

/** A line of the hub's log. A command line without a hub has none. */
export const logAudited = (event: Omit<AuditEvent, "id" | "count">): Effect.Effect<void> => {
  const { action, outcome, accountId, actor, object, reason, ...rest } = event
  if (rest.node === undefined) return Effect.void
  const { address, requestId } = rest
  const by = actor.id ?? actor.kind
  const facts = { action, outcome, account: accountId, by, object, reason, address, requestId }
  return Effect.logInfo("audited", Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)))
}

/**
 * Makes a change, of one statement or several, and records it. `made`: what the answer says was done; undefined when
 * nothing was. Within a transaction of its caller it is logged once that is committed.
 */
export const recordChange = <A, E, R>(
  sql: SqlClient.SqlClient,
  change: Effect.Effect<A, E, R>,
  made: (answer: A) => ChangeMade | ReadonlyArray<ChangeMade> | undefined
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.flatMap(AuditedBy, (origin): Effect.Effect<A, E | SqlError.SqlError, R> => {
    if (origin === undefined) return sql.withTransaction(change)
    const both = Effect.tap(change, (answer) => {
      const all = Arr.ensure(made(answer) ?? [])
      if (all.length === 0) return Effect.void
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const events = all.map((one) => eventOf(origin, one, now))
        const logged = sql.afterCommit(Effect.forEach(events, logAudited, { discard: true }))
        return Effect.andThen(sql.unsafe(insertAuditText, auditColumns(events)), logged)
      })
    })
    return sql.withTransaction(both)
  })

/** The same, of which a failure bears this operation. */
export const attemptRecorded = <A, E, R>(
  sql: SqlClient.SqlClient,
  operation: string,
  change: Effect.Effect<A, E, R>,
  made: (answer: A) => ChangeMade | undefined
) => query.attempt(operation, recordChange(sql, change, made))

/** Whether a change returned rows; where it did, this was done. */
export const anyRecorded = <A, E, R>(
  sql: SqlClient.SqlClient,
  operation: string,
  change: Effect.Effect<ReadonlyArray<A>, E, R>,
  made: ChangeMade
) =>
  query.any(
    operation,
    recordChange(sql, change, ({ length }) => (length === 0 ? undefined : made))
  )
