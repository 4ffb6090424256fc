/** The routes of every group. Owns the list: a group of the contract without routes does not compile. */
import { Effect } from "effect"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { Api } from "../api/api.ts"
import { accountRoutes } from "./account.ts"
import { authRoutes } from "./auth.ts"
import { daemonRoutes } from "./daemons.ts"
import { eventRoutes } from "./events.ts"
import type { Routes } from "./group.ts"
import { keyRoutes } from "./keys.ts"
import { referenceRoutes } from "./reference.ts"
import { registryRoutes } from "./registry.ts"
import { shortcutRoutes } from "./shortcuts.ts"
import { systemRoutes } from "./system.ts"
import { turnRoutes } from "./turn.ts"
import { webhookRoutes } from "./webhooks.ts"

type Groups<A> = A extends HttpApi.HttpApi<infer _, infer Gs> ? Gs : never

/** The routes of every group of the contract, by group. */
export type AllRoutes = {
  readonly [G in Extract<Groups<typeof Api>, HttpApiGroup.Constraint> as G["identifier"]]: Routes<G>
}

/** Builds all routes. The layers must provide their services. */
export const allRoutes = Effect.gen(function* () {
  const routes: AllRoutes = {
    system: yield* systemRoutes,
    auth: yield* authRoutes,
    account: yield* accountRoutes,
    keys: yield* keyRoutes,
    daemons: yield* daemonRoutes,
    shortcuts: yield* shortcutRoutes,
    webhooks: yield* webhookRoutes,
    events: yield* eventRoutes,
    turn: yield* turnRoutes,
    registry: yield* registryRoutes,
    reference: yield* referenceRoutes
  }
  return routes
})
