/** What an answer says to a caller who wants the connection closed behind it (RFC 9112, 9.6), and that it is closed. */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { useHub } from "../../support/hub.ts"
import { openWire, requestBytes, type Wire } from "../../support/raw-http-connection.ts"

describe("a caller who wants the connection closed", () => {
  const hub = useHub()
  let key: string
  let etag: string
  beforeAll(async () => {
    key = await (await hub.account()).key(["ide:read"])
    etag = (await fetch(`${hub.url}/openapi.json`)).headers.get("etag")!
  })

  const ask = async (line: string, ...headers: ReadonlyArray<string>): Promise<Wire> => {
    const wire = await openWire(hub.url)
    onTestFinished(() => wire.destroy())
    wire.write(requestBytes(line, "host: h", `authorization: Bearer ${key}`, ...headers))
    return wire
  }

  const wishes = ["Connection: close", "connection: CLOSE", "connection: TE, close", "connection: close, te"]
  const answers = () => [
    { line: "GET /healthz", status: 200 },
    { line: "GET /api/v1/daemons", status: 200 },
    { line: "GET /nowhere", status: 404 },
    // without a length there is no body, and this call needs one
    { line: "POST /api/v1/shortcuts/dmn_x/chat", status: 411 },
    { line: "HEAD /api/v1/daemons", status: 200 },
    { line: "HEAD /nowhere", status: 404 },
    { line: "GET /openapi.json", status: 304, header: `if-none-match: ${etag}` },
    { line: "HEAD /openapi.json", status: 304, header: `if-none-match: ${etag}` }
  ]

  it.each(wishes)("by `%s` is told once by each answer that it is closed, and finds it so", async (wish) => {
    for (const { line, status, header } of answers()) {
      const wire = await ask(line, wish, ...(header === undefined ? [] : [header]))
      const answer = await wire.answer({ head: line.startsWith("HEAD") })
      expect([line, answer?.status, answer?.headers.get("connection")]).toEqual([line, status, "close"])
      await wire.closed
    }
  })

  it("is told so by a live stream too", async () => {
    const wire = await ask("GET /api/v1/events", "connection: close")
    expect((await wire.answer({ head: true }))?.headers.get("connection")).toBe("close")
  })

  it.each(["connection: keep-alive", "connection: te", "x-other: close"])("is not the one of `%s`", async (line) => {
    const wire = await ask("GET /healthz", line)
    expect((await wire.answer())?.headers.get("connection")).toBeUndefined()
    wire.write("GET /healthz HTTP/1.1\r\nhost: h\r\n\r\n")
    expect((await wire.answer())?.status).toBe(200)
  })
})
