/**
 * Handles one request at one endpoint: guard, then params, query, headers and body, then the action, then the response.
 * Owns that order, what a caller who hangs up interrupts, and which responses refund the quota. Each step has its own
 * file.
 */
import { Cause, Effect, Exit } from "effect"
import type { AuditOrigin } from "../../src/domain/account/audit-event.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { type HubError, Overloaded } from "../../src/errors.ts"
import { bodyBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import { AuditedBy } from "../../src/store/accounts/recorded-change.ts"
import { type Access, isKeyed } from "../api/access.ts"
import { type Auditing, auditingOf, keepAddress } from "./auditing.ts"
import type { Endpoint } from "./endpoint.ts"
import { fail, failWithDefect, refuse } from "./failed-answer.ts"
import type { Verdict } from "./guard.ts"
import { OpenCall, type Refuse } from "./open-calls.ts"
import type { PipelineContext } from "./pipeline-context.ts"
import { rateLimitHead } from "./rate-limit-headers.ts"
import type { Body, RequestExchange as Exchange } from "./request-exchange.ts"
import type { Recorder } from "./request-logging.ts"
import { actionWithin, answering, guarded, requestTracing, streaming } from "./request-tracing.ts"
import { watchRequests } from "./request-watch.ts"
import { Answer, isRefunded, type Streaming } from "./response.ts"
import { onceOf } from "./run-once.ts"
import { withWarnings } from "./warnings.ts"

/** Runs an effect for an exchange. A caller who hangs up interrupts the effect, or leaves it to its end. */
export const run = <A, E>(
  edge: PipelineContext,
  exchange: Exchange,
  effect: Effect.Effect<A, E>,
  done: (exit: Exit.Exit<A, E>) => void,
  onHangUp: Access["onHangUp"] = "cancel"
): void => {
  const fiber = edge.fork(effect)
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return done(exit)
  let release: (() => void) | undefined
  exchange.cancel =
    onHangUp === "cancel"
      ? () => fiber.interruptUnsafe()
      : () => {
          release = holdDrain(exchange)
        }
  fiber.addObserver((exit) => {
    exchange.cancel = undefined
    done(exit)
    release?.()
  })
}

/** Lets a drain wait for work that goes on without its caller. Returns the end of the wait. */
const holdDrain = ({ shared }: Exchange): (() => void) => {
  shared.live++
  return () => {
    if (--shared.live === 0) shared.onIdle()
  }
}

/** An endpoint at an edge, with its concurrency slots. */
interface Handling {
  readonly edge: PipelineContext
  readonly endpoint: Endpoint
  readonly bytesMax: number
  readonly keyed: boolean
  /** Undefined: its requests are not in the request log. */
  readonly record: Recorder | undefined
  readonly audit: Auditing | undefined
  /** Refuses a call whose credential has ended; undefined: they run to their end, or have none. */
  readonly end: Refuse | undefined
  slotsInUse: number
}

const respond = ({ edge, endpoint, record }: Handling, exchange: Exchange, value: unknown): void => {
  let answer: Answer | Streaming
  try {
    answer = endpoint.encode(value)
  } catch (error) {
    return failWithDefect(edge, exchange, endpoint.id, Cause.die(error))
  }
  const { warnings } = exchange
  if (answer instanceof Answer) return exchange.answer(warnings === undefined ? answer : withWarnings(answer, warnings))
  if (exchange.method === "HEAD") return exchange.answer(new Answer(200, answer.headers, ""))
  const outlet = exchange.stream(answer.headers)
  if (outlet === undefined) return
  exchange.beforeAnswer = undefined
  streaming(exchange)
  record?.(exchange, { status: 200, body: undefined })
  run(edge, exchange, answer.run(outlet), (exit) => {
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause))
      edge.defect(exit.cause, endpoint.id, exchange.requestId)
    outlet.end()
  })
}

/** A call that the guard let in; `origin` undefined: its endpoint is not audited. */
interface Admitted {
  readonly principal: Principal
  readonly origin: AuditOrigin | undefined
}

const runAction = (handling: Handling, exchange: Exchange, admitted: Admitted, body: Body | undefined): void => {
  const { principal, origin } = admitted
  const { edge, endpoint, keyed } = handling
  const { id, encodeFailure } = endpoint
  const dear = body?.kind === "whole" ? edge.bodyCost(body.text, principal, exchange.client) : undefined
  if (dear !== undefined) return refuse(edge, exchange, id, dear, false, encodeFailure)
  let called: ReturnType<Endpoint["call"]>
  try {
    called = endpoint.call(exchange, body, principal, () => exchange.client.bucket)
  } catch (error) {
    return failWithDefect(edge, exchange, id, Cause.die(error))
  }
  if (!Effect.isEffect(called)) return refuse(edge, exchange, id, called.failure, called.closes, encodeFailure)
  const own = origin === undefined ? called : Effect.provideService(called, AuditedBy, origin)
  const action =
    keyed && exchange.idempotencyKey !== "" ? onceOf(edge, endpoint, { exchange, principal, body }, own) : own
  const { onHangUp } = endpoint.access
  const releaseSlot = onHangUp === "finish" ? exchange.onEnd : undefined
  // an action that outlives its caller keeps its slot
  if (releaseSlot !== undefined) exchange.onEnd = undefined
  let isDone = false
  let call: OpenCall | undefined
  const done = (exit: Exit.Exit<unknown, HubError>): void => {
    isDone = true
    if (call !== undefined) edge.calls.remove(call)
    releaseSlot?.()
    answering(exchange)
    if (Exit.isSuccess(exit)) respond(handling, exchange, exit.value)
    else fail(edge, exchange, id, exit.cause, encodeFailure)
  }
  run(edge, exchange, actionWithin(exchange, action), done, onHangUp)
  if (!isDone && handling.end !== undefined) {
    call = new OpenCall(exchange, principal, handling.end)
    edge.calls.add(call)
  }
  if (origin !== undefined && !exchange.isOver) keepAddress(origin)
}

