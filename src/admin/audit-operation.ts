/** `hub audit` as an operation: the audit log of one account or of all, a page at a time. Owns what is shown of it. */
import { Effect } from "effect"
import { shownEvent } from "../domain/account/shown-audit-event.ts"
import { cursorAfter, pageOf, placeOf } from "../domain/page-cursor.ts"
import { adminPageRowsMax } from "../limits/admin.ts"
import { AuditEvents } from "../store/accounts/audit-events.ts"
import { account, type Part, Refused, type Request } from "./operation.ts"

/** Events that are not too old, newest first. An account that is removed has its events still, by its id. */
export const listAudit = Effect.fnUntraced(function* (request: Request<"audit list">) {
  const store = yield* AuditEvents
  const after = request.after === undefined ? undefined : placeOf("auditEvent", request.after)
  if (request.after !== undefined && after === undefined)
    return yield* new Refused({ sentence: "the list does not go on from there" })
  const accountId = request.account?.includes("@") ? (yield* account(request.account)).id : request.account
  const { action, actor, object, outcome, since = 0, until } = request
  const asked = { accountId, action, actor, object, outcome, since, until, after, limit: adminPageRowsMax + 1 }
  const { rows, last } = pageOf(yield* store.list(asked), adminPageRowsMax)
  const events = rows.map((event) => {
    const { at, actor: who, ...rest } = shownEvent(event)
    return {
      at: new Date(at).toISOString(),
      accountId: event.accountId ?? null,
      actor: who.id === null ? who.kind : `${who.kind} ${who.id}`,
      ...rest
    }
  })
  return { answer: { events }, after: last && cursorAfter(last) } as Part
})
