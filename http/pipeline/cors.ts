/** Browsers on other origins (`HUB_CORS_ORIGINS`). Owns the CORS headers; without origins it adds nothing at all. */
import { Answer, type Headers } from "./response.ts"

const exposed = [
  "X-Request-Id",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "Idempotency-Replayed",
  "ETag",
  "Repr-Digest",
  "Location"
].join(", ")
const allowed = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Range, X-Request-Id"
const preflightSeconds = 600

/** The CORS rules for these origins. */
export const corsOf = (origins: ReadonlyArray<string>) => {
  const known = new Set(origins)
  const vary: Headers = origins.length === 0 ? [] : [["vary", "Origin"]]
  return {
    /** How many origins are known. */
    known: known.size,
    /** What every answer to a request of this origin ("" for none) carries. */
    headers: (origin: string): Headers =>
      origin === "" || !known.has(origin)
        ? vary
        : [
            ["vary", "Origin"],
            ["access-control-allow-origin", origin],
            ["access-control-expose-headers", exposed]
          ],
    /** The answer to a preflight, or undefined when it is none or the origin is not known. */
    preflight: (origin: string, wanted: string, methods: string): Answer | undefined =>
      wanted === "" || !known.has(origin)
        ? undefined
        : new Answer(
            204,
            [
              ["access-control-allow-methods", methods],
              ["access-control-allow-headers", allowed],
              ["access-control-max-age", String(preflightSeconds)]
            ],
            undefined
          )
  }
}

/** The CORS rules. */
export type Cors = ReturnType<typeof corsOf>
