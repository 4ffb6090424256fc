/**
 * One request and its response through a pool of connections. The response body is capped, redirects are not followed,
 * and a failure becomes one of six words. Owns the reading of responses and errors; opens no connection itself.
 */
import type { Dispatcher } from "undici"
import { cutToBytes } from "../domain/text/truncate.ts"
import type { Answered, AttemptError } from "../domain/webhook/delivery.ts"
import { informationalAnswersMax, responseBytesMax, wornConnectionsMax } from "../limits/delivery.ts"

/** The outcome, without its duration. */
export type Reply = Omit<Answered, "durationMs">

const dnsCodes = new Set(["ENOTFOUND", "EAI_AGAIN", "ENODATA", "ESERVFAIL", "ETIMEOUT", "EREFUSED", "EBADNAME"])
const timeoutCodes = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT"
])
const tlsCode = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/u

/** The word for an error. Several attempts at several addresses are judged by the first. */
const attemptError = (error: unknown): AttemptError => {
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: ReadonlyArray<unknown> }
  if (Array.isArray(errors) && errors.length > 0) return attemptError(errors[0])
  if (typeof code !== "string") return "connect"
  if (code === "HUB_ADDRESS_BLOCKED") return "blocked_address"
  if (timeoutCodes.has(code)) return "timeout"
  if (dnsCodes.has(code)) return "dns"
  return tlsCode.test(code) ? "tls" : "connect"
}

/** A failure without a response. */
export const failed = (error: AttemptError): Reply => ({
  statusCode: undefined,
  error,
  retryAfter: undefined,
  body: "",
  truncated: false
})

const headerText = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  value === undefined || typeof value === "string" ? value : value[0]

// Postgres text holds no NUL, and the replacement of an invalid byte takes three bytes.
const storable = (chunks: ReadonlyArray<Buffer>): string => {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  return cutToBytes(bytes.toString("utf8").replaceAll("\u0000", "\ufffd"), responseBytesMax)
}

const replyOf = (
  statusCode: number,
  retryAfter: string | undefined,
  chunks: ReadonlyArray<Buffer>,
  truncated: boolean
): Reply => {
  const redirect = statusCode >= 300 && statusCode < 400 && statusCode !== 304
  const body = chunks.length === 0 ? "" : storable(chunks)
  return { statusCode, error: redirect ? "redirect" : undefined, retryAfter, body, truncated }
}

// The errors of a connection that its receiver closed between two requests.
const closedErrors: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

/**
 * Sends a request; `done` is called once. The returned function cancels: it closes the connection and `done` is not
 * called.
 */
export const exchange = (
  pool: Dispatcher,
  options: Dispatcher.DispatchOptions,
  done: (reply: Reply) => void
): (() => void) => {
  let controller: Dispatcher.DispatchController | undefined
  let ended = false
  let status = 0
  let retryAfter: string | undefined
  let bytes = 0
  let dispatching = false
  let reused = false
  let heard = false
  let wornOut = 0
  let informational = 0
  const chunks: Array<Buffer> = []

  const end = (reply: Reply): void => {
    if (ended) return
    ended = true
    done(reply)
  }
  const answered = (truncated: boolean): void => end(replyOf(status, retryAfter, chunks, truncated))

  const handling: Dispatcher.DispatchHandler = {
    onRequestStart: (given) => {
      controller = given
      // Only an existing connection begins within the call.
      reused = dispatching
      if (ended) given.abort(new Error("given up"))
    },
    onResponseStart: (given, statusCode, headers) => {
      heard = true
      if (statusCode < 200) {
        if (++informational <= informationalAnswersMax || ended) return
        end(failed("connect"))
        return given.abort(new Error("too many informational answers"))
      }
      status = statusCode
      retryAfter = headerText(headers["retry-after"])
    },
    onResponseData: (given, chunk) => {
      if (ended) return
      const room = responseBytesMax - bytes
      chunks.push(Buffer.from(chunk.length > room ? chunk.subarray(0, room) : chunk))
      bytes += Math.min(chunk.length, room)
      if (chunk.length <= room) return
      answered(true)
      given.abort(new Error("enough read"))
    },
    onResponseEnd: () => answered(false),
    onResponseError: (_, error) => {
      // The receiver closed the connection just as it was reused. If it took the request all the same, the id shows the
      // repeat.
      const isStale = reused && !heard && closedErrors.has((error as NodeJS.ErrnoException).code)
      if (ended || !isStale || wornOut >= wornConnectionsMax) return end(failed(attemptError(error)))
      wornOut++
      dispatch()
    }
  }
  const dispatch = (): void => {
    reused = false
    dispatching = true
    pool.dispatch(options, handling)
    dispatching = false
  }
  dispatch()
  return () => {
    ended = true
    controller?.abort(new Error("given up"))
  }
}
