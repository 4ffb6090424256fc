/** The routes of the audit log. Owns that an account sees its own events only; the store has the rows. */
import { Clock, Effect } from "effect"
import { Config } from "../../src/config.ts"
import { shownEvent } from "../../src/domain/account/shown-audit-event.ts"
import { cursorAfter, pageOf } from "../../src/domain/page-cursor.ts"
import { auditPageUsual } from "../../src/limits/audit.ts"
import { AuditEvents } from "../../src/store/accounts/audit-events.ts"
import type { Audit } from "../api/audit.ts"
import type { Routes } from "../pipeline/action.ts"
import { readPlace } from "./paging.ts"

/** The routes of `Audit`. */
export const auditRoutes = Effect.gen(function* () {
  const store = yield* AuditEvents
  const { auditRetentionMillis } = yield* Config
  const clock = yield* Clock.Clock

  const routes: Routes<typeof Audit> = {
    list: Effect.fnUntraced(function* ({ principal, query }) {
      const limit = query.limit ?? auditPageUsual
      const after = yield* readPlace("auditEvent", query.cursor)
      const { action, actor, object, outcome, since = 0, until } = query
      const kept = clock.currentTimeMillisUnsafe() - auditRetentionMillis
      const found = yield* store.list({
        accountId: principal.accountId,
        ...{ action, actor, object, outcome, until, after },
        since: Math.max(since, kept),
        limit: limit + 1
      })
      const { rows, last = found.lookedTo } = pageOf(found.events, limit)
      return { events: rows.map(shownEvent), ...(last !== undefined && { nextCursor: cursorAfter(last) }) }
    })
  }
  return routes
})
