/**
 * The action of a call as one run per Idempotency-Key. Owns what of a call makes its run, and that the run's outcome is
 * a complete answer, failures too; idempotency.ts owns the runs.
 */
import { Cause, Effect } from "effect"
import { ownerOf, type Principal, programCredentialOf } from "../../src/domain/account/principal.ts"
import type { HubError } from "../../src/errors.ts"
import type { Endpoint } from "./endpoint.ts"
import type { IdempotentRuns } from "./idempotency.ts"
import { internal } from "./problem.ts"
import type { RequestExchange as Exchange } from "./request-exchange.ts"
import type { Body } from "./request-parts.ts"
import { Answer } from "./response.ts"

/** What a run needs of its edge. */
interface RunningEdge {
  readonly idempotency: IdempotentRuns["Service"]
  readonly defect: (cause: Cause.Cause<unknown>, where: string, requestId: string) => void
  readonly storeFailed: (failure: HubError, where: string, requestId: string) => void
}

/** The outcome of an action as a complete answer, which an idempotent run stores. */
const outcomeOf = (
  edge: RunningEdge,
  endpoint: Endpoint,
  { requestId, parameters }: Exchange,
  action: Effect.Effect<unknown, HubError>
) =>
  action.pipe(
    Effect.map((value) => {
      const answer = endpoint.encode(value)
      return answer instanceof Answer ? answer : internal(requestId)
    }),
    Effect.catch((failure: HubError) => {
      if (failure._tag === "StoreFailed") edge.storeFailed(failure, endpoint.id, requestId)
      return Effect.sync(() => endpoint.encodeFailure(failure, requestId, parameters))
    }),
    Effect.catchDefect((defect) => {
      edge.defect(Cause.die(defect), endpoint.id, requestId)
      return Effect.succeed(internal(requestId))
    })
  )

const boundTo = (principal: Principal): string =>
  principal.selector === undefined ? "" : `${programCredentialOf(principal) ?? ownerOf(principal) ?? ""} `

/** A call with a key. */
interface KeyedCall {
  readonly exchange: Exchange
  readonly principal: Principal
  readonly body: Body | undefined
}

/** The action, run at most once. */
export const onceOf = (
  edge: RunningEdge,
  endpoint: Endpoint,
  { exchange, principal, body }: KeyedCall,
  action: Effect.Effect<unknown, HubError>
): Effect.Effect<unknown, HubError> =>
  edge.idempotency.runOnce(
    {
      route: `${endpoint.method} ${endpoint.path}`,
      path: exchange.path,
      query: exchange.query,
      key: exchange.idempotencyKey,
      principal,
      // who is bound gets no outcome of what another did to a daemon that they may not see
      body: boundTo(principal) + (body?.kind === "whole" ? body.text : ""),
      secrets: endpoint.access.secrets ?? []
    },
    outcomeOf(edge, endpoint, exchange, action)
  )
