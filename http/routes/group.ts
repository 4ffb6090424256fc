/** The type that a routes file implements. Contains no route. */
import type { Effect } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { HubError } from "../../src/errors.ts"
import type { Answer, Streaming } from "../pipeline/response.ts"

/** The parts of a call that every endpoint has. A disconnect of the caller interrupts the action. */
export interface CallContext {
  /** The caller's principal. On a public endpoint: `anonymous`, without account and scopes. */
  readonly principal: Principal
  readonly requestId: string
  /** The request's method. HEAD runs the action of GET, and the answer's body is not sent. */
  readonly method: string
  /** The client's address as the guard sees it (IPv6 cut to its /64). Call it before waiting for anything. */
  readonly address: () => string
}

/** One call of an endpoint: its decoded params, query, payload and headers, and the parts that every call has. */
export type Call<E extends HttpApiEndpoint.ConstraintRequest> = Omit<E["~Request"], "request" | "endpoint" | "group"> &
  CallContext

/**
 * The actions of a group, by endpoint identifier. A plain success is encoded as JSON with the contract's first status;
 * success schemas describe the wire and transform nothing (tests check every answer against them). Routes resolve their
 * services when they are built, so a running action requires none.
 */
export type Routes<G extends HttpApiGroup.Constraint> = {
  readonly [E in Extract<HttpApiGroup.Endpoints<G>, HttpApiEndpoint.ConstraintRequest> as E["identifier"]]: (
    call: Call<E>
  ) => Effect.Effect<E["~Success"]["Type"] | Answer | Streaming, HubError>
}
