/**
 * Handles one request at one endpoint: guard, then params, query, headers and body, then the action, then the response.
 * Owns that order and what a caller who hangs up interrupts. Each step has its own file; observers.ts has what follows
 * from the end.
 */

import { Cause, Effect, Exit } from "effect"
import type { Principal } from "../../src/domain/account/principal.ts"
import { makeSlotLimit, type SlotLimit } from "../../src/domain/limits/slot-limit.ts"
import { type HubError, Overloaded } from "../../src/errors.ts"
import { bodyBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import { AuditedBy } from "../../src/store/accounts/recorded-change.ts"
import { AskedFor } from "../../src/store/sql/turns.ts"
import { type Access, isKeyed } from "../api/access.ts"
import { actsAs, keepAddress } from "./auditing.ts"
import type { CallRecord } from "./call-record.ts"
import type { Endpoint } from "./endpoint.ts"
import { fail, failWithDefect, refuse } from "./failed-answer.ts"
import { type Records, recordsOf } from "./observers.ts"
import { OpenCall, type Refuse } from "./open-calls.ts"
import type { PipelineContext } from "./pipeline-context.ts"
import type { RequestExchange as Exchange } from "./request-exchange.ts"
import type { Body } from "./request-parts.ts"
import { actionWithin, answering } from "./request-tracing.ts"
import { Answer, Sending, type Streaming } from "./response.ts"
import { onceOf } from "./run-once.ts"
import type { Verdict } from "./verdict.ts"
import { withWarnings } from "./warnings.ts"

/**
 * Runs an effect for an exchange. A caller who hangs up interrupts the effect, or leaves it to its end. What has its
 * outcome already needs no fiber: 0.6 µs of a request (`hub bench rest`).
 */
export const run = <A, E>(
  edge: PipelineContext,
  exchange: Exchange,
  effect: Effect.Effect<A, E>,
  done: (exit: Exit.Exit<A, E>) => void,
  onHangUp: Access["onHangUp"] = "cancel"
): void => {
  if (Exit.isExit(effect)) return done(effect as Exit.Exit<A, E>)
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

/** An endpoint at an edge. */
interface Handling {
  readonly edge: PipelineContext
  readonly endpoint: Endpoint
  readonly records: Records
  readonly bytesMax: number
  readonly keyed: boolean
  /** Refuses a call whose credential has ended; undefined: they run to their end, or have none. */
  readonly end: Refuse | undefined
  /** Undefined: any number may run at once. */
  readonly slots: SlotLimit | undefined
}

const respond = ({ edge, endpoint }: Handling, exchange: Exchange, call: CallRecord, value: unknown): void => {
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
  call.end("stream")
  const open = new OpenCall(exchange, call.verdict!.principal, undefined)
  edge.calls.add(open)
  run(edge, exchange, answer.run(outlet), (exit) => {
    edge.calls.remove(open)
    call.freeSlot()
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause))
      edge.defect(exit.cause, endpoint.id, exchange.requestId)
    outlet.end()
  })
}

/**
 * An audited action: the hub knows where its changes come from, and of the call which command it sends. `mayNotRun`:
 * the outcome may be that of an earlier call.
 */
const audited = (
  call: CallRecord,
  action: Effect.Effect<unknown, HubError>,
  mayNotRun: boolean
): Effect.Effect<unknown, HubError> => {
  if (call.origin === undefined) return action
  const sending = (value: unknown): Effect.Effect<unknown, HubError> => {
    if (!(value instanceof Sending)) return Effect.succeed(value)
    call.command = value.command
    if (value.by !== undefined) actsAs(call, value.by)
    return value.answer as Effect.Effect<unknown, HubError>
  }
  const sent = mayNotRun ? Effect.flatMap(action, sending) : Effect.flatMapEager(action, sending)
  return Effect.provideService(sent, AuditedBy, call.origin)
}

/**
 * The action, whose statements have the turn of its account. Strangers have one together: one with many addresses would
 * else be many. What is not limited, as readiness, waits behind none of them.
 */
const askedFor = (
  { access }: Endpoint,
  { accountId }: Principal,
  action: Effect.Effect<unknown, HubError>
): Effect.Effect<unknown, HubError> => {
  if (Exit.isExit(action) || (accountId === "" && access.limited === false)) return action
  return Effect.provideService(action, AskedFor, accountId)
}

