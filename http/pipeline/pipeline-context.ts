/** What every endpoint's handler shares. Owns the words only; http/edge.ts makes it. */
import type { Cause, Clock, Effect, Fiber } from "effect"
import type { AuditLog } from "../../actors/audit-log/audit-log.ts"
import type { RequestLog } from "../../actors/request-log/request-log.ts"
import type { HubError } from "../../src/errors.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"
import type { BodyCost } from "./body-cost.ts"
import type { Guard } from "./guard.ts"
import type { IdempotentRuns } from "./idempotency.ts"
import type { OpenCalls } from "./open-calls.ts"

/** The services that every endpoint's handler shares. */
export interface PipelineContext {
  readonly guard: Guard
  readonly calls: OpenCalls
  readonly bodyCost: BodyCost
  readonly idempotency: IdempotentRuns["Service"]
  readonly requestLog: RequestLog["Service"]
  readonly auditLog: AuditLog["Service"]
  /** Logs each request; undefined above `debug`. */
  readonly logRequest: ((facts: Readonly<Record<string, unknown>>) => void) | undefined
  /** Likewise each command. */
  readonly logCommand: ((facts: Readonly<Record<string, unknown>>) => void) | undefined
  /** Runs an effect in a fiber of its own. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly clock: Clock.Clock
  /** Undefined: nothing is traced. */
  readonly tracing?: Tracer | undefined
  /** Logs a defect with the request it came from. */
  readonly defect: (cause: Cause.Cause<unknown>, where: string, requestId: string) => void
  /** Logs a store failure, whose cause no caller sees. */
  readonly storeFailed: (failure: HubError, where: string, requestId: string) => void
}
