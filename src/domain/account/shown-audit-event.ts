/** An event of the audit log as it is shown: in the API, on the command line and to a sink. Owns that one form. */
import type { AuditEvent } from "./audit-event.ts"
import { shownOwner } from "./member.ts"

/** Members that are absent become null, and the account is left to who shows events of several. */
export const shownEvent = ({ id, at, actor, action, object, detail, outcome, reason, ...rest }: AuditEvent) => ({
  id,
  at,
  actor: { kind: actor.kind, id: actor.id ?? null, ...shownOwner(actor.owner) },
  action,
  object: object ?? null,
  detail: detail ?? null,
  outcome,
  reason: reason ?? null,
  address: rest.address ?? null,
  node: rest.node ?? null,
  requestId: rest.requestId ?? null,
  count: rest.count
})