/** Takes one of the endpoint's concurrency slots until the exchange ends. */
const acquireSlot = (handling: Handling, exchange: Exchange): boolean => {
  const { concurrency } = handling.endpoint.access
  if (concurrency === undefined) return true
  if (handling.slotsInUse >= concurrency) return false
  handling.slotsInUse += 1
  const releaseSlot = (): void => {
    handling.slotsInUse -= 1
  }
  exchange.onEnd = releaseSlot
  return true
}

const applyVerdict = (handling: Handling, exchange: Exchange, verdict: Verdict): Admitted | undefined => {
  const { edge, endpoint } = handling
  const { id, encodeFailure } = endpoint
  const { principal } = verdict
  const { accountId, credential } = principal
  exchange.account = accountId
  if (credential.kind === "key") exchange.keyId = credential.keyId
  exchange.extraHead = rateLimitHead(verdict.decisions)
  if (exchange.span !== undefined) guarded(exchange, accountId)
  const origin = handling.audit?.(exchange, principal)
  if (verdict.failure !== undefined) {
    refuse(edge, exchange, id, verdict.failure, false, encodeFailure)
    return undefined
  }
  if (!acquireSlot(handling, exchange)) {
    if (verdict.month !== undefined) edge.guard.refund(verdict)
    refuse(edge, exchange, id, new Overloaded({ retryAfter: overloadRetrySeconds }), true, encodeFailure)
    return undefined
  }
  if (verdict.month !== undefined) {
    const note = exchange.beforeAnswer
    const refundAfter: Exchange["beforeAnswer"] = (answer) => {
      note?.(answer, exchange)
      if (answer !== undefined && isRefunded(answer)) edge.guard.refund(verdict)
    }
    exchange.beforeAnswer = refundAfter
  }
  return { principal, origin }
}

/** Waits for a credential look-up. The body is collected meanwhile: the library does not offer it again. */
const awaitVerdict = (handling: Handling, exchange: Exchange, verdict: Effect.Effect<Verdict>): void => {
  const { edge, endpoint, bytesMax } = handling
  let body: Body | undefined
  let admitted: Admitted | undefined
  if (endpoint.takesBody) {
    exchange.collect(bytesMax, (collected) => {
      body = collected
      if (admitted !== undefined) runAction(handling, exchange, admitted, body)
    })
  }
  run(edge, exchange, verdict, (exit) => {
    if (Exit.isFailure(exit)) return fail(edge, exchange, endpoint.id, exit.cause)
    admitted = applyVerdict(handling, exchange, exit.value)
    if (admitted === undefined) return
    if (!endpoint.takesBody || body !== undefined) runAction(handling, exchange, admitted, body)
  })
}

/** Builds the handler of one endpoint. */
export const handlerOf = (edge: PipelineContext, endpoint: Endpoint): ((exchange: Exchange) => void) => {
  const { access, takesBody } = endpoint
  const bytesMax = access.bodyBytes ?? bodyBytesMax
  const { nanos, record, beforeAnswer } = watchRequests(edge, endpoint)
  const keyed = isKeyed(endpoint.method, access)
  const trace = edge.tracing && access.limited !== false ? requestTracing(edge.tracing, endpoint) : undefined
  const audit = auditingOf(edge, endpoint.id)
  const end: Refuse = (exchange, failure) => refuse(edge, exchange, endpoint.id, failure, false, endpoint.encodeFailure)
  const ends = access.onHangUp === "cancel" && access.kind !== "public"
  const handling: Handling = {
    edge,
    endpoint,
    bytesMax,
    keyed,
    record,
    audit,
    end: ends ? end : undefined,
    slotsInUse: 0
  }
  return (exchange) => {
    exchange.startedAt = nanos()
    exchange.beforeAnswer = beforeAnswer
    if (trace !== undefined) trace(exchange)
    const verdict = edge.guard.judge(access, exchange.authorization, exchange)
    if (Effect.isEffect(verdict)) return awaitVerdict(handling, exchange, verdict)
    const admitted = applyVerdict(handling, exchange, verdict)
    if (admitted === undefined) return
    if (takesBody) exchange.collect(bytesMax, (body) => runAction(handling, exchange, admitted, body))
    else runAction(handling, exchange, admitted, undefined)
  }
}
