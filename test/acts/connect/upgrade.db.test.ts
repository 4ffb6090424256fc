/** docs/daemon-protocol.md: the token with the upgrade, the handshake, and crowds. */
import { describe, expect, it } from "vitest"
import { daemonTokens } from "../../../src/auth/checksummed-token.ts"
import { inTurn, type Owned, ownedDaemon } from "../../support/connected-daemon.ts"
import { startHub, useHub } from "../../support/hub.ts"
import { askWire, openWire, type WireAnswer } from "../../support/raw-http-connection.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"

const hub = useHub({
  virtual: true,
  settings: { corsOrigins: ["https://dashboard.example"], daemonOrigins: ["https://daemon.example"] }
})

const inOrder = {
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="
}

/** What a handshake is answered that differs in these headers from one that is in order; null leaves one out. */
const answered = (differs: Readonly<Record<string, string | null | undefined>> = {}): Promise<WireAnswer> => {
  const lines = Object.entries({ Host: "hub.example", ...inOrder, ...differs })
    .filter(([, value]) => typeof value === "string")
    .map(([name, value]) => `${name}: ${value}`)
  return askWire(hub.url, "GET /api/v1/daemons/connect", ...lines)
}
const reasonOf = ({ body }: WireAnswer): unknown => JSON.parse(body).reason

describe("a token that comes with the upgrade", () => {
  it("P72: is checked before it, and auth needs none", async () => {
    const { token, daemonId } = await ownedDaemon(hub)
    for (const [how, auth] of [
      [{ headers: { authorization: `Bearer ${token}` } }, { token: undefined }],
      [{ headers: { authorization: `bearer ${token}` } }, { token: "another" }],
      [{ protocols: ["hub", `hub.token.${token}`] }, { token: undefined }]
    ] as const) {
      const peer = await openDaemon(hub, "", { ...how, auth })
      expect((await peer.nextFrame("auth_ok")).data.daemonId).toBe(daemonId)
      await peer.leave()
    }
  })

  it("P73: is answered 401 when it is unknown, and 403 when it is revoked; there is no socket", async () => {
    for (const token of [daemonTokens.make(), "junk"]) {
      const unknown = await answered({ Authorization: `Bearer ${token}` })
      expect([unknown.status, reasonOf(unknown)]).toEqual([401, "AUTH_INVALID"])
    }
    const { account, daemonId, token } = await ownedDaemon(hub)
    const session = await account.session()
    await hub.request("POST", `/api/v1/daemons/${daemonId}/revoke`, { session })
    for (const headers of [
      { Authorization: `Bearer ${token}` },
      { "Sec-WebSocket-Protocol": `hub.token.${token}, hub` }
    ]) {
      const revoked = await answered(headers)
      expect([revoked.status, reasonOf(revoked)]).toEqual([403, "TOKEN_REVOKED"])
      expect(revoked.headers.get("x-request-id")).toMatch(/^\S{8,}$/u)
    }
  })

  it("P74: as a subprotocol is answered as hub; of others none is", async () => {
    const { token } = await ownedDaemon(hub)
    for (const [offered, protocol] of [
      [`hub, hub.token.${token}`, "hub"],
      [`hub.token.${token}`, "hub"],
      ["hub", "hub"],
      ["hub.v9", undefined],
      ["adhdev.v1, chat", undefined]
    ] as const) {
      const { status, headers } = await answered({ "Sec-WebSocket-Protocol": offered })
      expect([status, headers.get("sec-websocket-protocol")]).toEqual([101, protocol])
    }
  })

  it("P76: closes the older of two sockets that wait for their auth with 4409", async () => {
    const { token } = await ownedDaemon(hub)
    const headers = { authorization: `Bearer ${token}` }
    const older = await openDaemon(hub, "", { headers, auth: null })
    const newer = await openDaemon(hub, "", { headers, auth: null })
    expect((await older.closed).code).toBe(4409)
    newer.send("auth", { protocol: 1, instanceId: "i", version: "1", hostname: "h", platform: "p" })
    await newer.nextFrame("auth_ok")
    await inTurn(newer)
  })
})

