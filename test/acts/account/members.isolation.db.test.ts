/** A person who is a member of two accounts, and each account as if there were no other. */
import { describe, expect, it } from "vitest"
import { openEvents } from "../../support/event-stream.ts"
import { type HubRequest, useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const api = "/api/v1"

describe("a member of two accounts", () => {
  const hub = useHub()
  const call = (method: string, path: string, options: HubRequest = {}) => hub.request(method, api + path, options)

  it("sees each as itself: ids, streams, replays, requests, audit, and a key of one", async () => {
    const [home, other] = [await hub.account(), await hub.account()]
    const session = await home.session()
    const body = { email: home.email, role: "admin" }
    const { token } = (await call("POST", "/invitations", { session: await other.session(), body })).body
    expect((await call("POST", "/auth/invitations/accept", { session, body: { token } })).status).toBe(200)
    const entered = (await call("POST", "/auth/switch", { session, body: { accountId: other.accountId } })).body.token
    const both = [session, entered]
    const streams = await Promise.all(both.map((one) => openEvents(hub, one)))
    const enrolled = await Promise.all(
      both.map((one) =>
        call("POST", "/daemons/enroll", { session: one, headers: { "idempotency-key": "same" }, body: { name: "x" } })
      )
    )
    const [mine, theirs] = enrolled.map((answer) => answer.body.daemonId as string)
    expect(enrolled.map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, null])
    for (const { body } of enrolled) await (await connectDaemon(hub, body.token, { report: [] })).leave()
    await until("each stream has its event", () => streams.every((one) => one.text().includes("daemon:connect")))
    expect(streams.map((one) => [mine, theirs].map((id) => one.text().includes(id!)))).toEqual([
      [true, false],
      [false, true]
    ])
    for (const one of streams) one.close()
    const texts = async (one: string) =>
      (
        await Promise.all(
          ["/audit", "/requests", "/api-keys", "/webhooks"].map((path) => call("GET", path, { session: one }))
        )
      )
        .map(({ text }) => text)
        .join()
    expect(
      [await texts(session), await texts(entered)].map((text) => [mine, theirs].map((id) => text.includes(id!)))
    ).toEqual([
      [true, false],
      [false, true]
    ])
    // only now: what one asks for is in their own request log a second later
    const hook = { url: "http://127.0.0.1:9/", events: ["daemon:connect"] }
    const made = (await call("POST", "/webhooks", { session: entered, body: hook })).body.id
    const [at, known] = [(path: string) => call("GET", path, { session }), `/webhooks/${made}/deliveries`]
    expect([(await at(`/daemons/${theirs}/status`)).status, (await at(known)).status]).toEqual([404, 404])
    const { body: pair } = await call("POST", "/auth/device", { body: { name: "d", scopes: ["ide:read"] } })
    await call("POST", "/auth/device/approve", { session: entered, body: { userCode: pair.userCode, joinKey: false } })
    const { key } = (await call("POST", "/auth/device/token", { body: { deviceCode: pair.deviceCode } })).body
    expect((await call("GET", "/daemons?include=offline", { key })).text).toContain(theirs)
    expect((await call("GET", `/daemons/${mine}/status`, { key })).status).toBe(404)
  })

  it("is told what an invitation is to before accepting it; of one that is used, as of none, nothing", async () => {
    const [home, other] = [await hub.account(), await hub.account()]
    const show = async (token: string) => {
      const { status, body } = await call("POST", "/auth/invitations/show", { body: { token } })
      const { requestId: _, ...rest } = body
      return { status, body: rest }
    }
    const invite = async (email: string) => {
      const body = { email, role: "operator", selector: "env=ci" }
      return (await call("POST", "/invitations", { session: await other.session(), body })).body
    }
    const { token, email, role, selector, expiresAt } = await invite(home.email)
    const told = { account: { id: other.accountId, email: other.email }, role, selector }
    expect(await show(token)).toEqual({ status: 200, body: { ...told, email, expiresAt, signsIn: true } })
    expect((await show((await invite("new@members.example")).token)).body).toMatchObject({ ...told, signsIn: false })
    await call("POST", "/auth/invitations/accept", { session: await home.session(), body: { token } })
    const used = await show(token)
    expect(used).toEqual(await show(`hubi_${"0".repeat(36)}`))
    expect(used).toMatchObject({ status: 404, body: { reason: "NOT_FOUND" } })
  })
})
