/** The routes of the request log. Owns who sees which requests; the store has the rows. */
import { Clock, Effect } from "effect"
import { statusRangeOf } from "../../src/domain/account/logged-request.ts"
import { shownOwner } from "../../src/domain/account/member.ts"
import { ownOnly, type Principal, programCredentialOf } from "../../src/domain/account/principal.ts"
import { isId } from "../../src/domain/ids.ts"
import { cursorAfter, pageOf } from "../../src/domain/page-cursor.ts"
import { loggedRequestMillis, requestsPageUsual } from "../../src/limits.ts"
import { LoggedRequests, type ShownRequest } from "../../src/store/accounts/logged-requests.ts"
import type { Requests } from "../api/requests.ts"
import type { Routes } from "../pipeline/action.ts"
import { readPlace } from "./paging.ts"

const microsPerMilli = 1_000

const callerOf = (id: string | undefined, name: string | null) => {
  if (id === undefined) return { kind: "session" as const }
  return isId("grant", id) ? { kind: "grant" as const, id, name } : { kind: "key" as const, id, name }
}

const ownerOf = (id: string | undefined, name: string | null) => {
  const { person, serviceAccount } = shownOwner(id)
  if (person !== null) return { kind: "person" as const, id: person, name }
  return serviceAccount === null ? null : { kind: "service_account" as const, id: serviceAccount, name }
}

const shown = ({
  accountId: _,
  keyId,
  keyName,
  ownerId,
  ownerName,
  durationMicros,
  status,
  reason,
  code,
  ...rest
}: ShownRequest) => ({
  ...rest,
  owner: ownerOf(ownerId, ownerName ?? null),
  status: status ?? null,
  reason: reason ?? null,
  code: code ?? null,
  durationMs: durationMicros / microsPerMilli,
  credential: callerOf(keyId, keyName ?? null)
})

/**
 * A key or a connected app sees its own requests only, whatever it asks for; `seen` is false where it asks for those of
 * another.
 */
const credentialAsked = (principal: Principal, asked: string | undefined) => {
  const program = programCredentialOf(principal)
  if (program === undefined) return { seen: true, credential: asked }
  return { seen: asked === undefined || asked === program, credential: program }
}

/** The routes of `Requests`. */
export const requestRoutes = Effect.gen(function* () {
  const store = yield* LoggedRequests
  const clock = yield* Clock.Clock

  const routes: Routes<typeof Requests> = {
    list: Effect.fnUntraced(function* ({ principal, query }) {
      const limit = query.limit ?? requestsPageUsual
      const after = yield* readPlace("loggedRequest", query.cursor)
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
        of: programCredentialOf(principal) === undefined ? ownOnly(principal) : undefined,
        after,
        limit: seen ? limit + 1 : 0
      })
      const { rows, last } = pageOf(requests, limit)
      return { requests: rows.map(shown), omitted, ...(last !== undefined && { nextCursor: cursorAfter(last) }) }
    })
  }
  return routes
})
