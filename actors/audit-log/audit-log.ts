/**
 * The audit log of this node, for what changes no row: counts refusals, commands and the like, and writes them once a
 * second. Owns when that happens, and the removal of what is too old. Changes are recorded in their own transactions
 * (src/store/accounts/recorded-change.ts).
 */

import { Clock, Context, Effect, Layer } from "effect"
import { Config } from "../../src/config.ts"
import type { AuditOrigin } from "../../src/domain/account/audit-event.ts"
import { type CommandsShown, shownOf } from "../../src/domain/command/shown-command.ts"
import { newId } from "../../src/domain/ids.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { auditCountMillis, auditFlushMillis, auditSweepMillis } from "../../src/limits/audit.ts"
import { count } from "../../src/runtime/metrics.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { flushEvery, logFailure, repeatEvery } from "../../src/runtime/repeat-every.ts"
import { AuditEvents } from "../../src/store/accounts/audit-events.ts"
import { logAudited } from "../../src/store/accounts/recorded-change.ts"
import { whileFull } from "../../src/store/sql/pruning.ts"
import { AuditCounts, eventOf, type Noted } from "./audit-counts.ts"

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** The id of this node, for origins. */
    readonly node: string
    /** How much of an account's terminal commands is said. */
    readonly commandsShown: (accountId: string) => CommandsShown
    /** Counts an event, which happened so often (once, unless it is said), and is written soon. */
    readonly note: (origin: AuditOrigin, noted: Noted, times?: number) => void
    /** Writes now what was counted. */
    readonly flush: Effect.Effect<void>
    /** Removes now what is too old. */
    readonly sweep: Effect.Effect<void, StoreFailed>
  }
>()("hub/AuditLog") {
  static readonly layer = Layer.effect(AuditLog)(Effect.suspend(() => make))
}

const make = Effect.gen(function* () {
  const store = yield* AuditEvents
  const node = yield* NodeId
  const { auditRetentionMillis, auditCommands } = yield* Config
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const counts = new AuditCounts(() => newId("auditEvent"))

  const write = Effect.suspend(() => {
    const events = counts.unwritten()
    return events.length === 0 ? Effect.void : Effect.map(store.write(events), () => counts.written(events))
  })
  const flush = logFailure("the audit log was not written", write)

  const sweep = Effect.suspend(() => whileFull(store.prune(clock.currentTimeMillisUnsafe() - auditRetentionMillis)))

  const note: AuditLog["Service"]["note"] = (origin, noted, times = 1) => {
    const at = clock.currentTimeMillisUnsafe()
    const counted = counts.add(origin, noted, at, times)
    if (counted === "omitted") count("hub_audit_omitted_total", "", times)
    // what is counted further says nothing new; commands have lines of their own, at debug
    if (counted === "begun" && noted.action !== "command.sent") run(logAudited(eventOf(origin, noted, at)))
  }

  yield* flushEvery(auditFlushMillis, "the audit log was not written", flush)
  yield* repeatEvery(
    auditCountMillis,
    "a minute of the audit log did not begin",
    Effect.sync(() => counts.forget())
  )
  yield* repeatEvery(auditSweepMillis, "the audit log was not shortened", sweep)

  return AuditLog.of({ node, commandsShown: (accountId) => shownOf(auditCommands, accountId), note, flush, sweep })
})
