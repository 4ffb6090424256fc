/**
 * The way of one request through one endpoint: guard, then params, query and body, then the action, then the answer.
 * Owns that order and what is given back to the quota; each step lives in its own file.
 */
import { Cause, Effect, Exit, Option } from "effect"
import { type HubError, Overloaded } from "../../src/errors.ts"
import { bodyBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import { begin, type Fork } from "../../src/runtime/direct.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { Access } from "../api/access.ts"
import type { Exchange } from "../native/exchange.ts"
import type { Body } from "../native/request-body.ts"
import type { Decoders } from "./decode.ts"
import type { Reply } from "./encode.ts"
import type { Guard, Verdict } from "./guard.ts"
import type { IdempotentRuns } from "./idempotency-port.ts"
import { internal, problem } from "./problem.ts"
import { limitHead } from "./rate-limit-headers.ts"
import { Answer, type Streaming } from "./response.ts"

/** One endpoint, ready to be walked through. */
export interface Endpoint {
  /** `daemons.list` */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly access: Access
  readonly decoders: Decoders
  readonly reply: Reply
  readonly action: (call: never) => Effect.Effect<unknown, HubError>
}

/** What walking needs beside the endpoint. */
export interface Edge {
  readonly guard: Guard
  readonly around: IdempotentRuns["Service"]
  readonly fork: Fork
  /** Logs a defect with the request it came from. */
  readonly defect: (cause: Cause.Cause<unknown>, where: string, requestId: string) => void
  /** Logs what a store said, which no caller sees. */
  readonly storeFailed: (failure: HubError, where: string, requestId: string) => void
}

/**
 * Runs an effect for an exchange: `done` is called in this very tick when it can be. What is decided needs no fiber.
 */
export const run = <A, E>(
  edge: Edge,
  exchange: Exchange,
  effect: Effect.Effect<A, E>,
  done: (exit: Exit.Exit<A, E>) => void
) => {
  let ended = false
  const giveUp = begin(effect, edge.fork, (exit) => {
    ended = true
    exchange.giveUp = undefined
    done(exit)
  })
  // it may have ended within the call, and begun what comes next
  if (!ended) exchange.giveUp = giveUp
}

/** Answers an exchange with a failure. */
export const refuse = (edge: Edge, exchange: Exchange, where: string, failure: HubError, closes = false): void => {
  if (failure._tag === "StoreFailed") edge.storeFailed(failure, where, exchange.requestId)
  exchange.answer(problem(failure, exchange.requestId), closes)
}

/**
 * Answers an exchange with what a cause holds: a failure's own words, else the sentence for a defect, which is logged.
 */
export const fail = (edge: Edge, exchange: Exchange, where: string, cause: Cause.Cause<unknown>): void => {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause)) as HubError | undefined
  if (failure !== undefined && "_tag" in failure && !Cause.hasDies(cause)) return refuse(edge, exchange, where, failure)
  if (!exchange.over) {
    count("hub_defects_total", "endpoint")
    edge.defect(cause, where, exchange.requestId)
  }
  exchange.answer(internal(exchange.requestId))
}

const givenBack = (answer: Answer): boolean =>
  answer.status === 304 ||
  answer.status >= 500 ||
  answer.headers.some(([name]) => name.toLowerCase() === "idempotency-replayed")

/** The outcome of an action as a whole answer, for those who keep it. */
const outcome = (edge: Edge, endpoint: Endpoint, requestId: string, action: Effect.Effect<unknown, HubError>) =>
  action.pipe(
    Effect.map((value) => {
      const answer = endpoint.reply(value)
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

/** Whether an Idempotency-Key means anything to an endpoint. */
export const isKeyed = ({ method, access }: Endpoint): boolean =>
  method === "POST" && access.idempotent !== false && access.kind !== "public"

/** Walks exchanges through one endpoint. */
export const walk = (edge: Edge, endpoint: Endpoint): ((exchange: Exchange) => void) => {
  const { access, decoders, id } = endpoint
  const bytesMax = access.bodyBytes ?? bodyBytesMax
  const keyed = isKeyed(endpoint)
  const route = `${endpoint.method} ${endpoint.path}`
  const secrets = access.secrets ?? []

  const answer = (exchange: Exchange, value: unknown): void => {
    let answer: Answer | Streaming
    try {
      answer = endpoint.reply(value)
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

  const act = (exchange: Exchange, verdict: Verdict, body: Body | undefined): void => {
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
    const effect: Effect.Effect<unknown, HubError> =
      keyed && exchange.idempotencyKey !== ""
        ? edge.around.once(
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
            outcome(edge, endpoint, exchange.requestId, action)
          )
        : action
    run(edge, exchange, effect, (exit) => {
      if (Exit.isSuccess(exit)) answer(exchange, exit.value)
      else fail(edge, exchange, id, exit.cause)
    })
  }

  let taken = 0
  /** Takes one of the endpoint's places until the exchange ends. */
  const place = (exchange: Exchange): boolean => {
    if (access.places === undefined) return true
    if (taken >= access.places) return false
    taken += 1
    exchange.ended = () => {
      taken -= 1
    }
    return true
  }

  const passed = (exchange: Exchange, verdict: Verdict): boolean => {
    exchange.account = verdict.principal.accountId
    exchange.extra = limitHead(verdict.asked)
    if (verdict.failure !== undefined) {
      refuse(edge, exchange, id, verdict.failure)
      return false
    }
    if (!place(exchange)) {
      if (verdict.month !== undefined) edge.guard.refund(verdict)
      refuse(edge, exchange, id, new Overloaded({ retryAfter: overloadRetrySeconds }), true)
      return false
    }
    if (verdict.month !== undefined) {
      exchange.beforeAnswer = (answer) => {
        if (givenBack(answer)) edge.guard.refund(verdict)
      }
    }
    return true
  }

  /** The credential needs a look-up: the body, if any, is collected meanwhile, as it cannot be asked for later. */
  const wait = (exchange: Exchange, verdict: Effect.Effect<Verdict>): void => {
    let body: Body | undefined
    let passing: Verdict | undefined
    if (decoders.takesBody) {
      exchange.collect(bytesMax, (collected) => {
        body = collected
        if (passing !== undefined) act(exchange, passing, body)
      })
    }
    run(edge, exchange, verdict, (exit) => {
      if (Exit.isFailure(exit)) return fail(edge, exchange, id, exit.cause)
      if (!passed(exchange, exit.value)) return
      passing = exit.value
      if (!decoders.takesBody || body !== undefined) act(exchange, passing, body)
    })
  }

  return (exchange) => {
    const verdict = edge.guard.ask(access, exchange.authorization, exchange)
    if (Effect.isEffect(verdict)) return wait(exchange, verdict)
    if (!passed(exchange, verdict)) return
    if (decoders.takesBody) exchange.collect(bytesMax, (body) => act(exchange, verdict, body))
    else act(exchange, verdict, undefined)
  }
}
