/** What agents of an account wait on: listed from what daemons report, answered once, told as events. */
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { AuditLog } from "../../../actors/audit-log/audit-log.ts"
import { approvalsPageCharsMax } from "../../../src/limits/approvals.ts"
import { ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { openEvents } from "../../support/event-stream.ts"
import { useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

const api = "/api/v1/approvals"
const asks = (promptId: string | undefined, more: Readonly<Record<string, unknown>> = {}) => ({
  status: "waiting_approval",
  activeModal: { ...(promptId && { promptId }), message: "Push?", buttons: ["Yes", "No"], ...more }
})

describe("approvals", () => {
  const hub = useHub()
  const scene = async (sessions: ReadonlyArray<unknown>, auth: Readonly<Record<string, unknown>> = {}) => {
    const mine = await ownedDaemon(hub)
    const session = await mine.account.session()
    const peer = await mine.connect({ auth, report: sessions })
    const list = async (query = "") => (await mine.get(`${api}${query}`)).body.approvals
    await until("the questions are there", async () => (await list()).length === sessions.length)
    const stream = await openEvents(hub, mine.key, "?event=approval:requested,approval:resolved")
    onTestFinished(stream.close)
    const events = (): ReadonlyArray<{ event: string; payload: Record<string, unknown> }> =>
      [...stream.text().matchAll(/^data: (\{"event":"approval.*)$/gmu)].map((found) => JSON.parse(found[1]!))
    const happened = (event: string) => until(event, () => events().find((one) => one.event === event)?.payload)
    return {
      ...mine,
      session,
      peer,
      list,
      events,
      happened,
      resolve: (id: string, body: unknown) => mine.post(`${api}/${id}`, body)
    }
  }

  it("are those of all daemons, the oldest first, in pages, as far as a key may see them", async () => {
    const mine = await scene([reported("s2", asks("p2", { askedAt: 2 })), reported("s1", asks("p1", { askedAt: 1 }))], {
      tags: { env: "prod" }
    })
    const other = await ownedDaemon(hub)
    expect((await other.get(api)).body).toMatchObject({ approvals: [], total: 0 })
    expect((await mine.list()).map(({ promptId }: { promptId: string }) => promptId)).toEqual(["p1", "p2"])
    expect(await mine.list("?selector=env%3Dprod&state=pending")).toHaveLength(2)
    expect(await mine.list("?selector=!env")).toEqual([])
    const first = (await mine.get(`${api}?limit=1`)).body
    expect(first).toMatchObject({ total: 2, approvals: [{ promptId: "p1" }] })
    const second = (await mine.get(`${api}?limit=1&cursor=${first.nextCursor}`)).body
    expect(second.approvals).toMatchObject([{ promptId: "p2" }])
    expect(second.nextCursor).toBeUndefined()
    const made = { name: "bound", scopes: ["agent:read", "agent:control"], expiresAt: null, selector: "!env" }
    const { key: bound } = (await hub.request("POST", "/api/v1/api-keys", { session: mine.session, body: made })).body
    expect((await hub.request("GET", api, { key: bound })).body.approvals).toEqual([])
    const { approvalId } = first.approvals[0]
    const decision = { decision: "approve" }
    for (const key of [bound, other.key])
      expect(await hub.request("POST", `${api}/${approvalId}`, { key, body: decision })).toMatchObject({ status: 404 })
    expect(await mine.resolve("apr_none", decision)).toMatchObject({ status: 404 })
    await mine.peer.leave()
    await until("they go with their daemon", async () => (await mine.list()).length === 0)
  })

  it("are in shorter pages where they are long", async () => {
    const { get, peer } = await scene([])
    const message = "x".repeat(approvalsPageCharsMax / 2)
    peer.report(["p1", "p2", "p3"].map((id, at) => reported(id, asks(id, { message, askedAt: at }))))
    const page = (query = "") => get(`${api}${query}`).then(({ body }) => body)
    await until("the questions are there", async () => (await page("?limit=1")).total === 3)
    const { approvals, nextCursor } = await page()
    expect(approvals.map(({ promptId }: { promptId: string }) => promptId)).toEqual(["p1", "p2"])
    const rest = await page(`?cursor=${nextCursor}`)
    expect(rest).toMatchObject({ total: 3, approvals: [{ promptId: "p3", title: message }] })
    expect(rest.nextCursor).toBeUndefined()
    await peer.leave()
  })

  it("P132: are answered once, by whoever is first, also where the daemon gives no name", async () => {
    const { account, list, peer, resolve, key, happened } = await scene([reported("s1", asks(undefined))])
    const [{ approvalId, promptId }] = await list()
    const first = resolve(approvalId, { decision: "approve", promptId })
    const command = await peer.nextCommand()
    expect(command).toMatchObject({
      type: "resolve_action",
      targetSessionId: "s1",
      payload: { action: "approve", by: "key" }
    })
    expect(command.payload).not.toHaveProperty("promptId")
    const session = await account.session()
    const late = (body: unknown) => hub.request("POST", `${api}/${approvalId}`, { session, body })
    const { id } = (await hub.request("GET", "/api/v1/api-keys", { session })).body.apiKeys[0]
    const by = { kind: "key", id }
    expect(await late({ decision: "reject" })).toMatchObject({
      status: 409,
      body: { reason: "ALREADY_RESOLVED", by, decision: "approve" }
    })
    command.succeed({})
    expect(await first).toMatchObject({ status: 200, body: { success: true, approvalId, decision: "approve" } })
    peer.report([reported("s1")])
    expect(await happened("approval:resolved")).toMatchObject({ approvalId, by: "key", decision: "approve", count: 1 })
    expect(await late({ decision: "reject" })).toMatchObject({ status: 409, body: { by, decision: "approve" } })
    // the same words again are another question
    peer.report([reported("s1", asks(undefined))])
    const next = await until("the next question", async () => (await list())[0])
    expect(next.approvalId).not.toBe(approvalId)
    expect(await late({ decision: "approve" })).toMatchObject({ status: 409 })
    const shortcut = hub.request("POST", `/api/v1/shortcuts/${peer.accepted.data.daemonId}:session:s1/approve`, {
      key,
      body: { action: "approve", promptId }
    })
    expect(await shortcut).toMatchObject({ status: 409, body: { reason: "PROMPT_CHANGED" } })
    await peer.leave()
  })

  it("that a daemon refuses are left to the next, and one that changes meanwhile is not answered", async () => {
    const { list, peer, resolve } = await scene([reported("s1", asks("p1"))])
    const [{ approvalId }] = await list()
    const refused = resolve(approvalId, { decision: "always" })
    ;(await peer.nextCommand()).refuse("it offers no such choice")
    expect(await refused).toMatchObject({ status: 200, body: { success: false } })
    expect(await resolve(approvalId, { decision: "approve", promptId: "p0" })).toMatchObject({
      body: { reason: "PROMPT_CHANGED" }
    })
    const again = resolve(approvalId, { decision: "approve" })
    ;(await peer.nextCommand()).refuse("it asks something else by now", "prompt_changed")
    expect(await again).toMatchObject({ status: 409, body: { reason: "PROMPT_CHANGED" } })
    for (const body of [{}, { decision: "approve", optionId: "x" }, { optionId: "x" }])
      expect(await resolve(approvalId, body)).toMatchObject({ status: 400 })
    await peer.leave()
  })

  it("P131: have what the daemon says of them, and are answered by an option", async () => {
    const options = [{ optionId: "once", name: "Yes", kind: "allow_once" }]
    const about = { askedAt: 5, expiresAt: 9, subject: { action: "execute", resource: "git push" }, options }
    const { list, peer, resolve, events } = await scene([reported("s1", asks("p1", about))])
    const [approval] = await list()
    const { askedAt: _, ...shown } = about
    expect(approval).toMatchObject({ ...shown, requestedAt: 5, title: "Push?", sessionId: "s1" })
    const answer = resolve(approval.approvalId, { optionId: "once", message: "go on" })
    const { payload, succeed } = await peer.nextCommand()
    expect(payload).toEqual({ optionId: "once", promptId: "p1", message: "go on", by: "key" })
    succeed({})
    expect((await answer).body).toMatchObject({ success: true, decision: "once" })
    peer.report([reported("s1", asks("p2", about))])
    await until("both events", () => events().length === 2)
    expect(events().map(({ event, payload }) => [event, payload["promptId"]])).toEqual([
      ["approval:resolved", "p1"],
      ["approval:requested", "p2"]
    ])
    expect(events()[1]!.payload).toMatchObject({ title: "Push?", subject: about.subject, requestedAt: 5, expiresAt: 9 })
    await peer.leave()
  })

  it("P130: that a policy decided are told with its rule, and counted by it in the audit log", async () => {
    const { peer, session, events, happened } = await scene([reported("s1", asks("p1"))])
    const decided = {
      event: "approval:resolved",
      timestamp: 5,
      targetSessionId: "s1",
      by: "policy",
      decision: "reject"
    }
    peer.send("status_event", { ...decided, id: "e1", promptId: "p0", rule: "all/2", count: 3 })
    expect(await peer.nextFrame("event_ack")).toMatchObject({ data: { ids: ["e1"] } })
    expect(await happened("approval:resolved")).toMatchObject({ by: "policy", rule: "all/2", count: 3, promptId: "p0" })
    // one that was shown is told with the report in which it is gone
    peer.send("status_event", { ...decided, id: "e2", promptId: "p1" })
    peer.report([reported("s1")])
    await until("the second", () => events().length === 2)
    expect(events()[1]!.payload).toMatchObject({ by: "policy", promptId: "p1", decision: "reject", count: 1 })
    await hub.inside(Effect.flatMap(AuditLog, (log) => log.flush))
    const { events: rows } = (await hub.request("GET", "/api/v1/audit?action=approval.decided", { session })).body
    expect(
      rows
        .map(({ detail, count, actor }: { detail: string; count: number; actor: { kind: string } }) => [
          detail,
          count,
          actor.kind
        ])
        .sort()
    ).toEqual([
      ["reject by all/2", 3, "policy"],
      ["reject by default", 1, "policy"]
    ])
    await peer.leave()
  })

  it("P133: end with the turn that is interrupted", async () => {
    const { key, peer, daemonId } = await scene([reported("s1", asks("p1"))])
    const asked = hub.request("POST", `/api/v1/shortcuts/${daemonId}:session:s1/interrupt`, { key, body: {} })
    const command = await peer.nextCommand()
    expect(command).toMatchObject({ type: "interrupt", targetSessionId: "s1" })
    command.succeed({ status: "idle" })
    expect(await asked).toMatchObject({ status: 200, body: { success: true } })
    const reading = await hub.request("POST", `/api/v1/shortcuts/${daemonId}:session:s1/interrupt`, {
      key: await (await ownedDaemon(hub)).account.key(["agent:control"]),
      body: {}
    })
    expect(reading.status).toBe(404)
    await peer.leave()
  })
})
