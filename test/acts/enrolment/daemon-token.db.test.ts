/** Daemons over a whole hub: what survives a restart, and which may connect after enrol, disconnect and revoke. */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { openEvents } from "../../support/event-stream.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"
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

it("says in the problems of a daemon that a machine of another name has taken its place, of the same name nothing", async () => {
  const { daemonId, token } = await account.daemonToken()
  const one = await connectDaemon(hub, token, { auth: { hostname: "build-1" }, report: [] })
  const same = await connectDaemon(hub, token, { auth: { hostname: "build-1" }, report: [] })
  await until("the report is read", async () => (await status(daemonId)).observedAt !== null)
  expect((await status(daemonId)).problems).toEqual([])
  const stream = await openEvents(hub, person, "?event=daemon:identity_copied")
  onTestFinished(stream.close)
  const copy = await connectDaemon(hub, token, { auth: { hostname: "build-2" }, report: [] })
  await until("who asked for the event is told", () => stream.text().includes("daemon:identity_copied"))
  expect(stream.text()).toMatch(/"hostname":"build-2",.*"formerHostname":"build-1"/u)
  const [problem] = (await status(daemonId)).problems
  expect(problem).toMatchObject({ at: "auth.hostname", reason: expect.stringContaining("--fresh-identity") })
  copy.report([{ id: "s1", providerType: "p", kind: "agent", transport: "acp", status: "idle" }])
  await until("the report is read", async () => (await status(daemonId)).sessions.length === 1)
  expect((await status(daemonId)).problems).toHaveLength(1)
  await Promise.all([one.closed, same.closed, copy.leave()])
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
