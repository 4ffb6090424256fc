/**
 * The whole contract, one group per resource. Owns the list. mount.ts serves it; OpenAPI and typed clients derive from
 * it.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { Account } from "./account.ts"
import { Auth } from "./auth.ts"
import { Daemons } from "./daemons.ts"
import { Events } from "./events.ts"
import { Keys } from "./keys.ts"
import { Reference } from "./reference.ts"
import { Registry } from "./registry.ts"
import { Shortcuts } from "./shortcuts.ts"
import { System } from "./system.ts"
import { Turn } from "./turn.ts"
import { Webhooks } from "./webhooks.ts"

/** Every endpoint of the hub. A new group is added here and its routes in routes/all.ts. */
export const Api = HttpApi.make("hub")
  .add(System)
  .add(Auth)
  .add(Account)
  .add(Keys)
  .add(Daemons)
  .add(Shortcuts)
  .add(Webhooks)
  .add(Events)
  .add(Turn)
  .add(Registry)
  .add(Reference)
  .annotateMerge(OpenApi.annotations({ title: "Cloud automation hub", version: "1.0.0" }))
