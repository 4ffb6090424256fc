/** A whole hub, from the port to the database: it starts, serves, restarts and ends in order. */
import { describe, expect, it } from "vitest"
import { useHub } from "../../support/hub.ts"
import { readPrometheus } from "../../support/prometheus-text.ts"
import { openWire } from "../../support/raw-http-connection.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"

const hub = useHub({ virtual: true })

describe("a hub", () => {
  it("says that it is alive and ready", async () => {
    expect((await hub.request("GET", "/healthz")).body).toEqual({ status: "alive" })
    expect(await hub.request("GET", "/readyz")).toMatchObject({
      status: 200,
      body: { status: "ready", waitingFor: [] }
    })
  })

  it("shows its figures to this machine", async () => {
    const { status, text, headers } = await hub.request("GET", "/metrics")
    expect(status).toBe(200)
    expect(headers.get("content-type")).toContain("text/plain")
    expect(text).toContain("# TYPE hub_requests_total counter")
    expect(text).toMatch(/^hub_exchanges 1$/mu)
    const families = readPrometheus(text)
    const route = '{method="GET",route="/readyz",status="2xx"}'
    expect(
      families.get("hub_request_duration_seconds")!.samples.get(`hub_request_duration_seconds_count${route}`)
    ).toBe(1)
    expect(families.has("nodejs_eventloop_lag_max_seconds")).toBe(true)
  })

  it("shows its figures to nobody behind a proxy", async () => {
    expect((await hub.request("GET", "/metrics", { headers: { "x-forwarded-for": "127.0.0.1" } })).status).toBe(404)
    const wire = await openWire(hub.url)
    try {
      wire.write("GET /metrics HTTP/1.1\r\nhost: h\r\nx-forwarded-for:\r\nx-forwarded-for: 127.0.0.1\r\n\r\n")
      expect(await wire.answer()).toMatchObject({ status: 404 })
    } finally {
      wire.destroy()
    }
  })

  it("answers 426 where only sockets are served", async () => {
    const answer = await hub.request("GET", "/api/v1/daemons/connect")
    expect(answer).toMatchObject({ status: 426, body: { reason: "UPGRADE_REQUIRED" } })
    expect(answer.headers.get("upgrade")).toBe("websocket")
  })

  it("accepts a daemon and ends a binary frame with 4400", async () => {
    const { token, daemonId } = await (await hub.account()).daemonToken()
    const peer = await connectDaemon(hub, token)
    expect(peer.accepted.data).toMatchObject({ daemonId, heartbeatMs: 25_000 })
    peer.socket.send(Buffer.from([1, 2, 3]))
    expect(await peer.closed).toMatchObject({ code: 4400 })
  })

  it("keeps a daemon that answers pings and loses one that is silent for 60 s", async () => {
    const { token } = await (await hub.account()).daemonToken()
    const peer = await connectDaemon(hub, token, { report: [] })
    let pings = 0
    peer.socket.on("ping", () => {
      pings++
    })
    await hub.advance(120_000)
    expect(peer.socket.readyState).toBe(peer.socket.OPEN)
    expect(pings).toBeGreaterThanOrEqual(4)
    peer.socket.pause()
    await hub.advance(61_000, { silentPeers: true })
    peer.socket.resume()
    expect(await peer.closed).toMatchObject({ code: 1006 })
  })

  it("is ready again after a restart, on the same database", async () => {
    const account = await hub.account()
    const session = await account.session()
    const peer = await openDaemon(hub, "nonsense", { auth: null })
    await hub.restart()
    expect(await peer.closed).toMatchObject({ code: 1012 })
    expect((await hub.request("GET", "/readyz")).status).toBe(200)
    expect(await hub.request("GET", "/api/v1/api-keys", { session })).toMatchObject({
      status: 200,
      body: { apiKeys: [] }
    })
  })
})
