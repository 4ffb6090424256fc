/** CORS for browsers on other origins. */
import { describe, expect, it } from "vitest"
import { corsOf } from "../../../http/pipeline/cors.ts"

const known = "https://dash.example.org"

describe("CORS", () => {
  it("adds nothing without configured origins", () => {
    const cors = corsOf([])
    expect(cors.headers(known)).toEqual([])
    expect(cors.preflight(known, "POST", "GET, POST")).toBeUndefined()
  })

  it("names the origin it was asked by, when that is known, and never a star", () => {
    const headers = Object.fromEntries(corsOf([known, "http://localhost:3000"]).headers(known))
    expect(headers["access-control-allow-origin"]).toBe(known)
    expect(headers["vary"]).toBe("Origin")
    const exposed = headers["access-control-expose-headers"]?.split(", ")
    for (const name of ["X-Request-Id", "Content-Range", "Accept-Ranges", "Content-Disposition"])
      expect(exposed).toContain(name)
  })

  it.each(["", "null", "https://evil.example", "https://dash.example.org.evil.example", "HTTPS://DASH.EXAMPLE.ORG"])(
    "gives %j no permission but says that answers differ by origin",
    (origin) => {
      const cors = corsOf([known])
      expect(cors.headers(origin)).toEqual([["vary", "Origin"]])
      expect(cors.preflight(origin, "POST", "GET, POST")).toBeUndefined()
    }
  )

  it("answers a preflight with the path's methods and our request headers", () => {
    const answer = corsOf([known]).preflight(known, "POST", "GET, POST")
    expect(answer?.status).toBe(204)
    const headers = Object.fromEntries(answer?.headers ?? [])
    expect(headers["access-control-allow-methods"]).toBe("GET, POST")
    const allowed = headers["access-control-allow-headers"]?.split(", ")
    for (const name of ["Idempotency-Key", "If-Range", "traceparent", "tracestate", "baggage", "sentry-trace"])
      expect(allowed).toContain(name)
  })

  it("takes an OPTIONS without a requested method for no preflight", () =>
    expect(corsOf([known]).preflight(known, "", "GET")).toBeUndefined())
})
