/** The routes of sessions' logs. Owns whose session it is; log-answers.ts shows the log. */
import { Effect } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { sessionOf } from "../../src/domain/daemon/target-resolution.ts"
import { DaemonOffline, NotFound } from "../../src/errors.ts"
import type { Sessions } from "../api/sessions.ts"
import type { Routes } from "../pipeline/action.ts"
import type { LogAnswers, ShownLog } from "./log-answers.ts"

export const sessionRoutes = Effect.fnUntraced(function* ({ stream, page }: LogAnswers) {
  const directory = yield* Directory

  /** The log of a session of an online daemon. */
  const find = Effect.fnUntraced(function* (
    principal: Principal,
    { daemonId, sessionId }: { readonly daemonId: string; readonly sessionId: string }
  ) {
    const snapshot = yield* directory.snapshot(principal.accountId, daemonId)
    if (sessionOf(snapshot, sessionId) === undefined) return yield* new NotFound()
    if (!snapshot.online) return yield* new DaemonOffline()
    return { principal, daemonId, log: { kind: "session", id: sessionId } } satisfies ShownLog
  })

  const routes: Routes<typeof Sessions> = {
    events: Effect.fnUntraced(function* ({ principal, params, query }) {
      return yield* page(yield* find(principal, params), query)
    }),
    stream: Effect.fnUntraced(function* ({ principal, params, query, headers }) {
      return yield* stream(yield* find(principal, params), query, headers["last-event-id"])
    })
  }
  return routes
})
