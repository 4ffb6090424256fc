/** CORS for browsers on other origins. */
import { describe, expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { corsOf } from "../../../http/pipeline/cors.ts"
import { referenceOf } from "../../../http/reference/document.ts"

const known = "https://dash.example.org"

/** The headers of all operations, as the document names them. */
const documented = () => {
  const { document } = referenceOf(Api, "/")
  const sent = new Set<string>()
  const received = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const { in: place, name, description, headers } = value as Record<string, unknown>
    if (place === "header") sent.add(String(name).toLowerCase())
    if (description !== undefined && headers !== undefined)
      for (const one of Object.keys(headers!)) received.add(one.toLowerCase())
    Object.values(value).forEach(visit)
  }
  const { webhooks: _, ...ofOperations } = document
  visit(ofOperations)
  return { sent, received }
}

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

  it("lets a page send every header that an operation takes, and see every header of an answer", () => {
    const cors = corsOf([known])
    const listed = (headers: ReadonlyArray<readonly [string, string]> = [], name: string) =>
      new Set(Object.fromEntries(headers)[name]?.toLowerCase().split(", "))
    const allowed = listed(cors.preflight(known, "PUT", "PUT")?.headers, "access-control-allow-headers")
    const exposed = listed(cors.headers(known), "access-control-expose-headers")
    const { sent, received } = documented()
    // what browsers send, show or keep from pages by themselves, and what is for proxies
    const safe = new Set(["accept", "cache-control", "set-cookie", "vary", "x-accel-buffering"])
    expect([...sent].filter((name) => !allowed.has(name) && !safe.has(name))).toEqual([])
    expect([...received].filter((name) => !exposed.has(name) && !safe.has(name))).toEqual([])
  })

  it("takes an OPTIONS without a requested method for no preflight", () =>
    expect(corsOf([known]).preflight(known, "", "GET")).toBeUndefined())
})
