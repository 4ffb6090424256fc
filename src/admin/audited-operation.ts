/** The operations of an administrator in the audit log. Owns where they come from; performs none. */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditOrigin } from "../domain/account/audit-event.ts"
import { NodeId } from "../runtime/node-id.ts"
import { AuditedBy, attemptRecorded } from "../store/accounts/recorded-change.ts"
import type { AdminRequest } from "./requests.ts"

/** Records the end of an operation that changes no audited row: `backup` and `secret rotate`. */
export const noteEnd = Effect.fnUntraced(function* ({ op }: AdminRequest, after: string | undefined) {
  if (after !== undefined || (op !== "secret rotate" && op !== "backup")) return
  const action = op === "backup" ? "backup.made" : "secret.rotated"
  const sql = yield* SqlClient.SqlClient
  yield* attemptRecorded(sql, "write the audit log", Effect.void, () => ({ action }))
})

/** Everything that is done here is an administrator's doing, on a hub that runs or without one. */
export const byAdministrator = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.serviceOption(NodeId), (node) => {
    const origin: AuditOrigin = {
      actor: { kind: "command_line" },
      accountId: undefined,
      address: undefined,
      node: Option.getOrUndefined(node),
      requestId: undefined
    }
    return Effect.provideService(work, AuditedBy, origin)
  })
