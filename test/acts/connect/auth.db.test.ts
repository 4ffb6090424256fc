/** docs/daemon-protocol.md: auth, auth_ok, auth_error. */
import { describe, expect, it } from "vitest"
import { daemonTokens } from "../../../src/auth/checksummed-token.ts"
import { inTurn, ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { openDaemon } from "../../support/scripted-daemon.ts"

const hub = useHub({
  virtual: true,
  settings: { turnUrls: ["turn:turn.example.org:3478"], turnSecret: "a shared secret" }
})

const refusal = async (token: string, auth: Record<string, unknown> = {}) => {
  const peer = await openDaemon(hub, token, { auth })
  const { code } = await peer.closed
  return { code, frames: peer.frames }
}

describe("a daemon that authenticates", () => {
  it("P16: with another frame first is closed with 4400", async () => {
    const { token } = await ownedDaemon(hub)
    const peer = await openDaemon(hub, token, { auth: null })
    peer.report([])
    expect((await peer.closed).code).toBe(4400)
    expect(peer.frames).toEqual([{ type: "auth_error", data: { reason: "auth_expected", at: "type" } }])
  })

  it("P17: later than 10 s after the socket opened is closed with 4408", async () => {
    const { token } = await ownedDaemon(hub)
    const peer = await openDaemon(hub, token, { auth: null })
    let closed = false
    void peer.closed.then(() => {
      closed = true
    })
    await hub.advance(9_000)
    expect(closed).toBe(false)
    await hub.advance(2_000)
    expect((await peer.closed).code).toBe(4408)
  })

  it.each([
    ["without a token", { token: undefined }, "member_missing", "token"],
    ["with null for a token", { token: null }, "member_missing", "token"],
    ["with a number for a token", { token: 7 }, "member_invalid", "token"]
  ])("P18: %s is told so, and closed with 4400", async (_, auth, reason, at) => {
    const { token } = await ownedDaemon(hub)
    expect(await refusal(token, auth)).toEqual({ code: 4400, frames: [{ type: "auth_error", data: { reason, at } }] })
  })

  it.each([
    ["a number for a hostname", { hostname: 7 }, "auth.hostname", "is not a text"],
    ["no platform", { platform: undefined }, "auth.platform", "is missing"],
    ["text for the protocol", { protocol: "1" }, "auth.protocol", "is not a whole number"],
    ["workspaces that are no list", { workspaces: {} }, "auth.workspaces", "is not a list"],
    [
      "a provider without a type",
      { availableProviders: [{ category: "cli" }, { type: "a", category: "cli" }] },
      "auth.availableProviders[0].type",
      "is missing"
    ]
  ])("P18, P67: with %s is let in, and told what was dropped", async (_, auth, at, reason) => {
    const { connect, status } = await ownedDaemon(hub)
    const { accepted } = await connect({ auth })
    expect(accepted.type).toBe("auth_ok")
    expect(await status()).toMatchObject({ online: true, problems: [{ at, reason }] })
  })

  it("P19: in another protocol is told which there is, and closed with 4400", async () => {
    const { token } = await ownedDaemon(hub)
    expect(await refusal(token, { protocol: 2 })).toEqual({
      code: 4400,
      frames: [{ type: "auth_error", data: { reason: "protocol_unsupported", at: "protocol", supported: [1] } }]
    })
  })

  it("P20: with an unknown token gets auth_error and is closed with 4401", async () => {
    for (const token of [daemonTokens.make(), "no token at all"]) {
      const { code, frames } = await refusal(token)
      expect([code, frames.map(({ type }) => type)]).toEqual([4401, ["auth_error"]])
    }
  })

  it("P21: with a revoked token gets auth_error and is closed with 4403", async () => {
    const { account, daemonId, token } = await ownedDaemon(hub)
    const session = await account.session()
    await hub.request("POST", `/api/v1/daemons/${daemonId}/revoke`, { session })
    const { code, frames } = await refusal(token)
    expect([code, frames.map(({ type }) => type)]).toEqual([4403, ["auth_error"]])
  })

  it("P22: a second time closes the older connection with 4409, and what that one sends changes nothing", async () => {
    const { connect, status } = await ownedDaemon(hub)
    const older = await connect({ report: [reported("from-the-older")] })
    await inTurn(older)
    const newer = await connect({ report: [reported("from-the-newer")] })
    older.report([reported("too-late")])
    await inTurn(newer)
    expect((await older.closed).code).toBe(4409)
    expect((await status()).sessions.map(({ id }: { id: string }) => id)).toEqual(["from-the-newer"])
    await inTurn(newer)
  })

  it("P23: again on the same socket gets unsupported, and nothing changes", async () => {
    const { connect, token, status } = await ownedDaemon(hub)
    const peer = await connect()
    const told = { token, protocol: 1, instanceId: "i", version: "9", hostname: "another", platform: "p" }
    peer.send("auth", told)
    expect((await peer.nextFrame()).data).toEqual({ type: "auth" })
    expect((await status()).hostname).toBe("daemon")
  })
})

describe("auth_ok", () => {
  it("P37: names the daemon, the plan, ICE servers, the hub's clock, its rhythm and its limits", async () => {
    const { connect, daemonId } = await ownedDaemon(hub)
    const { accepted } = await connect()
    expect(accepted.data).toEqual({
      daemonId,
      connectionEpoch: expect.any(Number),
      plan: "pro",
      iceServers: expect.any(Array),
      turn: true,
      serverTime: hub.now(),
      heartbeatMs: 25_000,
      reportMs: 30_000,
      limits: { frameBytes: 1_048_576, resultBytes: 8_388_608, framesPer10s: 100 }
    })
  })

  it("P38: counts the connections of a daemon upwards", async () => {
    const { connect } = await ownedDaemon(hub)
    const epochs = []
    for (let at = 0; at < 3; at++) {
      const { accepted, leave } = await connect()
      epochs.push(accepted.data.connectionEpoch)
      await leave()
    }
    expect(epochs).toEqual([...epochs].sort((a, b) => a - b))
    expect(new Set(epochs).size).toBe(3)
  })

  it("P39: holds a STUN entry and TURN entries, and a fresh set follows before these expire", async () => {
    const { connect } = await ownedDaemon(hub)
    const peer = await connect()
    const urls = (frame: { data: { iceServers: ReadonlyArray<{ urls: ReadonlyArray<string> }> } }) =>
      frame.data.iceServers.flatMap((entry) => entry.urls)
    expect(urls(peer.accepted).some((url) => url.startsWith("stun:"))).toBe(true)
    expect(urls(peer.accepted).some((url) => url.startsWith("turn:"))).toBe(true)
    const username = peer.accepted.data.iceServers.find((one: { username?: string }) => one.username !== undefined)
    const expiresAt = Number(username.username.split(":")[0]) * 1_000
    await hub.advance(expiresAt - hub.now() - 60_000)
    const fresh = await peer.nextFrame("ice_servers")
    expect(fresh.data).toMatchObject({ turn: true })
    expect(fresh.data.expiresAt).toBeGreaterThan(expiresAt)
    expect(urls(fresh).some((url) => url.startsWith("turn:"))).toBe(true)
  })
})
