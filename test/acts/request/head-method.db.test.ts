/** HEAD on the wire: never a byte of a body, the length of GET, and a connection that serves the next request. */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { socketPath } from "../../../http/native/daemon-socket.ts"
import { useHub } from "../../support/hub.ts"
import { openWire, requestBytes, type Wire } from "../../support/raw-http-connection.ts"

const alive = '{"status":"alive"}'

describe("HEAD", () => {
  const hub = useHub()
  let key: string
  beforeAll(async () => {
    key = await (await hub.account()).key(["ide:read"])
  })

  const open = async (): Promise<Wire> => {
    const wire = await openWire(hub.url)
    onTestFinished(() => wire.destroy())
    return wire
  }
  const request = (method: string, path: string, ...headers: ReadonlyArray<string>): string =>
    requestBytes(`${method} ${path}`, "host: h", ...headers)
  const bearer = () => `authorization: Bearer ${key}`
  const headOf = (wire: Wire) => wire.answer({ head: true })

  const list = "/api/v1/daemons"
  const paths = [
    { what: "a list", path: list, status: 200, keyed: true },
    { what: "a list without a credential", path: list, status: 401, keyed: false },
    { what: "the health", path: "/healthz", status: 200, keyed: false },
    { what: "the reference", path: "/docs", status: 200, keyed: false },
    { what: "the large description", path: "/openapi.json", status: 200, keyed: false },
    { what: "what is not there", path: "/api/v1/registry/providers/none", status: 404, keyed: false },
    { what: "an unknown path", path: "/nowhere", status: 404, keyed: false },
    { what: "the path of sockets", path: socketPath, status: 426, keyed: false }
  ]

  it.each(paths)("of $what has the status and the length of GET, and the connection serves GET next", async (row) => {
    const { path, status, keyed } = row
    const headers = keyed ? [bearer()] : []
    const wire = await open()
    wire.write(request("GET", path, ...headers))
    const whole = await wire.answer()
    expect(whole?.status).toBe(status)
    for (let nth = 0; nth < 2; nth++) {
      wire.write(request("HEAD", path, ...headers))
      const head = await headOf(wire)
      expect(head?.status).toBe(status)
      expect(Number(head?.headers.get("content-length"))).toBeGreaterThan(0)
      if (status === 200) expect(head?.headers.get("content-length")).toBe(whole?.headers.get("content-length"))
      expect(head?.headers.get("content-type")).toBe(whole?.headers.get("content-type"))
      wire.write(request("GET", "/healthz"))
      expect(await wire.answer()).toMatchObject({ status: 200, body: alive })
    }
  })

  it("of a live stream has no length, as none is known, and opens none", async () => {
    const wire = await open()
    wire.write(request("HEAD", "/api/v1/events", bearer()))
    const head = await headOf(wire)
    expect(head?.status).toBe(200)
    expect(head?.headers.get("content-type")).toContain("text/event-stream")
    expect([head?.headers.has("content-length"), head?.headers.has("transfer-encoding")]).toEqual([false, false])
    wire.write(request("GET", "/healthz"))
    expect(await wire.answer()).toMatchObject({ status: 200, body: alive })
  })

  it("of a path that has no GET is 405 without a body", async () => {
    const wire = await open()
    for (let nth = 0; nth < 2; nth++) {
      wire.write(request("HEAD", "/api/v1/daemons/enroll"))
      expect(await headOf(wire)).toMatchObject({ status: 405 })
    }
  })
})
