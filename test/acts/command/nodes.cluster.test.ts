/** Two nodes on one Postgres and one Redis, as callers and daemons see them. */
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/domain/ids.ts"
import { deleteAccount } from "../../support/accounts.ts"
import { bare, daemonRoutes, targetRoutes } from "../../support/daemon-routes.ts"
import { openEvents } from "../../support/event-stream.ts"
import type { TestHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"
import { session as sessionOn } from "../../support/snapshots.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"
import { startReceiver } from "../../support/webhook-receiver.ts"

describe("two hubs that are one", () => {
  const hubs = useTwoHubs()
  const { one, other } = hubs

  it("list, show and command a daemon of the other", async () => {
    const { account, key } = await one.withKey(["ide:read", "ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const daemon = await connectDaemon(one, token, { report: [] })
    daemon.answerWith(() => ({ from: "one" }))
    await until("the other lists it", async () => {
      const { body } = await other.request("GET", "/api/v1/daemons", { key })
      return (body as { daemons: ReadonlyArray<{ id: string }> }).daemons.some(({ id }) => id === daemonId)
    })
    expect(await other.request("GET", `/api/v1/daemons/${daemonId}/status`, { key })).toMatchObject({
      status: 200,
      body: { id: daemonId, online: true }
    })
    const path = `/api/v1/daemons/${daemonId}/command`
    const asked = { key, body: { type: "read_chat", payload: {} } }
    expect(await other.request("POST", path, asked)).toMatchObject({
      status: 200,
      body: { success: true, result: { from: "one" } }
    })
    const stranger = await (await other.account()).key(["ide:read", "ide:control"])
    expect(await other.request("POST", path, { ...asked, key: stranger })).toMatchObject({ status: 404 })
    await daemon.leave()
  })

  it("tell a change of an agent across a move to the other", async () => {
    const receiver = await startReceiver()
    const hooked = await hook(one, receiver.url("/moved"), ["agent:status"])
    const { token } = await hooked.account.daemonToken()
    const before = await connectDaemon(one, token, { report: [sessionOn("s", { status: "idle" })] })
    before.report([sessionOn("s", { status: "generating" })])
    const sent = () => receiver.at("/moved").map(({ body }) => body)
    await until("the first is told", () => sent().length === 1)
    const after = await connectDaemon(other, token, { report: [sessionOn("s", { status: "error" })] })
    await until("the change is told", () => sent().length === 2)
    expect(sent()[1]!.payload.agents).toMatchObject([{ status: "error", previousStatus: "generating" }])
    await after.leave()
    await receiver.close()
  })

  it("keep one connection a daemon, the newest, whichever they were made to", async () => {
    const account = await one.account()
    const { daemonId, token } = await account.daemonToken()
    const older = await connectDaemon(one, token, { report: [] })
    const newer = await connectDaemon(other, token, { report: [] })
    expect((await older.closed).code).toBe(4409)
    const session = await account.session()
    const path = `/api/v1/daemons/${daemonId}/revoke`
    expect(await one.request("POST", path, { session })).toMatchObject({ body: { success: true, wasConnected: true } })
    expect((await newer.closed).code).toBe(4403)
  })

  it("tell nobody of a daemon of another account, whichever of them it is on", async () => {
    const [mine, theirs] = [await one.account(), await other.account()]
    const session = await mine.session()
    const { daemonId, token } = await theirs.daemonToken()
    const daemon = await connectDaemon(one, token, { report: [sessionOn("s1")] })
    const key = await theirs.key(["ide:read"])
    const path = `/api/v1/daemons/${daemonId}/status`
    await until("its own account sees it from the other", async () => {
      const { body } = await other.request("GET", path, { key })
      return (body as { sessions?: ReadonlyArray<unknown> }).sessions?.length === 1
    })
    const unknown = newId("daemon")
    for (const hub of [one, other]) {
      // the routes of a group look a daemon up alike
      for (const { method, path, body } of [...daemonRoutes.slice(0, 2), ...targetRoutes.slice(0, 2)]) {
        const ask = async (id: string) =>
          bare(await hub.request(method, path(id), { session, ...(body === undefined ? {} : { body }) }))
        for (const tail of ["", ":cli:codex-cli", ":session:s1"]) {
          const expected = await ask(unknown + tail)
          expect(expected.status).toBe(404)
          expect(await ask(daemonId + tail)).toEqual(expected)
        }
      }
      const list = await hub.request("GET", "/api/v1/daemons?include=offline", { session })
      expect(list.body).toEqual({ daemons: [] })
    }
    expect(daemon.frames.filter(({ type }) => type === "command")).toEqual([])
    expect(daemon.socket.readyState).toBe(daemon.socket.OPEN)
    await daemon.leave()
  })

  it("pass a large result on as the daemon wrote it, whichever of them is asked, five at once too", async () => {
    const { account, key } = await one.withKey(["ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const daemon = await connectDaemon(one, token, { report: [] })
    const ask = async (hub: TestHub, result: string): Promise<string> => {
      const asked = fetch(`${hub.url}/api/v1/daemons/${daemonId}/command`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ type: "read_chat", payload: { text: "z".repeat(100_000) } })
      })
      const { id } = await daemon.nextCommand()
      daemon.socket.send(`{"type":"command_result","data":{"id":"${id}","success":true,"result":${result}}}`)
      const answer = await asked
      return answer.status === 200 ? await answer.text() : `${answer.status}`
    }
    const odd = `{"i":1.50,"n":-0,"2":1.0,"1":12345678901234567890,"a":"\\/${"y".repeat(70_000)}","a" : []}`
    for (const hub of [one, other]) expect(await ask(hub, odd)).toContain(`"result":${odd},`)
    const large = `{"a":"${"y".repeat(8_000_000)}"}`
    for (const text of await Promise.all(Array.from({ length: 5 }, () => ask(other, large)))) {
      expect([text.length > large.length, text.slice(0, 40)]).toEqual([
        true,
        '{"success":true,"result":{"a":"yyyyyyyyy'
      ])
    }
    await daemon.leave()
  })

  it("end a command as lost when its daemon is revoked on the way, wherever each of them came to", async () => {
    const { account, key } = await one.withKey(["ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const daemon = await connectDaemon(one, token, { report: [] })
    const asked = { key, body: { type: "read_chat", payload: {} } }
    const answer = other.request("POST", `/api/v1/daemons/${daemonId}/command`, asked)
    await daemon.nextCommand()
    const session = await account.session()
    const revoked = await other.request("POST", `/api/v1/daemons/${daemonId}/revoke`, { session })
    expect(revoked.body).toEqual({ success: true, wasConnected: true })
    expect(await answer).toMatchObject({ status: 503, body: { reason: "DAEMON_SOCKET_LOST" } })
    expect((await daemon.closed).code).toBe(4403)
    const back = await openDaemon(other, token)
    expect((await back.closed).code).toBe(4403)
  })

  it("end an open stream whose key or session ends on the other, and tell a stream of its own account only", async () => {
    const [account, stranger] = [await one.account(), await one.account()]
    const { key, keyId } = await account.keyRecord(["ide:read"])
    const [session, deleting] = [await account.session(), await account.session()]
    const [byKey, bySession, strange] = [
      await openEvents(other, key),
      await openEvents(other, session),
      await openEvents(other, await stranger.session())
    ]
    const { daemonId, token } = await account.daemonToken()
    const daemon = await connectDaemon(one, token, { report: [] })
    await until("the streams tell of it", () => [byKey, bySession].every(({ text }) => text().includes(daemonId)))
    await one.request("DELETE", `/api/v1/api-keys/${keyId}`, { session: deleting })
    await until("that of the key ends", () => byKey.ended())
    expect(bySession.ended()).toBe(false)
    await one.request("POST", "/api/v1/auth/logout", { session })
    await until("that of the session ends", () => bySession.ended())
    expect([strange.ended(), strange.text().includes("data:")]).toEqual([false, false])
    strange.close()
    await daemon.leave()
  })

  it("remove a daemon of the other once it is offline, and know it no more on either", async () => {
    const { account, session } = await one.signedIn()
    const { daemonId, token } = await account.daemonToken()
    const path = `/api/v1/daemons/${daemonId}`
    const daemon = await connectDaemon(one, token, { report: [] })
    expect(await other.request("DELETE", path, { session })).toMatchObject({
      status: 409,
      body: { reason: "DAEMON_ONLINE" }
    })
    expect(daemon.socket.readyState).toBe(daemon.socket.OPEN)
    // the other remembers its token
    const newer = await connectDaemon(other, token, { report: [] })
    expect((await daemon.closed).code).toBe(4409)
    await newer.leave()
    await until("it is offline for both", async () => {
      const all = await Promise.all([one, other].map((hub) => hub.request("GET", `${path}/status`, { session })))
      return all.every(({ body }) => body.online === false)
    })
    expect(await one.request("DELETE", path, { session })).toMatchObject({ status: 200, body: { id: daemonId } })
    for (const hub of [one, other]) {
      expect((await hub.request("GET", `${path}/status`, { session })).status).toBe(404)
      expect((await hub.request("DELETE", path, { session })).status).toBe(404)
      expect((await (await openDaemon(hub, token)).closed).code).toBe(4401)
    }
  })

  it("end on both what an account had on either, once it is removed on one", async () => {
    const account = await one.account()
    const [key, session] = [await account.key(["ide:read"]), await account.session()]
    const daemons = [await account.daemonToken(), await account.daemonToken()] as const
    const sockets = [await connectDaemon(one, daemons[0].token), await connectDaemon(other, daemons[1].token)]
    for (const hub of [one, other]) {
      for (const credential of [{ key }, { session }])
        expect((await hub.request("GET", "/api/v1/me", credential)).status).toBe(200)
    }
    const stream = await openEvents(other, key)
    await deleteAccount(one, account.email)
    for (const socket of sockets) expect((await socket.closed).code).toBe(4403)
    await until("the stream ends", () => stream.ended())
    for (const hub of [one, other]) {
      await until("the credentials are refused", async () => {
        const all = await Promise.all([{ key }, { session }].map((one) => hub.request("GET", "/api/v1/me", one)))
        return all.every(({ status }) => status === 401)
      })
      for (const { token } of daemons) expect((await (await openDaemon(hub, token)).closed).code).toBe(4401)
    }
  })
})
