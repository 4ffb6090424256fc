/**
 * The action of an endpoint, and those of a group, which a routes file implements. Owns the types; contains no route.
 */
import type { Effect, Schema } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { FailureOf } from "../api/failures.ts"
import type { Answer, Sending, Streaming } from "./response.ts"

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

/** An endpoint with its types and its schemas. */
export type DescribedEndpoint = HttpApiEndpoint.ConstraintRequest &
  Pick<HttpApiEndpoint.Top, "identifier" | "method" | "path" | "params" | "query" | "headers" | "payload">

/** What a part of a request decodes to; undefined where the contract does not name the part. */
export type Part<S extends Schema.Constraint> = [S] extends [never] ? undefined : S["Type"]

/** One call of an endpoint: its decoded params, query, headers and payload, and the parts that every call has. */
export interface Call<E extends HttpApiEndpoint.ConstraintRequest> extends CallContext {
  readonly params: Part<E["~Params"]>
  readonly query: Part<E["~Query"]>
  readonly headers: Part<E["~Headers"]>
  readonly payload: Part<E["~Payload"]>
}

type ReasonOf<Body> = Body extends { readonly reason: infer R } ? R : never

type Success<E extends HttpApiEndpoint.ConstraintRequest> = E["~Success"]["Type"] | Answer | Streaming
type FailuresOf<E extends HttpApiEndpoint.ConstraintRequest> = FailureOf<ReasonOf<E["~Error"]["Type"]>>

/**
 * The action of an endpoint. It fails only in the ways that its endpoint declares. A plain success is encoded as JSON
 * with the contract's first status; success schemas describe the wire and transform nothing (tests check every answer
 * against them).
 */
export type Action<E extends HttpApiEndpoint.ConstraintRequest> = (
  call: Call<E>
) => Effect.Effect<Success<E> | Sending<Success<E>, FailuresOf<E>>, FailuresOf<E>>

/** The endpoints of a group. */
export type EndpointsOf<G extends HttpApiGroup.Constraint> = Extract<HttpApiGroup.Endpoints<G>, DescribedEndpoint>

/** The endpoints of a group, by identifier. */
export type EndpointMap<G extends HttpApiGroup.Constraint> = {
  readonly [K in EndpointsOf<G>["identifier"]]: Extract<EndpointsOf<G>, { readonly identifier: K }>
}

/**
 * The actions of a group, by endpoint identifier. Routes resolve their services when they are built, so a running
 * action requires none.
 */
export type Routes<G extends HttpApiGroup.Constraint> = {
  readonly [K in keyof EndpointMap<G>]: Action<EndpointMap<G>[K]>
}
