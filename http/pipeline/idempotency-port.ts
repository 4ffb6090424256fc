/**
 * What may stand around an action: the hook for idempotent replays. Owns the port; http/pipeline/idempotency.ts is the
 * live one. It stands behind the body's checks and before ownership and action.
 */
import { Context, type Effect } from "effect"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { HubError } from "../../src/errors.ts"
import type { Answer } from "./response.ts"

/** One call that carries an Idempotency-Key. */
export interface KeyedCall {
  /** `POST /api/v1/daemons/:daemonId/command`. */
  readonly route: string
  /** The path as it was called, parameters in it. */
  readonly path: string
  readonly query: string
  readonly key: string
  readonly principal: Principal
  readonly requestId: string
  readonly body: string
  /** Members of a success that are never stored. */
  readonly secrets: ReadonlyArray<string>
}

/** Stands around the actions of calls with an Idempotency-Key. */
export class IdempotentRuns extends Context.Service<
  IdempotentRuns,
  {
    /**
     * Runs the action at most once for its key and answers with its outcome, the stored one on a replay (which carries
     * `Idempotency-Replayed: true` and is not counted against the quota). Interrupting it does not interrupt the
     * action.
     */
    readonly once: (call: KeyedCall, action: Effect.Effect<Answer>) => Effect.Effect<Answer, HubError>
    /** Ends once no run is under way, those included whose callers are gone. */
    readonly settled: Effect.Effect<void>
  }
>()("hub/IdempotentRuns") {}
