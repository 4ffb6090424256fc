/** Refuses a request before anyone asked who sends it; its address is charged. Owns no refusal's reason. */
import { Effect, Exit } from "effect"
import type { HubError } from "../../src/errors.ts"
import type { Access } from "../api/access.ts"
import { CallRecord } from "./call-record.ts"
import { fail, refuse } from "./failed-answer.ts"
import { run } from "./pipeline.ts"
import type { PipelineContext } from "./pipeline-context.ts"
import { rateLimitHead } from "./rate-limit-headers.ts"
import type { RequestExchange } from "./request-exchange.ts"
import type { Verdict } from "./verdict.ts"

const anyone: Access = { kind: "public", onHangUp: "cancel" }

/** Answers with the failure, or with the address's own refusal where its window is full. */
export const refuseCharged = (
  edge: PipelineContext,
  exchange: RequestExchange,
  where: string,
  failure: HubError
): void => {
  const call = new CallRecord(exchange, 0, [])
  exchange.record = call
  const respond = (verdict: Verdict): void => {
    call.rateLimits = rateLimitHead(verdict.decisions)
    refuse(edge, exchange, where, verdict.failure ?? failure)
  }
  const verdict = edge.guard.judge(anyone, "", exchange)
  if (!Effect.isEffect(verdict)) return respond(verdict)
  run(edge, exchange, verdict, (exit) => {
    if (Exit.isSuccess(exit)) respond(exit.value)
    else fail(edge, exchange, where, exit.cause)
  })
}
