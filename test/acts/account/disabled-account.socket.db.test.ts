/** docs/daemon-protocol.md: daemons of an account that is disabled. */
import { describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import { disabledAwayMillisMin, disabledSpreadMillis } from "../../../src/limits/sockets.ts"
import { connectedDaemon } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { openWire, type WireAnswer } from "../../support/raw-http-connection.ts"
import { openDaemon } from "../../support/scripted-daemon.ts"

const hub = useHub({ virtual: true })

const set = (op: "account disable" | "account enable", account: string) => hub.inside(perform({ op, account }))
const asked = (millis: number): number => {
  expect(millis).toBeGreaterThanOrEqual(disabledAwayMillisMin)
  expect(millis).toBeLessThan(disabledAwayMillisMin + disabledSpreadMillis)
  return millis
}
/** What an upgrade with this token is answered. */
const upgraded = async (token: string): Promise<WireAnswer> => {
  const wire = await openWire(hub.url)
  const lines = ["Host: hub.example", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
  const own = ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `Authorization: Bearer ${token}`]
  wire.write(`GET /api/v1/daemons/connect HTTP/1.1\r\n${[...lines, ...own].join("\r\n")}\r\n\r\n`)
  const answer = await wire.answer()
  wire.destroy()
  return answer!
}
const afterOf = (reason: string): number => asked(JSON.parse(reason).afterMs)

describe("a daemon whose account is disabled", () => {
  it("P88: is closed with 4423 and a reason that says when to come back; its commands end, and its event is not acknowledged", async () => {
    const { peer, account, command } = await connectedDaemon(hub)
    const waiting = command("read_chat")
    await peer.nextCommand()
    await set("account disable", account.accountId)
    peer.send("status_event", { id: "e1", event: "agent:stopped", timestamp: 1 })
    const { code, reason } = await peer.closed
    expect(code).toBe(4423)
    afterOf(reason)
    expect(await waiting).toMatchObject({ status: 503, body: { reason: "DAEMON_SOCKET_LOST" } })
    expect(peer.frames.some(({ type }) => type === "event_ack")).toBe(false)
  })

  it("P89: is refused with 403 or 4423 and told a time of its own, and let in once the account is enabled", async () => {
    const { peer, account, token, connect } = await connectedDaemon(hub)
    await set("account disable", account.accountId)
    const told = afterOf((await peer.closed).reason)
    const refused = await openDaemon(hub, token)
    expect((await refused.nextFrame("auth_error")).data).toEqual({ reason: "account_disabled" })
    const { code, reason } = await refused.closed
    expect([code, afterOf(reason)]).toEqual([4423, told])
    const { status, headers, body } = await upgraded(token)
    expect([status, JSON.parse(body).reason]).toEqual([403, "ACCOUNT_DISABLED"])
    expect(Number(headers.get("retry-after-ms"))).toBe(told)
    expect(Number(headers.get("retry-after"))).toBe(Math.ceil(told / 1_000))
    await set("account enable", account.accountId)
    await (await connect()).leave()
  })
})
