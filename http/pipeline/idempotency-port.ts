/**
 * The port for idempotent replays; idempotency.ts implements it. The pipeline calls it after the body's checks and
 * before the action, which checks ownership.
 */
import { Context, type Effect } from "effect"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { HubError } from "../../src/errors.ts"
import type { Answer } from "./response.ts"

/** One call that carries an Idempotency-Key. */
export interface KeyedCall {
  /** `POST /api/v1/daemons/:daemonId/command`. */
  readonly route: string
  /** The path of the request, with its parameters' values. */
  readonly path: string
  readonly query: string
  readonly key: string
  readonly principal: Principal
  readonly requestId: string
  readonly body: string
  /** Members of a success that are never stored. */
  readonly secrets: ReadonlyArray<string>
}

/** Runs the actions of calls with an Idempotency-Key. */
export class IdempotentRuns extends Context.Service<
  IdempotentRuns,
  {
    /**
     * Runs the action at most once per key and returns its outcome. A replay returns the stored outcome with
     * `Idempotency-Replayed: true` and is not charged to the quota. Interruption does not interrupt the action.
     */
    readonly runOnce: (call: KeyedCall, action: Effect.Effect<Answer>) => Effect.Effect<Answer, HubError>
    /** Ends once no run is in progress, runs without a caller included. */
    readonly settled: Effect.Effect<void>
  }
>()("hub/IdempotentRuns") {}
