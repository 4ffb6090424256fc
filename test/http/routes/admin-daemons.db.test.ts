/** The daemons of all accounts, as an administrator sees and sends them away. */
import { beforeAll, describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import type { AdminRequest } from "../../../src/admin/requests.ts"
import { close } from "../../../src/protocol/close.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const path = "/api/v1/admin/daemons"

describe("an administrator", () => {
  const hub = useHub({ settings: { disconnectGraceMillis: 0 } })
  let owner: TestAccount
  let session: string
  beforeAll(async () => {
    owner = await hub.account()
    session = await (await hub.account({ admin: true })).session()
  })

  const list = async (query: string) => (await hub.request("GET", `${path}?${query}`, { session })).body
  const show = async (id: string) => (await hub.request("GET", `${path}/${id}`, { session })).body
  const operate = async (request: AdminRequest) => {
    const answer = await hub.inside(perform(request))
    if (!answer.ok) throw new Error(answer.refusal)
    return answer.answer
  }

  it("sees a daemon of another account, and why it went", async () => {
    const { daemonId, token } = await owner.daemonToken()
    const daemon = await connectDaemon(hub, token, { auth: { version: "9.1.2" } })
    const found = await until("it is listed", async () => (await list("version=9.1.2&online=true")).daemons[0])
    expect(found).toMatchObject({
      id: daemonId,
      account: { id: owner.accountId, email: owner.email, disabled: false },
      node: expect.stringContaining("node_"),
      lastEndReason: null
    })
    await daemon.leave()
    const gone = await until("it is gone", async () => {
      const one = await show(daemonId)
      return one.online === false ? one : undefined
    })
    expect(gone).toMatchObject({ node: null, lastEndReason: "closed", lastCloseCode: 1_000, epoch: 1, tokens: 1 })
    const ended = `account=${encodeURIComponent(owner.email)}&closeReason=closed&closeCode=1000`
    expect((await list(ended)).daemons.map(({ id }: { id: string }) => id)).toContain(daemonId)
    expect((await list("account=nobody@example.org")).daemons).toEqual([])
  })

  it("sees the code of a connection that was lost, once its grace has ended", async () => {
    const { daemonId, token } = await owner.daemonToken()
    const daemon = await connectDaemon(hub, token)
    daemon.socket.send("this is no frame")
    expect((await daemon.closed).code).toBe(close.frameInvalid.code)
    await until("its time online has ended", async () => (await show(daemonId)).lastEndReason === "timeout")
    expect(await show(daemonId)).toMatchObject({ lastCloseCode: close.frameInvalid.code, online: false })
  })

  it("sends a daemon of another account away, which may come back", async () => {
    const { daemonId, token } = await owner.daemonToken()
    const daemon = await connectDaemon(hub, token)
    const order = () => hub.request("POST", `${path}/${daemonId}/disconnect`, { session })
    expect(await order()).toMatchObject({ status: 200, body: { success: true, wasConnected: true } })
    expect((await daemon.closed).code).toBe(close.disconnected.code)
    const gone = await until("it is gone", async () => {
      const one = await show(daemonId)
      return one.lastEndReason === null ? undefined : one
    })
    expect(gone).toMatchObject({ lastEndReason: "disconnected", lastCloseCode: close.disconnected.code })
    expect(await order()).toMatchObject({ status: 200, body: { wasConnected: false } })
    const back = await connectDaemon(hub, token)
    expect((await operate({ op: "daemon disconnect", daemon: daemonId }))["wasConnected"]).toBe(true)
    expect((await back.closed).code).toBe(close.disconnected.code)
  })

  it("is in the owner's audit log with what was done to a daemon, and not with session or address", async () => {
    const { daemonId } = await owner.daemonToken()
    await hub.request("POST", `${path}/${daemonId}/disconnect`, { session })
    await operate({ op: "daemon disconnect", daemon: daemonId })
    const as = await owner.session()
    const logOf = async (reader: string) =>
      (await hub.request("GET", `/api/v1/audit?action=daemon.disconnected&object=${daemonId}`, { session: reader }))
        .body.events as ReadonlyArray<{ readonly actor: object; readonly address: string | null }>
    const told = await until("both are told", async () => {
      const events = await logOf(as)
      return events.length === 2 ? events : undefined
    })
    const noOwner = { person: null, serviceAccount: null }
    expect(told.map(({ actor, address }) => ({ actor, address }))).toEqual(
      expect.arrayContaining([
        { actor: { kind: "administrator", id: null, ...noOwner }, address: null },
        { actor: { kind: "command_line", id: null, ...noOwner }, address: null }
      ])
    )
    const [own] = await until("the administrator's own tells of it", async () => {
      const events = await logOf(session)
      return events.length > 0 ? events : undefined
    })
    expect(own).toMatchObject({ actor: { kind: "session", id: expect.any(String) }, address: expect.any(String) })
  })

  it("pages through them by a cursor of this list, and by no other", async () => {
    await Promise.all([owner.daemonToken(), owner.daemonToken()])
    const first = await list("limit=1")
    const second = await list(`limit=1&cursor=${first.nextCursor}`)
    expect(second.daemons[0].id > first.daemons[0].id).toBe(true)
    expect((await hub.request("GET", `${path}?cursor=none`, { session })).status).toBe(400)
    expect((await hub.request("GET", `${path}/none`, { session })).status).toBe(404)
    expect((await hub.request("POST", `${path}/none/disconnect`, { session })).status).toBe(404)
  })

  it("is one by the command line, at once, and no longer at once", async () => {
    const { account, session: mine } = await hub.signedIn()
    const status = async () => (await hub.request("GET", path, { session: mine })).status
    expect(await status()).toBe(403)
    await operate({ op: "account admin", account: account.email, admin: true })
    expect(await status()).toBe(200)
    await operate({ op: "account admin", account: account.accountId, admin: false })
    expect(await status()).toBe(403)
  })
})
