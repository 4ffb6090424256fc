/** CORS for the origins of `HUB_CORS_ORIGINS`. Owns the CORS headers; without origins it adds none. */
import { Answer, type Headers } from "./response.ts"

const exposedHeaders = [
  "X-Request-Id",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Retry-After-Ms",
  "WWW-Authenticate",
  "Idempotency-Replayed",
  "ETag",
  "Link",
  "Repr-Digest",
  "Location",
  "Preference-Applied",
  "Content-Range",
  "Accept-Ranges",
  "Content-Disposition"
].join(", ")
/** Ours, and those that tracing libraries of browsers add to every request. */
const allowedHeaders =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Prefer, Range, X-Request-Id, traceparent, tracestate, baggage, sentry-trace"
const preflightSeconds = 600

/** The CORS rules for these origins. */
export const corsOf = (origins: ReadonlyArray<string>) => {
  const vary: Headers = origins.length === 0 ? [] : [["vary", "Origin"]]
  const allowed = new Map<string, Headers>(
    origins.map((origin) => [
      origin,
      [...vary, ["access-control-allow-origin", origin], ["access-control-expose-headers", exposedHeaders]]
    ])
  )
  return {
    /** The number of allowed origins. */
    known: allowed.size,
    /** The headers of every response to a request from this origin ("" without one): the same list each time. */
    headers: (origin: string): Headers => allowed.get(origin) ?? vary,
    /** The answer to a preflight; undefined when the request is no preflight or the origin is not allowed. */
    preflight: (origin: string, wanted: string, methods: string): Answer | undefined =>
      wanted === "" || !allowed.has(origin)
        ? undefined
        : new Answer(
            204,
            [
              ["access-control-allow-methods", methods],
              ["access-control-allow-headers", allowedHeaders],
              ["access-control-max-age", String(preflightSeconds)]
            ],
            undefined
          )
  }
}

export type Cors = ReturnType<typeof corsOf>
