/** The TURN route. Owns the shape of the answer; src/outbound/ice.ts issues the credentials. */
import { Clock, Effect } from "effect"
import { Ice } from "../../src/outbound/ice.ts"
import type { Turn } from "../api/turn.ts"
import type { Routes } from "../pipeline/action.ts"
import { json } from "../pipeline/response.ts"

export const turnRoutes = Effect.gen(function* () {
  const ice = yield* Ice
  const routes: Routes<typeof Turn> = {
    credentials: Effect.fnUntraced(function* ({ principal }) {
      const { iceServers, turn, cached, expiresAt } = yield* ice.forAccount(principal.accountId, principal.plan)
      const ttl = Math.max(0, Math.floor((expiresAt - (yield* Clock.currentTimeMillis)) / 1_000))
      const answer = { iceServers, turn, plan: principal.plan, cached, ttl, expiresAt }
      return json(200, answer, [["cache-control", "no-store"]])
    })
  }
  return routes
})
