/** The routes of the request log. Owns who sees which requests; the store has the rows. */
import { Clock, Effect } from "effect"
import { statusRangeOf } from "../../src/domain/account/logged-request.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { cursorAfter, pageOf } from "../../src/domain/page-cursor.ts"
import { loggedRequestMillis, requestsPageUsual } from "../../src/limits.ts"
import { LoggedRequests, type ShownRequest } from "../../src/store/accounts/logged-requests.ts"
import type { Requests } from "../api/requests.ts"
import type { Routes } from "../pipeline/action.ts"
import { readRequestCursor } from "./paging.ts"

const microsPerMilli = 1_000

const shown = ({ accountId: _, keyId, keyName, durationMicros, status, reason, code, ...rest }: ShownRequest) => ({
  ...rest,
  status: status ?? null,
  reason: reason ?? null,
  code: code ?? null,
  durationMs: durationMicros / microsPerMilli,
  credential:
    keyId === undefined ? ({ kind: "session" } as const) : ({ kind: "key", id: keyId, name: keyName ?? null } as const)
})

/** A key sees its own requests only, whatever it asks for; `seen` is false where it asks for those of another. */
const credentialAsked = ({ credential }: Principal, asked: string | undefined) => {
  if (credential.kind === "session") return { seen: true, credential: asked }
  return { seen: asked === undefined || asked === credential.keyId, credential: credential.keyId }
}

/** The routes of `Requests`. */
export const requestRoutes = Effect.gen(function* () {
  const store = yield* LoggedRequests
  const clock = yield* Clock.Clock

  const routes: Routes<typeof Requests> = {
    list: Effect.fnUntraced(function* ({ principal, query }) {
      const limit = query.limit ?? requestsPageUsual
      const after = yield* Effect.fromResult(readRequestCursor(query.cursor))
      const { seen, credential } = credentialAsked(principal, query.key)
      const { requests, omitted } = yield* store.list({
        accountId: principal.accountId,
        since: Math.max(query.since ?? 0, clock.currentTimeMillisUnsafe() - loggedRequestMillis),
        credential,
        method: query.method,
        operation: query.operation,
        pathContains: query.pathContains,
        status: query.status === undefined ? undefined : statusRangeOf(query.status),
        reason: query.reason,
        after,
        limit: seen ? limit + 1 : 0
      })
      const { rows, last } = pageOf(requests, limit)
      return { requests: rows.map(shown), omitted, ...(last !== undefined && { nextCursor: cursorAfter(last) }) }
    })
  }
  return routes
})
