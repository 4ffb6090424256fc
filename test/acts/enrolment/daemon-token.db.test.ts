/** Daemons over a whole hub: what survives a restart, and which may connect after enrol, disconnect and revoke. */
import { beforeAll, describe, expect, it } from "vitest"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"
import { ide, session } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

const hub = useHub()
let account: TestAccount
let person: string
beforeAll(async () => {
  account = await hub.account()
  person = await account.session()
})

const status = async (daemonId: string) =>
  (await hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { session: person })).body
const post = (path: string, body?: unknown) =>
  hub.request("POST", `/api/v1/daemons/${path}`, { session: person, ...(body === undefined ? {} : { body }) })
const closeCode = async (token: string): Promise<number> => (await (await openDaemon(hub, token)).closed).code

it("P55: disconnects a daemon with 4404, which may come back with the same token", async () => {
  const { daemonId, token } = await account.daemonToken()
  const peer = await connectDaemon(hub, token)
  expect((await post(`${daemonId}/disconnect`)).body).toEqual({ success: true, wasConnected: true })
  expect((await peer.closed).code).toBe(4404)
  await until("it is gone", async () => (await status(daemonId)).online === false)
  expect((await post(`${daemonId}/disconnect`)).body).toEqual({ success: true, wasConnected: false })
  const again = await connectDaemon(hub, token)
  expect(again.accepted.data.daemonId).toBe(daemonId)
  await again.leave()
})

it("P56: revokes a token for ever with 4403, again with the same answer, until the daemon is enrolled anew", async () => {
  const { daemonId, token } = await account.daemonToken()
  const peer = await connectDaemon(hub, token)
  expect((await post(`${daemonId}/revoke`)).body).toEqual({ success: true, wasConnected: true })
  expect((await peer.closed).code).toBe(4403)
  expect(await closeCode(token)).toBe(4403)
  expect((await post(`${daemonId}/revoke`)).body).toEqual({ success: true, wasConnected: false })
  expect(await status(daemonId)).toMatchObject({ online: false, revoked: true })
  const { body } = await post("enroll", { daemonId })
  expect(body.daemonId).toBe(daemonId)
  const back = await connectDaemon(hub, body.token)
  expect(back.accepted.data.daemonId).toBe(daemonId)
  expect(await closeCode(token)).toBe(4403)
  await back.leave()
})

it("sees a launched session under every id that means it, and chats with it", async () => {
  const { daemonId, token } = await account.daemonToken()
  const peer = await connectDaemon(hub, token, { report: [ide("w", { cdpConnected: true }), session("s1")] })
  await until("its sessions are known", async () => (await status(daemonId)).sessions.length === 2)
  peer.answerWith(({ type, payload, targetSessionId }) => ({ type, payload, targetSessionId }))
  const list = (await hub.request("GET", "/api/v1/daemons", { session: person })).body.daemons
  const found = list.find((one: { id: string }) => one.id === daemonId)
  expect(found).toMatchObject({ cdpConnected: true, ides: [{ id: `${daemonId}:ide:cursor` }] })
  for (const [target, id] of [
    [found.ides[0].id, "w"],
    [found.clis[0].id, "s1"],
    [`${daemonId}:session:s1`, "s1"]
  ]) {
    const sent = await hub.request("POST", `/api/v1/shortcuts/${target}/chat`, {
      session: person,
      body: { message: "hi" }
    })
    expect(sent.body).toMatchObject({ success: true, result: { type: "send_chat", targetSessionId: id } })
  }
  await peer.leave()
})

it("knows a daemon's last state after a restart", async () => {
  const { daemonId, token } = await account.daemonToken()
  const peer = await connectDaemon(hub, token, { report: [{ ...session("s1"), workspace: "/src/app" }] })
  await until("its session is known", async () => (await status(daemonId)).sessions.length === 1)
  await peer.leave()
  await until("it is offline", async () => (await status(daemonId)).online === false)
  await hub.restart()
  expect(await status(daemonId)).toMatchObject({
    online: false,
    hostname: "daemon",
    sessions: [{ id: "s1", workspace: { name: "app", path: "/src/app" } }],
    clis: [{ id: `${daemonId}:cli:codex-cli` }]
  })
  const listed = await hub.request("GET", "/api/v1/daemons?include=offline", { session: person })
  expect(listed.body.daemons.map((one: { id: string }) => one.id)).toContain(daemonId)
})

const enrolledAgain = async () => {
  const mine = await ownedDaemon(hub)
  const session = await mine.account.session()
  const again = async (): Promise<string> => {
    const { status, body } = await hub.request("POST", "/api/v1/daemons/enroll", {
      session,
      body: { daemonId: mine.daemonId }
    })
    expect([status, body.daemonId]).toEqual([201, mine.daemonId])
    return body.token
  }
  return { ...mine, again }
}

describe("a daemon that is enrolled again", () => {
  it("P82: goes on with its token until the new one is used: what was lost on the way locks nobody out", async () => {
    const { token, again } = await enrolledAgain()
    const before = await connectDaemon(hub, token)
    for (let lost = 0; lost < 6; lost++) await again()
    expect(before.socket.readyState).toBe(before.socket.OPEN)
    await before.cut()
    await (await connectDaemon(hub, token)).leave()
  })

  it("P83: ends its older tokens by the first use of the new one: refused from then on, and closed with 4403", async () => {
    const { token, again } = await enrolledAgain()
    const renewed = await again()
    const before = await connectDaemon(hub, token)
    const after = await connectDaemon(hub, renewed)
    expect((await before.closed).code).toBe(4403)
    const refused = await openDaemon(hub, token)
    expect((await refused.nextFrame("auth_error")).data).toMatchObject({ reason: "token_revoked" })
    expect((await refused.closed).code).toBe(4403)
    expect(after.socket.readyState).toBe(after.socket.OPEN)
    await after.leave()
  })
})
