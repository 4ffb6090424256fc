/** An audit log that keeps nothing. */
import { Effect, Layer } from "effect"
import { AuditLog } from "../../actors/audit-log/audit-log.ts"

export const silentAuditLog = Layer.succeed(AuditLog, {
  node: "node",
  commandsShown: () => "off",
  note: () => undefined,
  flush: Effect.void,
  sweep: Effect.void
})
