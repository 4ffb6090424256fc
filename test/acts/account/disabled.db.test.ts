/**
 * A disabled account as its callers, daemons and webhooks see it: everything ends at once, and works again after it is
 * enabled, without a restart.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import { indexPollMillis } from "../../../src/limits/delivery.ts"
import { disabledAwayMillisMin, disabledSpreadMillis } from "../../../src/limits/sockets.ts"
import { Accounts } from "../../../src/store/accounts/accounts.ts"
import { connectedDaemon } from "../../support/connected-daemon.ts"
import { openEvents } from "../../support/event-stream.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { askWire, type WireAnswer } from "../../support/raw-http-connection.ts"
import { type Hooked, hook } from "../../support/received-webhooks.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

const second = 1_000

const asked = (millis: number): number => {
  expect(millis).toBeGreaterThanOrEqual(disabledAwayMillisMin)
  expect(millis).toBeLessThan(disabledAwayMillisMin + disabledSpreadMillis)
  return millis
}
const afterOf = (reason: string): number => asked(JSON.parse(reason).afterMs)

describe("an account that is disabled", () => {
  const hub = useHub({ virtual: true })
  const receiver = useReceiver("test")

  /** What an upgrade with this token is answered. */
  const upgraded = (token: string): Promise<WireAnswer> => {
    const lines = ["Host: hub.example", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    const own = ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `Authorization: Bearer ${token}`]
    return askWire(hub.url, "GET /api/v1/daemons/connect", ...lines, ...own)
  }
  const operate = async (op: "account disable" | "account enable", { accountId }: TestAccount): Promise<void> => {
    expect(await hub.inside(perform({ op, account: accountId }))).toMatchObject({ ok: true })
  }
  const disable = (account: TestAccount) => operate("account disable", account)
  const enable = (account: TestAccount) => operate("account enable", account)
  const failing = async (one: Hooked, path: string): Promise<void> => {
    receiver.react(path, 500)
    await one.dispatch()
    await one.untilEntries("it waits for its retry", (all) => all[0]?.willRetry === true)
  }
  const untilAt = (path: string, count: number) =>
    until(`${count} requests at ${path}`, async () => {
      await hub.advance(second)
      return receiver.at(path).length >= count
    })

  it("P88: has its daemons closed with a time to come back, the commands under way to them ended as lost, its streams ended and its credentials refused", async () => {
    const [account, stranger] = [await hub.account(), await hub.account()]
    const [key, session] = [await account.key(["ide:read", "ide:control"]), await account.session()]
    const { daemonId, token } = await account.daemonToken()
    const other = await connectDaemon(hub, (await stranger.daemonToken()).token)
    const daemon = await connectDaemon(hub, token)
    const stream = await openEvents(hub, key)
    const body = { type: "read_chat", payload: {} }
    const asked = ["k1", undefined].map((name) =>
      hub.request("POST", `/api/v1/daemons/${daemonId}/command`, {
        key,
        body,
        ...(name && { headers: { "idempotency-key": name } })
      })
    )
    const commands = [await daemon.nextCommand(), await daemon.nextCommand()]
    await disable(account)
    const { code, reason } = await daemon.closed
    expect([code, JSON.parse(reason)]).toEqual([4423, { afterMs: expect.any(Number) }])
    const lost = (await Promise.all(asked)).map((answer) => {
      expect(answer).toMatchObject({ status: 503, body: { reason: "DAEMON_SOCKET_LOST" } })
      return answer.body.commandId
    })
    expect(lost.sort()).toEqual(commands.map(({ id }) => id).sort())
    await until("the stream ends", () => stream.ended())
    for (const credential of [{ key }, { session }]) {
      expect((await hub.request("GET", "/api/v1/me", credential)).status).toBe(401)
      const call = { ...credential, body: {}, headers: { "idempotency-key": "k1" } }
      expect((await hub.request("POST", `/api/v1/daemons/${daemonId}/command`, { ...call, body })).status).toBe(401)
      expect((await hub.request("POST", "/api/v1/daemons/enroll", call)).status).toBe(401)
      expect((await hub.request("POST", "/api/v1/auth/refresh", { ...credential, body: {} })).status).toBe(401)
    }
    expect(other.socket.readyState).toBe(other.socket.OPEN)
    await enable(account)
    expect((await hub.request("GET", "/api/v1/me", { session })).status).toBe(200)
    const back = await connectDaemon(hub, token)
    const repeated = { key, body, headers: { "idempotency-key": "k1" } }
    expect(await hub.request("POST", `/api/v1/daemons/${daemonId}/command`, repeated)).toMatchObject({ status: 503 })
    expect(back.frames.filter(({ type }) => type === "command")).toEqual([])
    for (const one of [back, other]) await one.leave()
  })

  it("P89: has its daemons refused with 403 or 4423 and told a time of its own, and let in once it is enabled", async () => {
    const { peer, account, token, connect } = await connectedDaemon(hub)
    await disable(account)
    const told = afterOf((await peer.closed).reason)
    const refused = await openDaemon(hub, token)
    expect((await refused.nextFrame("auth_error")).data).toEqual({ reason: "account_disabled" })
    const { code, reason } = await refused.closed
    expect([code, afterOf(reason)]).toEqual([4423, told])
    const { status, headers, body } = await upgraded(token)
    expect([status, JSON.parse(body).reason]).toEqual([403, "ACCOUNT_DISABLED"])
    expect(Number(headers.get("retry-after-ms"))).toBe(told)
    expect(Number(headers.get("retry-after"))).toBe(Math.ceil(told / 1_000))
    await enable(account)
    await (await connect()).leave()
  })

  it("has none of its events taken or acknowledged: its daemon sends them again, and each is delivered once", async () => {
    const one = await hook(hub, receiver.url("/events"))
    const { token } = await one.account.daemonToken()
    const daemon = await connectDaemon(hub, token)
    const event = (id: string) => ({ id, event: "agent:stopped", targetSessionId: "s", timestamp: 5 })
    daemon.send("status_event", event("before"))
    await daemon.nextFrame("event_ack")
    // in one batch with the order to close
    daemon.send("status_event", event("with"))
    await disable(one.account)
    daemon.send("status_event", event("after"))
    await daemon.closed
    expect(await one.dispatch()).toBe(false)
    const acked = daemon.frames.filter(({ type }) => type === "event_ack").flatMap(({ data }) => data.ids as string[])
    await enable(one.account)
    const back = await connectDaemon(hub, token)
    for (const id of ["with", "after"]) {
      if (!acked.includes(id)) back.send("status_event", event(id))
    }
    await untilAt("/events", 5)
    await back.leave()
    await untilAt("/events", 6)
    const told = receiver.at("/events").map(({ body }) => body.event)
    const stopped = Array(3).fill("agent:stopped")
    // that its daemon was sent away is told to nobody
    expect(told.sort()).toEqual([...stopped, "daemon:connect", "daemon:connect", "daemon:disconnect"])
  })

  it("is found by the store where nobody told the hub, as by a command on the store without Redis", async () => {
    const one = await hook(hub, receiver.url("/untold"))
    await failing(one, "/untold")
    const { token } = await one.account.daemonToken()
    const daemon = await connectDaemon(hub, token)
    await untilAt("/untold", 2)
    const set = (is: boolean) =>
      hub.inside(Effect.flatMap(Accounts, (accounts) => accounts.setDisabled(one.account.accountId, is)))
    await set(true)
    await until("its daemon is closed", async () => {
      await hub.advance(indexPollMillis)
      return daemon.socket.readyState === daemon.socket.CLOSED
    })
    expect((await daemon.closed).code).toBe(4423)
    expect((await hub.request("GET", "/api/v1/me", { key: one.key })).status).toBe(401)
    expect((await (await openDaemon(hub, token)).closed).code).toBe(4423)
    const before = receiver.at("/untold").length
    receiver.react("/untold", 200)
    await hub.advance(600 * second)
    expect(receiver.at("/untold")).toHaveLength(before)
    await set(false)
    await untilAt("/untold", before + 2)
    await (await connectDaemon(hub, token)).leave()
  })

  it("stays so over a restart of the hub", async () => {
    const one = await hook(hub, receiver.url("/restart"))
    await failing(one, "/restart")
    const { token } = await one.account.daemonToken()
    await disable(one.account)
    await hub.restart()
    receiver.react("/restart", 200)
    await hub.advance(60 * second)
    expect(receiver.at("/restart")).toHaveLength(1)
    expect((await (await openDaemon(hub, token)).closed).code).toBe(4423)
    await enable(one.account)
    await untilAt("/restart", 2)
  })
})
