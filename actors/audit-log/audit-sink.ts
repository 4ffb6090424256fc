/**
 * Hands the audit log on to the sink of the settings, in its order, until the sink has every event: each at least once.
 * Owns which node does so, and the waits after failures; src/outbound/audit-collector.ts has the ways.
 */
import { Clock, Effect, Layer } from "effect"
import { Config } from "../../src/config.ts"
import {
  auditExportMillis,
  auditExportRowsMax,
  auditRetryMillisMax,
  auditSinkLeaseMillis
} from "../../src/limits/audit.ts"
import { collectorOf } from "../../src/outbound/audit-collector.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { AuditEvents } from "../../src/store/accounts/audit-events.ts"

const make = Effect.gen(function* () {
  const { auditSink, auditSinkSecret = "" } = yield* Config
  if (auditSink === undefined) return
  const store = yield* AuditEvents
  const node = yield* NodeId
  const collect = yield* collectorOf(auditSink, auditSinkSecret)

  /** Hands one batch on; true when there may be more. */
  const step = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (!(yield* store.claimSink(node, now, now + auditSinkLeaseMillis))) return false
    const events = yield* store.unexported
    if (events.length === 0) return false
    yield* collect(events)
    yield* store.exported(events)
    return events.length >= auditExportRowsMax
  })

  let failures = 0
  const round = Effect.matchCauseEffect(step, {
    onSuccess: (more) =>
      Effect.sync(() => {
        failures = 0
        return more ? 0 : auditExportMillis
      }),
    onFailure: (cause) => {
      const wait = Math.min(auditExportMillis * 2 ** failures++, auditRetryMillisMax)
      const level = failures === 1 ? "Warn" : "Debug"
      return Effect.as(Effect.logWithLevel(level)("the audit sink lacks events", cause), wait)
    }
  })
  yield* Effect.addFinalizer(() => Effect.ignore(store.releaseSink(node)))
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(round, (wait) => Effect.sleep(wait))))
})

/** The export, where a sink is set. */
export const AuditSink: { readonly layer: Layer.Layer<never, never, Config | AuditEvents | NodeId> } = {
  layer: Layer.effectDiscard(make)
}
