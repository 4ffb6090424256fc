/** docs/daemon-protocol.md: what does not fit, and frames as daemons in the field send them. */
import { describe, expect, it } from "vitest"
import { inTurn, ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"
import { startReceiver } from "../../support/webhook-receiver.ts"

const hub = useHub({ virtual: true })

/** A top-level session as a daemon in the field reports it: with null for all that it does not know. */
const inTheField = {
  id: "5c0f2f4e-7f0c-4d4b-9a32-1b9d5f0e8a11",
  parentId: null,
  providerType: "goose-acp",
  providerName: null,
  providerSessionId: null,
  kind: "agent",
  transport: "acp",
  status: "idle",
  title: null,
  workspace: "/w/app",
  cdpConnected: null,
  summaryMetadata: null,
  providerControls: null,
  controlValues: null,
  activeModal: null,
  surfaceHidden: null,
  muted: null
}
const workspacesInTheField = [{ id: "ws_1", path: "/w/app", label: "app", addedAt: 1_790_000_000_000 }]
const providersInTheField = [
  {
    type: "goose-acp",
    category: "acp",
    displayName: "Goose",
    icon: "g",
    installed: null,
    detectedPath: null,
    enabled: true
  }
]

const reporting = async (report: Readonly<Record<string, unknown>>, auth: Readonly<Record<string, unknown>> = {}) => {
  const mine = await ownedDaemon(hub)
  const peer = await mine.connect({ auth, report: { timestamp: 1, sessions: [], ...report } })
  await inTurn(peer)
  return { ...mine, peer, shown: await mine.status() }
}

const idsOf = (shown: { sessions: ReadonlyArray<{ id: string }> }) => shown.sessions.map(({ id }) => id)

describe("what does not fit", () => {
  it("P66, P70: null is absent, so that a daemon of the field is whole, and its agent can be spoken to", async () => {
    const auth = { nickname: null, workspaces: workspacesInTheField, availableProviders: providersInTheField }
    const report = { sessions: [inTheField], cdpConnected: null, p2p: null, workspaces: null, availableProviders: null }
    const { peer, post, get, shown, daemonId } = await reporting(report, auth)
    expect(shown).toMatchObject({
      nickname: "",
      acps: [{ id: `${daemonId}:acp:goose-acp`, type: "goose-acp", workspaceName: "/w/app" }],
      workspaces: [{ name: "app", path: "/w/app" }],
      agents: [{ sessionId: inTheField.id, workspaceName: "/w/app" }],
      availableProviders: [{ type: "goose-acp", category: "acp", displayName: "Goose" }],
      problems: []
    })
    const status = await get(`/api/v1/shortcuts/${daemonId}:acp:goose-acp/status`)
    expect(status.body).toMatchObject({ status: "idle", workspaceName: "/w/app" })
    for (const absent of ["activeModal", "providerControls", "controlValues", "summaryMetadata"])
      expect(status.body).not.toHaveProperty(absent)
    const answer = post(`/api/v1/shortcuts/${daemonId}:acp:goose-acp/chat`, { message: "hello" })
    const sent = await peer.nextCommand()
    expect(sent).toMatchObject({ type: "send_chat", targetSessionId: inTheField.id })
    peer.send("command_result", { id: sent.id, success: true, result: { accepted: true }, error: null, code: null })
    expect((await answer).body).toMatchObject({ success: true, result: { accepted: true } })
  })

  it("P67: costs only itself, wherever it stands", async () => {
    const { peer, status, command, shown } = await reporting({
      timestamp: "now",
      cdpConnected: "yes",
      sessions: [reported("a", { title: 7 }), { ...reported("b"), status: null }, null, reported("c")],
      availableProviders: [
        { type: "p", category: 7 },
        { type: "q", category: "cli" }
      ]
    })
    expect([idsOf(shown), shown.availableProviders]).toEqual([["a", "c"], [{ type: "q", category: "cli" }]])
    const places = async () => (await status()).problems.map(({ at }: { at: string }) => at)
    const ofReport = ["timestamp", "sessions[0].title", "sessions[1].status", "sessions[2]", "cdpConnected"]
    const expected = [...ofReport, "availableProviders[0].category"].map((at) => `status_report.${at}`)
    expect(await places()).toEqual(expected)
    const answer = command("read_chat")
    const { id } = await peer.nextCommand()
    peer.send("command_result", { id, success: false, error: "no such chat", code: 404 })
    const { body } = await answer
    expect(body).toMatchObject({ success: false, error: "no such chat" })
    expect(body).not.toHaveProperty("daemonCode")
    expect(await places()).toEqual(["command_result.code", ...expected])
  })

  it("P68: beyond its bound is dropped", async () => {
    const many = <A>(count: number, one: (nth: number) => A) => Array.from({ length: count }, (_, nth) => one(nth))
    const { shown, get, daemonId } = await reporting({
      sessions: many(201, (nth) => reported(`s${nth}`, { providerControls: many(65, (id) => ({ id })) })),
      availableProviders: many(501, (nth) => ({ type: `p${nth}`, category: "cli" })),
      workspaces: many(101, (nth) => `w${nth}`)
    })
    const { sessions, availableProviders, workspaces, problems } = shown
    expect([sessions, availableProviders, workspaces].map((all) => all.length)).toEqual([200, 500, 100])
    const agent = await get(`/api/v1/shortcuts/${daemonId}:session:s0/status`)
    expect(agent.body.providerControls).toHaveLength(64)
    expect(problems).toEqual([
      { at: "status_report.sessions[0].providerControls", reason: "is beyond the 64 that are kept" },
      { at: "status_report.sessions[200]", reason: "is beyond the 200 that are kept" },
      { at: "status_report.workspaces[100]", reason: "is beyond the 100 that are kept" },
      { at: "status_report.availableProviders[500]", reason: "is beyond the 500 that are kept" }
    ])
  })

  it("P69: is shown with its place and why, without its value, until a newer report, also after a restart", async () => {
    const secret = "a private matter"
    const { peer, status, get, daemonId } = await reporting(
      { sessions: [reported("a", { title: [secret], muted: secret })] },
      { nickname: { secret } }
    )
    peer.send("status_event", { event: "agent:stopped", targetSessionId: "s", timestamp: secret, duration: secret })
    await inTurn(peer)
    const ofOthers = [
      { at: "auth.nickname", reason: "is not a text" },
      { at: "status_event.timestamp", reason: "is not a number" },
      { at: "status_event.duration", reason: "is not a whole number of at least 0" }
    ]
    const ofReport = [
      { at: "status_report.sessions[0].title", reason: "is not a text" },
      { at: "status_report.sessions[0].muted", reason: "is not true or false" }
    ]
    expect((await status()).problems).toEqual([...ofOthers, ...ofReport])
    expect((await get(`/api/v1/daemons/${daemonId}/status`)).text).not.toContain(secret)
    peer.report([reported("a")])
    await inTurn(peer)
    expect((await status()).problems).toEqual(ofOthers)
    await peer.leave()
    await hub.restart()
    expect(await status()).toMatchObject({ online: false, problems: ofOthers })
  })
})

describe("a last event", () => {
  it("P115: that names no session, where none is known that it may mean, is not sent, and its daemon is told", async () => {
    const mine = await ownedDaemon(hub)
    const peer = await mine.connect({ report: [reported("s1"), reported("s2")] })
    peer.send("status_event", { id: "e1", event: "agent:stopped", timestamp: 1 })
    expect((await peer.nextFrame("event_ack")).data).toEqual({ ids: ["e1"] })
    const { body } = await hub.request("GET", `/api/v1/daemons/${mine.daemonId}/status`, { key: mine.key })
    expect(body.problems).toEqual([
      { at: "status_event.targetSessionId", reason: "is missing, and no session is known that it may mean" }
    ])
  })
})

/** A daemon whose account has a webhook for all events, and what that was sent of ended turns. */
const heard = async (report: ReadonlyArray<Record<string, unknown>>) => {
  const mine = await ownedDaemon(hub)
  const receiver = await startReceiver()
  const { untilEntries } = await hook(hub, receiver.url("/hook"), ["*"], mine.account)
  const stopped = () => receiver.at("/hook").filter(({ body: { event } }) => event === "agent:stopped")
  /** An attempt that time passes over before its answer is read is made again. */
  const allIsTaken = () =>
    untilEntries("all is taken", (all) => stopped().length > 0 && all.every(({ status }) => status === "succeeded"))
  return { mine, receiver, stopped, allIsTaken, peer: await mine.connect({ report }) }
}

describe("an event", () => {
  it("P116: of a session that left the report has what was known of it, for 60 s", async () => {
    const { receiver, stopped, allIsTaken, peer } = await heard([reported("s1")])
    peer.report([])
    const send = (id: string) =>
      peer.send("status_event", { id, event: "agent:stopped", timestamp: 1, targetSessionId: "s1" })
    send("e1")
    await allIsTaken()
    for (let passed = 0; passed < 60_000; passed += 20_000) await hub.advance(20_000)
    send("e2")
    await until("the second", () => stopped().length === 2)
    await receiver.close()
    expect(stopped().map(({ body }) => body.payload.providerType)).toEqual(["agent-a", undefined])
  })

  it("P71: has from the report what its daemon left out of its session", async () => {
    const own = {
      providerSessionId: "conv-1",
      workspace: { name: "shop", path: "/src/shop" },
      surfaceHidden: true,
      muted: false
    }
    const { mine, receiver, stopped, peer } = await heard([reported("s1", own)])
    peer.send("status_event", { id: "e1", event: "agent:stopped", timestamp: 1, targetSessionId: null })
    const { body } = await until("the delivery", () => stopped()[0])
    await receiver.close()
    expect(body.payload).toEqual({
      daemonId: mine.daemonId,
      daemonType: "service-daemon",
      event: "agent:stopped",
      timestamp: 1,
      targetSessionId: "s1",
      providerType: "agent-a",
      providerSessionId: "conv-1",
      workspaceName: "/src/shop",
      surfaceHidden: true,
      muted: false
    })
  })
})
