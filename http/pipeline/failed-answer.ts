/**
 * How an exchange is answered whose call failed: by the table of problems, or as an internal error. Owns that choice,
 * and what is logged of it.
 */
import { Cause, Option } from "effect"
import type { HubError } from "../../src/errors.ts"
import { count } from "../../src/runtime/metrics.ts"
import { shownTo } from "./accept.ts"
import type { FailureEncoder } from "./encode.ts"
import type { PipelineContext } from "./pipeline-context.ts"
import { internal, problem } from "./problem.ts"
import type { RequestExchange as Exchange } from "./request-exchange.ts"
import type { Answer } from "./response.ts"

/** Answers an exchange with a failure. */
export const refuse = (
  edge: PipelineContext,
  exchange: Exchange,
  where: string,
  failure: HubError,
  closes = false,
  encode: FailureEncoder = problem
): void => {
  if (failure._tag === "StoreFailed") edge.storeFailed(failure, where, exchange.requestId)
  let answer: Answer
  try {
    answer = encode(failure, exchange.requestId, exchange.parameters)
    // the bodies of the API are JSON, whatever their caller prefers
    if (encode === problem) answer = shownTo(exchange.accept, answer)
  } catch (error) {
    return failWithDefect(edge, exchange, where, Cause.die(error))
  }
  exchange.answer(answer, closes)
}

/** Answers an exchange whose action is broken: the defect is logged, and the caller learns nothing of it. */
export const failWithDefect = (
  edge: PipelineContext,
  exchange: Exchange,
  where: string,
  cause: Cause.Cause<unknown>
): void => {
  if (!exchange.isOver) {
    count("hub_defects_total", "endpoint")
    edge.defect(cause, where, exchange.requestId)
  }
  exchange.answer(internal(exchange.requestId))
}

/**
 * Answers an exchange with a cause: its failure by the problem table; a defect is logged and answered as an internal
 * error.
 */
export const fail = (
  edge: PipelineContext,
  exchange: Exchange,
  where: string,
  cause: Cause.Cause<unknown>,
  encode?: FailureEncoder
): void => {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause)) as HubError | undefined
  if (failure !== undefined && "_tag" in failure && !Cause.hasDies(cause))
    return refuse(edge, exchange, where, failure, false, encode)
  failWithDefect(edge, exchange, where, cause)
}
