/** The security headers of every kind of answer, and the headers that no answer has. */
import { beforeAll, describe, expect, it } from "vitest"
import { socketPath } from "../../../http/native/daemon-socket.ts"
import { openEventStream } from "../../support/event-stream.ts"
import { useHub } from "../../support/hub.ts"
import { askWire, type WireAnswer } from "../../support/raw-http-connection.ts"

/** Directives that every policy has, a page's own too. */
const inEveryPolicy = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
/** What may be kept by whoever asked: it is the same for everybody. */
const isPublic = /^public, |^no-cache$/u

const isPage = ({ headers }: WireAnswer): boolean => (headers.get("content-type") ?? "").startsWith("text/html")

describe("every answer", () => {
  const hub = useHub({ settings: { corsOrigins: ["https://dash.test"], publicUrl: "https://hub.test" } })
  let key: string
  beforeAll(async () => {
    key = await (await hub.account()).key(["ide:read"])
  })

  const ask = (method: string, path: string, ...headers: ReadonlyArray<string>) =>
    askWire(hub.url, `${method} ${path}`, "host: h", ...headers)

  it("is sniffed, framed, kept and named by no browser, and says nothing of the software behind it", async () => {
    const authorization = `authorization: Bearer ${key}`
    const { headers } = await ask("GET", "/openapi.json")
    const rows: ReadonlyArray<readonly [number, string, string, ...ReadonlyArray<string>]> = [
      [200, "GET", "/healthz"],
      [200, "HEAD", "/healthz"],
      [200, "GET", "/", "accept: text/html"],
      [200, "GET", "/docs"],
      [304, "GET", "/openapi.json", `if-none-match: ${headers.get("etag")}`],
      [200, "GET", "/api/v1/daemons", authorization],
      [200, "GET", "/api/v1/daemons", authorization, "origin: https://dash.test"],
      [204, "OPTIONS", "/api/v1/daemons", "origin: https://dash.test", "access-control-request-method: GET"],
      [401, "GET", "/api/v1/daemons"],
      [404, "GET", "/nowhere"],
      [405, "DELETE", "/healthz"],
      [426, "GET", socketPath],
      [400, "POST", "/api/v1/auth/login", "content-length: 1", "content-length: 2"]
    ]
    for (const [status, method, path, ...more] of rows) {
      const answer = await ask(method, path, ...more)
      expect([answer.status, `${method} ${path}`]).toEqual([status, `${method} ${path}`])
      expect([answer.headers.get("x-content-type-options"), path]).toEqual(["nosniff", path])
      expect([answer.headers.get("referrer-policy"), path]).toEqual(["no-referrer", path])
      expect([answer.headers.get("strict-transport-security"), path]).toEqual(["max-age=31536000", path])
      const policy = answer.headers.get("content-security-policy")?.split("; ") ?? []
      expect([inEveryPolicy.filter((one) => !policy.includes(one)), path]).toEqual([[], path])
      expect([policy.includes("sandbox"), path]).toEqual([!isPage(answer), path])
      const kept = answer.headers.get("cache-control") ?? ""
      expect([isPublic.test(kept) || kept === "no-store", path]).toEqual([true, path])
      if (path.startsWith("/api/")) expect([kept, path]).toEqual(["no-store", path])
      for (const telling of ["server", "uwebsockets", "x-powered-by"]) expect(answer.headers.has(telling)).toBe(false)
    }
  })

  it("says so also where it is a stream, or refuses an upgrade whose token was looked up", async () => {
    const authorization = `Bearer ${key}`
    const stream = await openEventStream(`${hub.url}/api/v1/events`, { authorization })
    expect(stream.headers.get("x-content-type-options")).toBe("nosniff")
    expect(stream.headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*; sandbox$/u)
    expect(stream.headers.get("cache-control")).toBe("no-store, no-transform")
    stream.close()
    const upgrade = ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"]
    const keyed = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="
    const refused = await ask("GET", socketPath, ...upgrade, keyed, "authorization: Bearer junk")
    expect([refused.status, refused.headers.get("x-content-type-options")]).toEqual([401, "nosniff"])
  })
})