describe("a handshake", () => {
  it.each([
    ["without Upgrade", { Upgrade: null }],
    ["with another Upgrade", { Upgrade: "h2c" }],
    ["without Connection", { Connection: null }],
    ["with another Connection", { Connection: "keep-alive" }],
    ["with version 8", { "Sec-WebSocket-Version": "8" }],
    ["with version 12", { "Sec-WebSocket-Version": "12" }],
    ["without a version", { "Sec-WebSocket-Version": null }],
    ["with nothing of it", { Upgrade: null, Connection: null, "Sec-WebSocket-Key": null }]
  ])("P2: %s is answered 426 with the version", async (_, differs) => {
    const answer = await answered(differs)
    expect([answer.status, reasonOf(answer)]).toEqual([426, "UPGRADE_REQUIRED"])
    expect(answer.headers.get("sec-websocket-version")).toBe("13")
  })

  it.each([
    { Upgrade: "WebSocket" },
    { Upgrade: "h2c, websocket" },
    { Connection: "keep-alive, Upgrade" },
    { Connection: "keep-alive\r\nConnection: upgrade" }
  ])("P1: with %o is upgraded", async (differs) => {
    const { status, headers } = await answered(differs)
    expect([status, headers.get("sec-websocket-accept")]).toEqual([101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
  })

  it.each([
    null,
    "",
    "short",
    "dGhlIHNhbXBsZSBub25jZQ",
    "dGhlIHNhbXBsZSBub25jZSE!",
    "dGhlIHNhbXBsZSBub25jZSBhbmQgbW9yZQ=="
  ])("P77: with the key %s is answered 400", async (key) => {
    const answer = await answered({ "Sec-WebSocket-Key": key })
    expect([answer.status, reasonOf(answer)]).toEqual([400, "VALIDATION_FAILED"])
  })

  it.each([
    ["https://evil.example", 403],
    ["null", 403],
    ["http://hub.example.evil.example", 403],
    ["http://hub.example", 101],
    ["https://hub.example", 101],
    ["https://dashboard.example", 101],
    ["https://daemon.example", 101]
  ])("P78: with the Origin %s is answered %i", async (origin, status) => {
    const answer = await answered({ Origin: origin })
    expect(answer.status).toBe(status)
    if (status === 403) expect(reasonOf(answer)).toBe("ORIGIN_FORBIDDEN")
  })
})

describe("a node that takes no more connections now", () => {
  it("P65, P75: tells one whose token is good when to come back, to the millisecond, takes it then, and charges none whose token is not", async () => {
    const slow = await startHub({ virtual: true, settings: { connectsPerSecond: 1 } })
    try {
      const { connect, token } = await ownedDaemon(slow)
      await expect(openDaemon(slow, "", { headers: { authorization: "Bearer junk" } })).rejects.toThrow("401")
      await connect()
      const wire = await openWire(slow.url)
      const lines = Object.entries({ Host: "h", ...inOrder, Authorization: `Bearer ${token}` })
      wire.write(`GET /api/v1/daemons/connect HTTP/1.1\r\n${lines.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n`)
      const answer = (await wire.answer())!
      const millis = Number(answer.headers.get("retry-after-ms"))
      expect([answer.status, reasonOf(answer)]).toEqual([503, "OVERLOADED"])
      expect(millis).toBeGreaterThan(0)
      expect(Number(answer.headers.get("retry-after"))).toBe(Math.ceil(millis / 1_000))
      await wire.closed
      await slow.advance(millis)
      // its time is kept for it, whoever else comes then
      await (await ownedDaemon(slow)).connect()
      await openDaemon(slow, "", { headers: { authorization: `Bearer ${token}` } })
    } finally {
      await slow.close()
    }
  })
})

/** All connect at once while each one's account reads; says what became of those that were not welcomed. */
const comeAtOnce = async (owned: ReadonlyArray<Owned>): Promise<ReadonlyArray<unknown>> => {
  const came = await Promise.allSettled(
    owned.map(async ({ token, key }) => {
      const [peer, read] = await Promise.all([
        connectDaemon(hub, token),
        hub.request("GET", "/api/v1/daemons", { key }),
        hub.request("GET", "/api/v1/usage", { key })
      ])
      expect(read.status).toBe(200)
      return peer
    })
  )
  await Promise.all(came.map((one) => (one.status === "fulfilled" ? one.value.leave() : undefined)))
  return came.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))
}

describe("daemons that come at once", () => {
  it("P72: are all welcomed, the first time and again, while other requests are answered", async () => {
    const owned = await Promise.all(Array.from({ length: 24 }, () => ownedDaemon(hub)))
    for (const round of ["the first", "again"]) expect([round, await comeAtOnce(owned)]).toEqual([round, []])
  })
})
