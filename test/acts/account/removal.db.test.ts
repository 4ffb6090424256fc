/** Permanent removal over HTTP and by an administrator, and what remains: nothing that admits a caller. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import type { AdminRequest } from "../../../src/admin/requests.ts"
import { Daemons } from "../../../src/store/daemons/daemons.ts"
import { deleteAccount } from "../../support/accounts.ts"
import { openEvents } from "../../support/event-stream.ts"
import { useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

describe("what is removed", () => {
  const hub = useHub()

  const operate = (request: AdminRequest) => hub.inside(perform(request))
  const refusal = async (request: AdminRequest) => {
    const answer = await operate(request)
    return answer.ok ? "it was done" : answer.refusal
  }
  const closeCode = async (token: string) => (await (await openDaemon(hub, token)).closed).code
  const owner = async () => {
    const { account, session } = await hub.signedIn()
    const daemon = await account.daemonToken()
    const path = `/api/v1/daemons/${daemon.daemonId}`
    return { account, session, ...daemon, remove: () => hub.request("DELETE", path, { session }), path }
  }

  it("is a daemon that is not connected: its id is 404 afterwards, its token unknown", async () => {
    const { session, daemonId, token, remove, path } = await owner()
    await (await connectDaemon(hub, token)).leave()
    await until("it is offline", async () => !(await hub.request("GET", `${path}/status`, { session })).body.online)
    expect(await remove()).toMatchObject({ status: 200, body: { success: true, id: daemonId } })
    expect(await remove()).toMatchObject({ status: 404, body: { reason: "NOT_FOUND" } })
    expect((await hub.request("GET", `${path}/status`, { session })).status).toBe(404)
    expect((await hub.request("POST", `${path}/terminal`, { session, body: { command: "ls" } })).status).toBe(404)
    expect((await hub.request("POST", `/api/v1/daemons/enroll`, { session, body: { daemonId } })).status).toBe(404)
    expect((await hub.request("GET", "/api/v1/daemons?include=offline", { session })).body).toEqual({ daemons: [] })
    expect(await closeCode(token)).toBe(4401)
  })

  it("is no daemon that is connected or was a moment ago: 409, and it goes on", async () => {
    const { token, remove } = await owner()
    const daemon = await connectDaemon(hub, token)
    expect(await remove()).toMatchObject({ status: 409, body: { reason: "DAEMON_ONLINE" } })
    await daemon.cut()
    expect((await remove()).status).toBe(409)
    const again = await connectDaemon(hub, token)
    expect(again.socket.readyState).toBe(again.socket.OPEN)
    await again.leave()
  })

  it("is by an administrator no connected daemon either, but one that was revoked, and once", async () => {
    const { session, daemonId, token } = await owner()
    const daemon = await connectDaemon(hub, token)
    const request = { op: "token delete", daemon: daemonId } as const
    const recorded = Effect.flatMap(Daemons, (store) => store.byId(daemonId))
    await until("it is recorded", async () => (await hub.inside(recorded))?.online === true)
    expect(await refusal(request)).toBe(
      `the daemon ${daemonId} is connected; revoke it first (hub token revoke ${daemonId})`
    )
    expect(daemon.socket.readyState).toBe(daemon.socket.OPEN)
    await operate({ op: "token revoke", daemon: daemonId })
    expect(await operate(request)).toMatchObject({ ok: true })
    expect(await refusal(request)).toBe(`there is no daemon ${daemonId}`)
    expect((await daemon.closed).code).toBe(4403)
    expect((await hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { session })).status).toBe(404)
  })

  it("is an account only when that is said twice, and what would go is named first", async () => {
    const { account, session } = await owner()
    await account.key(["ide:read"])
    const { accountId, email } = account
    expect(await refusal({ op: "account delete", account: email, yes: false })).toBe(
      `this would remove the account ${accountId} (${email}) for ever, with 1 daemon, 1 API key and 0 webhooks; say --yes to have it done`
    )
    expect((await hub.request("GET", "/api/v1/me", { session })).status).toBe(200)
  })

  it("is an account with all that lets anyone in: its daemons, keys, sessions and streams end at once", async () => {
    const { account, session, token } = await owner()
    const key = await account.key(["ide:read"])
    const [daemon, neighbour] = [await connectDaemon(hub, token), await owner()]
    const other = await connectDaemon(hub, neighbour.token)
    const stream = await openEvents(hub, key)
    await hook(hub, "http://127.0.0.1:9/", ["*"], account)
    await deleteAccount(hub, account.email)
    expect((await daemon.closed).code).toBe(4403)
    await until("the stream ends", () => stream.ended())
    for (const credential of [{ key }, { session }])
      expect((await hub.request("GET", "/api/v1/me", credential)).status).toBe(401)
    expect(await closeCode(token)).toBe(4401)
    expect(await refusal({ op: "account list", after: "nonsense" })).toBe("the list does not go on from there")
    expect(await refusal({ op: "account delete", account: account.email, yes: true })).toContain("there is no account")
    expect(other.socket.readyState).toBe(other.socket.OPEN)
    await other.leave()
  })
})
