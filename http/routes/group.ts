/** The type that a routes file implements. Owns it; contains no route. */
import type { Effect } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { HubError } from "../../src/errors.ts"
import type { Answer, Streaming } from "../pipeline/response.ts"

/** What every call carries, whatever its endpoint. An abort by the caller interrupts the action's fiber. */
export interface CallContext {
  /** Who asks. On a public endpoint: `nobody`, which holds no account and no scope. */
  readonly principal: Principal
  readonly requestId: string
  /** As it was asked; HEAD comes to the action of GET, and its answer's body is not sent. */
  readonly method: string
  /** The client's address as the guard sees it (IPv6 cut to its /64). To be asked before anything is waited for. */
  readonly address: () => string
}

/** One call of an endpoint: what its contract decodes (params, query, payload, headers) and what every call carries. */
export type Call<E extends HttpApiEndpoint.ConstraintRequest> = Omit<E["~Request"], "request" | "endpoint" | "group"> &
  CallContext

/**
 * The actions of a group, by endpoint identifier. A plain success is written as JSON with the contract's first status,
 * as it is: success schemas describe the wire and transform nothing (tests check every answer against them). Services
 * are taken when the routes are built, so an action needs none when it runs.
 */
export type Routes<G extends HttpApiGroup.Constraint> = {
  readonly [E in Extract<HttpApiGroup.Endpoints<G>, HttpApiEndpoint.ConstraintRequest> as E["identifier"]]: (
    call: Call<E>
  ) => Effect.Effect<E["~Success"]["Type"] | Answer | Streaming, HubError>
}