/** Of a call that the guard let in. */
const runAction = (handling: Handling, exchange: Exchange, call: CallRecord, body: Body | undefined): void => {
  const { principal } = call.verdict!
  const { edge, endpoint, keyed } = handling
  const { id, encodeFailure } = endpoint
  const dear = body?.kind === "whole" ? edge.bodyCost(body, principal, exchange) : undefined
  if (dear !== undefined) return refuse(edge, exchange, id, dear, false, encodeFailure)
  let called: ReturnType<Endpoint["call"]>
  try {
    called = endpoint.call(exchange, body, principal, () => exchange.client.bucket)
  } catch (error) {
    return failWithDefect(edge, exchange, id, Cause.die(error))
  }
  if (!Effect.isEffect(called)) return refuse(edge, exchange, id, called.failure, called.closes, encodeFailure)
  const once = keyed && exchange.idempotencyKey !== ""
  const own = audited(call, called, once)
  const action = once ? onceOf(edge, endpoint, { exchange, principal, body }, own) : own
  const { onHangUp } = endpoint.access
  call.outlivesCaller = onHangUp === "finish"
  let isDone = false
  let open: OpenCall | undefined
  const done = (exit: Exit.Exit<unknown, HubError>): void => {
    isDone = true
    if (open !== undefined) edge.calls.remove(open)
    if (call.outlivesCaller) call.freeSlot()
    answering(call)
    if (Exit.isSuccess(exit)) respond(handling, exchange, call, exit.value)
    else fail(edge, exchange, id, exit.cause, encodeFailure)
  }
  run(edge, exchange, askedFor(endpoint, principal, actionWithin(call, action)), done, onHangUp)
  if (!isDone && handling.end !== undefined) {
    open = new OpenCall(exchange, principal, handling.end)
    edge.calls.add(open)
  }
  if (!exchange.isOver) keepAddress(call)
}

/** Takes one of the endpoint's slots for a call. */
const takeSlot = ({ slots }: Handling, call: CallRecord): boolean => {
  if (slots === undefined) return true
  call.slot = slots.acquire(call.account)
  return call.slot !== undefined
}

const applyVerdict = (handling: Handling, exchange: Exchange, call: CallRecord, verdict: Verdict): boolean => {
  const { edge, endpoint, records } = handling
  const { id, encodeFailure } = endpoint
  records.judged(call, verdict)
  const { failure } = verdict
  if (failure !== undefined) refuse(edge, exchange, id, failure, false, encodeFailure)
  else if (takeSlot(handling, call)) return true
  else refuse(edge, exchange, id, new Overloaded({ retryAfter: overloadRetrySeconds }), true, encodeFailure)
  return false
}

/** Waits for a credential look-up. The body is collected meanwhile: the library does not offer it again. */
const awaitVerdict = (
  handling: Handling,
  exchange: Exchange,
  call: CallRecord,
  verdict: Effect.Effect<Verdict>
): void => {
  const { edge, endpoint, bytesMax } = handling
  let body: Body | undefined
  let admitted = false
  if (endpoint.takesBody) {
    exchange.collect(bytesMax, (collected) => {
      body = collected
      if (admitted) runAction(handling, exchange, call, body)
    })
  }
  run(edge, exchange, verdict, (exit) => {
    if (Exit.isFailure(exit)) return fail(edge, exchange, endpoint.id, exit.cause)
    admitted = applyVerdict(handling, exchange, call, exit.value)
    if (admitted && (!endpoint.takesBody || body !== undefined)) runAction(handling, exchange, call, body)
  })
}

/** Builds the handler of one endpoint. */
export const handlerOf = (edge: PipelineContext, endpoint: Endpoint): ((exchange: Exchange) => void) => {
  const { access, takesBody } = endpoint
  const { concurrency } = access
  const bytesMax = access.bodyBytes ?? bodyBytesMax
  const end: Refuse = (exchange, failure) => refuse(edge, exchange, endpoint.id, failure, false, endpoint.encodeFailure)
  const ends = access.onHangUp === "cancel" && access.kind !== "public"
  const handling: Handling = {
    edge,
    endpoint,
    records: recordsOf(edge, endpoint),
    bytesMax,
    keyed: isKeyed(endpoint.method, access),
    end: ends ? end : undefined,
    slots: concurrency === undefined ? undefined : makeSlotLimit(concurrency, concurrency)
  }
  return (exchange) => {
    const call = handling.records.begin(exchange)
    const verdict = edge.guard.judge(access, exchange.authorization, exchange)
    if (Effect.isEffect(verdict)) return awaitVerdict(handling, exchange, call, verdict)
    if (!applyVerdict(handling, exchange, call, verdict)) return
    if (takesBody) exchange.collect(bytesMax, (body) => runAction(handling, exchange, call, body))
    else runAction(handling, exchange, call, undefined)
  }
}
