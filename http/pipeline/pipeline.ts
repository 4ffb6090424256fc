/**
 * Handles one request at one endpoint: guard, then params, query, headers and body, then the action, then the response.
 * Owns that order and which responses refund the quota. Each step has its own file.
 */
import { Cause, type Clock, Effect, Exit, type Fiber, Option } from "effect"
import { type HubError, Overloaded } from "../../src/errors.ts"
import { bodyBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { Access } from "../api/access.ts"
import type { Exchange } from "../native/exchange.ts"
import type { Body } from "../native/request-body.ts"
import type { Decoders } from "./decode.ts"
import type { Encoder } from "./encode.ts"
import type { Guard, Verdict } from "./guard.ts"
import type { IdempotentRuns } from "./idempotency-port.ts"
import { internal, problem } from "./problem.ts"
import { rateLimitHead } from "./rate-limit-headers.ts"
import { requestTiming } from "./request-timing.ts"
import { Answer, type Streaming } from "./response.ts"

/** One endpoint of the contract with everything a request to it needs. */
export interface Endpoint {
  /** `daemons.list` */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly access: Access
  readonly decoders: Decoders
  readonly encode: Encoder
  readonly action: (call: never) => Effect.Effect<unknown, HubError>
}

/** The services that every endpoint's handler shares. */
export interface PipelineContext {
  readonly guard: Guard
  readonly idempotency: IdempotentRuns["Service"]
  /** Runs an effect in a fiber of its own. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly clock: Clock.Clock
  /** Logs a defect with the request it came from. */
  readonly defect: (cause: Cause.Cause<unknown>, where: string, requestId: string) => void
  /** Logs a store failure, whose cause no caller sees. */
  readonly storeFailed: (failure: HubError, where: string, requestId: string) => void
}

/** Runs an effect for an exchange. The end of the exchange interrupts it. */
export const run = <A, E>(
  edge: PipelineContext,
  exchange: Exchange,
  effect: Effect.Effect<A, E>,
  done: (exit: Exit.Exit<A, E>) => void
) => {
  const fiber = edge.fork(effect)
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return done(exit)
  exchange.cancel = () => fiber.interruptUnsafe()
  fiber.addObserver((exit) => {
    exchange.cancel = undefined
    done(exit)
  })
}

/** Answers an exchange with a failure. */
export const refuse = (
  edge: PipelineContext,
  exchange: Exchange,
  where: string,
  failure: HubError,
  closes = false
): void => {
  if (failure._tag === "StoreFailed") edge.storeFailed(failure, where, exchange.requestId)
  exchange.answer(problem(failure, exchange.requestId), closes)
}

/**
 * Answers an exchange with a cause: its failure by the problem table; a defect is logged and answered as an internal
 * error.
 */
export const fail = (edge: PipelineContext, exchange: Exchange, where: string, cause: Cause.Cause<unknown>): void => {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause)) as HubError | undefined
  if (failure !== undefined && "_tag" in failure && !Cause.hasDies(cause)) return refuse(edge, exchange, where, failure)
  if (!exchange.isOver) {
    count("hub_defects_total", "endpoint")
    edge.defect(cause, where, exchange.requestId)
  }
  exchange.answer(internal(exchange.requestId))
}

const isRefunded = (answer: Answer): boolean =>
  answer.status === 304 ||
  answer.status >= 500 ||
  answer.headers.some(([name]) => name.toLowerCase() === "idempotency-replayed")

/** The outcome of an action as a complete answer, which an idempotent run stores. */
const outcomeOf = (
  edge: PipelineContext,
  endpoint: Endpoint,
  requestId: string,
  action: Effect.Effect<unknown, HubError>
) =>
  action.pipe(
    Effect.map((value) => {
      const answer = endpoint.encode(value)
      return answer instanceof Answer ? answer : internal(requestId)
    }),
    Effect.catch((failure: HubError) => {
      if (failure._tag === "StoreFailed") edge.storeFailed(failure, endpoint.id, requestId)
      return Effect.succeed(problem(failure, requestId))
    }),
    Effect.catchDefect((defect) => {
      edge.defect(Cause.die(defect), endpoint.id, requestId)
      return Effect.succeed(internal(requestId))
    })
  )

/** Whether an endpoint honours an Idempotency-Key. */
export const isKeyed = ({ method, access }: Endpoint): boolean =>
  method === "POST" && access.idempotent !== false && access.kind !== "public"

