/**
 * What every request of an endpoint is watched by: its duration for the metrics, and the request log. Owns how both are
 * joined; a request that is not in the log is timed all the same.
 */
import type { Clock } from "effect"
import type { RequestLog } from "../../actors/request-log/request-log.ts"
import type { Endpoint } from "./endpoint.ts"
import { type LoggableRequest, requestRecorder } from "./request-logging.ts"
import { requestTiming } from "./request-timing.ts"
import type { Answer } from "./response.ts"

/** What requests are watched with. */
export interface Watching {
  readonly clock: Clock.Clock
  readonly requestLog: RequestLog["Service"]
  /** Logs each request; undefined above `debug`. */
  readonly logRequest: ((facts: Readonly<Record<string, unknown>>) => void) | undefined
}

const nanosPerMilli = 1_000_000
const callerLeft = "the caller left"

/** Builds both for one endpoint. A stream is recorded by its caller, because it has no end to be timed. */
export const watchRequests = (
  { clock, requestLog, logRequest }: Watching,
  { id, method, path, access }: Pick<Endpoint, "id" | "method" | "path" | "access">
) => {
  const nanos = (): number => Number(clock.monotonicTimeNanosUnsafe())
  const now = (): number => clock.currentTimeMillisUnsafe()
  const record = access.logged === false ? undefined : requestRecorder(requestLog, { nanos, now }, id, path)
  const answered = requestTiming(nanos, method, path)
  /** `answer` undefined: the caller left before. */
  const beforeAnswer = (answer: Answer | undefined, request: LoggableRequest): void => {
    if (answer !== undefined) answered(answer.status, request.startedAt)
    record?.(request, answer)
    if (logRequest === undefined) return
    const millis = Math.round((nanos() - request.startedAt) / nanosPerMilli)
    const { account, keyId, requestId } = request
    logRequest({ requestId, operation: id, status: answer?.status ?? callerLeft, millis, account, key: keyId })
  }
  return { nanos, record, beforeAnswer }
}
