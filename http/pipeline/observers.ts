/**
 * Who observes the calls of an endpoint, in the order in which they hear of each end: the metrics, the request log, the
 * hub's own log, the trace, the audit log, the quota, the endpoint's slots. Owns that list and its order. An exchange
 * tells its record how it ended, and the record tells these.
 */
import { observe, type Series, seriesOf } from "../../src/runtime/histograms.ts"
import { count } from "../../src/runtime/metrics.ts"
import { problems } from "../api/problems.ts"
import { auditing } from "./auditing.ts"
import { CallRecord, type Observer, statusOf } from "./call-record.ts"
import type { Endpoint } from "./endpoint.ts"
import type { Guard } from "./guard.ts"
import type { PipelineContext } from "./pipeline-context.ts"
import type { RequestExchange } from "./request-exchange.ts"
import { refusalOf, requestLogging } from "./request-logging.ts"
import { requestTracing } from "./request-tracing.ts"
import { isRefunded } from "./response.ts"

const { status, reason } = problems.DaemonOffline
const nanosPerMilli = 1e6
const nanosPerSecond = 1e9

/** An endpoint, as far as its calls are observed. */
export type ObservedEndpoint = Pick<Endpoint, "id" | "method" | "path" | "access">
/** What they are observed with. */
export type ObservingEdge = Pick<PipelineContext, "clock" | "requestLog" | "logRequest" | "tracing" | "logCommand"> & {
  readonly auditLog: Pick<PipelineContext["auditLog"], "note" | "node" | "commandsShown">
  readonly guard: Pick<Guard, "refund">
}

/** How long calls take, by class of status: at most five series per endpoint. A stream has no end to be timed. */
export const timing = (nanos: () => number, { method, path }: Pick<ObservedEndpoint, "method" | "path">): Observer => {
  const ofClass: Array<Series | undefined> = [undefined, undefined, undefined, undefined, undefined, undefined]
  return {
    end: ({ startedAt }, end) => {
      if (typeof end === "string") return
      const at = Math.floor(end.status / 100)
      let series = ofClass[at]
      if (series === undefined) {
        series = seriesOf("hub_request_duration_seconds", { method, route: path, status: `${at}xx` })
        ofClass[at] = series
      }
      observe(series, (nanos() - startedAt) / nanosPerSecond)
    }
  }
}

/** Answers of a run by its Idempotency-Key, and those that repeat it, are told by their body alone. */
const offline: Observer = {
  end: (_, end) => {
    if (typeof end === "string" || end.status !== status || refusalOf(end.body).reason !== reason) return
    count("hub_requests_offline_total")
  }
}

/** A line of the hub's log, where that takes one for each request. */
const logLine = (
  logRequest: NonNullable<PipelineContext["logRequest"]>,
  nanos: () => number,
  { id }: ObservedEndpoint
): Observer => ({
  end: ({ request: { requestId }, startedAt, account, keyId }, end) => {
    const millis = Math.round((nanos() - startedAt) / nanosPerMilli)
    logRequest({ requestId, operation: id, status: statusOf(end) ?? "the caller left", millis, account, key: keyId })
  }
})

const quotaRefund = (guard: Pick<Guard, "refund">): Observer => ({
  end: ({ verdict }, end) => {
    if (verdict?.month !== undefined && typeof end !== "string" && isRefunded(end)) guard.refund(verdict)
  }
})

/** An action that outlives its caller keeps its slot, and so does a stream. */
const concurrencySlot: Observer = {
  end: (call, end) => {
    if (end !== "stream" && !call.outlivesCaller) call.freeSlot()
  }
}

/** The observers of an endpoint, in their order. */
const observersOf = (edge: ObservingEdge, endpoint: ObservedEndpoint, nanos: () => number): ReadonlyArray<Observer> => {
  const { access } = endpoint
  const now = (): number => edge.clock.currentTimeMillisUnsafe()
  const list = [
    timing(nanos, endpoint),
    offline,
    access.logged === false ? undefined : requestLogging(edge.requestLog, { now, nanos }, endpoint),
    edge.logRequest && logLine(edge.logRequest, nanos, endpoint),
    access.limited === false ? undefined : edge.tracing && requestTracing(edge.tracing, endpoint),
    auditing(edge, endpoint),
    quotaRefund(edge.guard),
    access.concurrency === undefined ? undefined : concurrencySlot
  ]
  return list.filter((one) => one !== undefined)
}

/** The record of each call of an endpoint: how it begins, and what the guard decided of it. */
export interface Records {
  readonly begin: (exchange: RequestExchange) => CallRecord
  readonly judged: (call: CallRecord, verdict: NonNullable<CallRecord["verdict"]>) => void
}

/** Makes them. Who has nothing to do at a step is not called there. */
export const recordsOf = (edge: ObservingEdge, endpoint: ObservedEndpoint): Records => {
  const nanos = (): number => Number(edge.clock.monotonicTimeNanosUnsafe())
  const observers = observersOf(edge, endpoint, nanos)
  const begins = observers.flatMap(({ begin }) => begin ?? [])
  const judgements = observers.flatMap(({ judged }) => judged ?? [])
  const ends = observers.map(({ end }) => end)
  return {
    begin: (exchange) => {
      const call = new CallRecord(exchange, nanos(), ends)
      exchange.record = call
      for (const begin of begins) begin(call)
      return call
    },
    judged: (call, verdict) => {
      call.judge(verdict)
      for (const judged of judgements) judged(call, verdict)
    }
  }
}