/** Builds the handler of one endpoint. */
export const handlerOf = (edge: PipelineContext, endpoint: Endpoint): ((exchange: Exchange) => void) => {
  const { access, decoders, id } = endpoint
  const bytesMax = access.bodyBytes ?? bodyBytesMax
  const keyed = isKeyed(endpoint)
  const route = `${endpoint.method} ${endpoint.path}`
  const secrets = access.secrets ?? []
  const timing = requestTiming(edge.clock, endpoint.method, endpoint.path)

  const respond = (exchange: Exchange, value: unknown): void => {
    let answer: Answer | Streaming
    try {
      answer = endpoint.encode(value)
    } catch (error) {
      return fail(edge, exchange, id, Cause.die(error))
    }
    if (answer instanceof Answer) return exchange.answer(answer)
    if (exchange.method === "HEAD") return exchange.answer(new Answer(200, answer.headers, ""))
    const outlet = exchange.stream(answer.headers)
    if (outlet === undefined) return
    run(edge, exchange, answer.run(outlet), (exit) => {
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) edge.defect(exit.cause, id, exchange.requestId)
      outlet.end()
    })
  }

  const runAction = (exchange: Exchange, verdict: Verdict, body: Body | undefined): void => {
    const params = decoders.params(exchange.parameters)
    if ("failure" in params) return refuse(edge, exchange, id, params.failure)
    const query = decoders.query(exchange.query)
    if ("failure" in query) return refuse(edge, exchange, id, query.failure)
    const headers = decoders.headers(exchange.headers)
    if ("failure" in headers) return refuse(edge, exchange, id, headers.failure)
    const payload = body === undefined ? { value: undefined } : decoders.payload(body)
    if ("failure" in payload) return refuse(edge, exchange, id, payload.failure, body?.kind !== "whole")
    const call = {
      method: exchange.method,
      params: params.value,
      query: query.value,
      headers: headers.value,
      payload: payload.value,
      principal: verdict.principal,
      requestId: exchange.requestId,
      address: () => exchange.client.bucket
    }
    let action: Effect.Effect<unknown, HubError>
    try {
      action = endpoint.action(call as never)
    } catch (error) {
      return fail(edge, exchange, id, Cause.die(error))
    }
    const outcome: Effect.Effect<unknown, HubError> =
      keyed && exchange.idempotencyKey !== ""
        ? edge.idempotency.runOnce(
            {
              route,
              path: exchange.path,
              query: exchange.query,
              key: exchange.idempotencyKey,
              principal: verdict.principal,
              requestId: exchange.requestId,
              body: body?.kind === "whole" ? body.text : "",
              secrets
            },
            outcomeOf(edge, endpoint, exchange.requestId, action)
          )
        : action
    run(edge, exchange, outcome, (exit) => {
      if (Exit.isSuccess(exit)) respond(exchange, exit.value)
      else fail(edge, exchange, id, exit.cause)
    })
  }

  let slotsInUse = 0
  /** Takes one of the endpoint's concurrency slots until the exchange ends. */
  const acquireSlot = (exchange: Exchange): boolean => {
    if (access.concurrency === undefined) return true
    if (slotsInUse >= access.concurrency) return false
    slotsInUse += 1
    exchange.onEnd = () => {
      slotsInUse -= 1
    }
    return true
  }

  const applyVerdict = (exchange: Exchange, verdict: Verdict): boolean => {
    exchange.account = verdict.principal.accountId
    exchange.extraHead = rateLimitHead(verdict.decisions)
    if (verdict.failure !== undefined) {
      refuse(edge, exchange, id, verdict.failure)
      return false
    }
    if (!acquireSlot(exchange)) {
      if (verdict.month !== undefined) edge.guard.refund(verdict)
      refuse(edge, exchange, id, new Overloaded({ retryAfter: overloadRetrySeconds }), true)
      return false
    }
    if (verdict.month !== undefined) {
      const note = exchange.beforeAnswer
      exchange.beforeAnswer = (answer) => {
        note?.(answer)
        if (isRefunded(answer)) edge.guard.refund(verdict)
      }
    }
    return true
  }

  /** Waits for a credential look-up. The body is collected meanwhile: the library does not offer it again. */
  const awaitVerdict = (exchange: Exchange, verdict: Effect.Effect<Verdict>): void => {
    let body: Body | undefined
    let applied: Verdict | undefined
    if (decoders.takesBody) {
      exchange.collect(bytesMax, (collected) => {
        body = collected
        if (applied !== undefined) runAction(exchange, applied, body)
      })
    }
    run(edge, exchange, verdict, (exit) => {
      if (Exit.isFailure(exit)) return fail(edge, exchange, id, exit.cause)
      if (!applyVerdict(exchange, exit.value)) return
      applied = exit.value
      if (!decoders.takesBody || body !== undefined) runAction(exchange, applied, body)
    })
  }

  return (exchange) => {
    const answered = timing()
    exchange.beforeAnswer = ({ status }) => answered(status)
    const verdict = edge.guard.judge(access, exchange.authorization, exchange)
    if (Effect.isEffect(verdict)) return awaitVerdict(exchange, verdict)
    if (!applyVerdict(exchange, verdict)) return
    if (decoders.takesBody) exchange.collect(bytesMax, (body) => runAction(exchange, verdict, body))
    else runAction(exchange, verdict, undefined)
  }
}
