/** docs/daemon-protocol.md: status_report and status_event. */
import { describe, expect, it } from "vitest"
import { inTurn, type Owned, ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const ids = async ({ status }: Owned): Promise<ReadonlyArray<string>> =>
  (await status()).sessions.map(({ id }: { id: string }) => id)

describe("a report", () => {
  given(() => ownedDaemon(hub))("P24: replaces the whole snapshot", async (mine) => {
    const peer = await mine.connect({ report: [reported("a"), reported("b")] })
    await inTurn(peer)
    expect(await ids(mine)).toEqual(["a", "b"])
    peer.report([reported("c")])
    await inTurn(peer)
    expect(await ids(mine)).toEqual(["c"])
  })

  given(() => ownedDaemon(hub))("P25: without workspaces or providers leaves those as they were", async (mine) => {
    const workspaces = [{ name: "shop", path: "/src/shop" }]
    const peer = await mine.connect({ auth: { workspaces } })
    peer.send("status_report", { timestamp: 1, sessions: [] })
    await inTurn(peer)
    expect((await mine.status()).workspaces).toEqual(workspaces)
    peer.send("status_report", { timestamp: 2, sessions: [], workspaces: [] })
    await inTurn(peer)
    expect((await mine.status()).workspaces).toEqual([])
  })

  it("P26: lists workspaces on cdp as IDEs, pty as CLIs and acp as ACP agents", async () => {
    const mine = await ownedDaemon(hub)
    const session = (id: string, kind: string, transport: string) => reported(id, { providerType: id, kind, transport })
    const peer = await mine.connect({
      report: [
        session("ide-a", "workspace", "cdp-page"),
        session("ide-b", "workspace", "cdp-webview"),
        session("inside-ide", "agent", "cdp-webview"),
        session("cli-a", "agent", "pty"),
        session("acp-a", "agent", "acp")
      ]
    })
    await inTurn(peer)
    const types = (list: unknown) => (list as ReadonlyArray<{ type: string }>).map(({ type }) => type)
    const { ides, clis, acps } = (await mine.listed())!
    expect([types(ides), types(clis), types(acps)]).toEqual([["ide-a", "ide-b"], ["cli-a"], ["acp-a"]])
  })

  it.each([
    ["streaming", "generating"],
    ["waiting_choice", "waiting_approval"],
    ["meditating", "idle"]
  ])("P27: with the status %s reads as %s, and keeps the daemon's word", async (rawStatus, status) => {
    const mine = await ownedDaemon(hub)
    const peer = await mine.connect({ report: [reported("s1", { status: rawStatus })] })
    await inTurn(peer)
    const { body } = await mine.get(`/api/v1/shortcuts/${mine.daemonId}:session:s1/status`)
    expect(body).toMatchObject({ status, rawStatus })
  })

  given(() => ownedDaemon(hub))("P28: never shows a session's title outside the chat routes", async (mine) => {
    const peer = await mine.connect({ report: [reported("session-1", { title: "a private matter" })] })
    await inTurn(peer)
    for (const path of [
      "/api/v1/daemons",
      `/api/v1/daemons/${mine.daemonId}/status`,
      `/api/v1/shortcuts/${mine.daemonId}:session:session-1/status`
    ]) {
      const { status, text } = await mine.get(path)
      expect([status, text.includes("session-1"), text.includes("private")]).toEqual([
        200,
        path !== "/api/v1/daemons",
        false
      ])
    }
  })

  it.each([
    ["without sessions", {}],
    ["with sessions that are no list", { sessions: { s1: reported("s1") } }]
  ])("P29: %s leaves the sessions as they were, and the rest of it counts", async (_, report) => {
    const mine = await ownedDaemon(hub)
    const peer = await mine.connect({ report: [reported("a")] })
    peer.send("status_report", { timestamp: 1, workspaces: ["shop"], ...report })
    await inTurn(peer)
    const { sessions, workspaces } = await mine.status()
    expect([sessions.map(({ id }: { id: string }) => id), workspaces]).toEqual([["a"], [{ name: "shop" }]])
  })

  it("says how busy and full the machine is, and what of that does not fit costs only itself", async () => {
    const mine = await ownedDaemon(hub)
    const peer = await mine.connect({ report: [] })
    peer.send("status_report", { timestamp: 1, sessions: [], health: { cpu: 1.35, memory: -1, disk: 0.8, gpu: 1 } })
    await inTurn(peer)
    const { health, problems } = await mine.status()
    expect([health, problems[0].at]).toEqual([{ cpu: 1.35, disk: 0.8 }, "status_report.health.memory"])
    peer.send("status_report", { timestamp: 2, sessions: [reported("a")] })
    await inTurn(peer)
    expect((await mine.status()).health).toEqual(health)
  })

  given(() => ownedDaemon(hub))("is followed by how the time online ended, while the daemon is away", async (mine) => {
    const peer = await mine.connect({ report: [] })
    expect(await mine.status()).not.toHaveProperty("lastEnd")
    await peer.leave()
    const lastEnd = await until("its end is known", async () => (await mine.status()).lastEnd)
    expect(lastEnd).toMatchObject({ reason: "closed", code: 1000 })
    await mine.connect({ report: [] })
    expect(await mine.status()).not.toHaveProperty("lastEnd")
  })
})

describe("an event", () => {
  const event = (id?: string) => ({
    ...(id === undefined ? {} : { id }),
    event: "agent:stopped",
    timestamp: 1_790_000_000_000,
    targetSessionId: "s1"
  })

  /** Events that have become deliveries of this webhook, each counted once. */
  const watched = async (mine: Owned) => {
    const { entries } = await hook(hub, "http://hook.invalid/", ["*"], mine.account)
    return async (name: string): Promise<number> =>
      new Set((await entries()).filter(({ event }) => event === name).map(({ deliveryId }) => deliveryId)).size
  }

  it("P30: with an id is acknowledged when it is committed, and when nobody wants it", async () => {
    const mine = await ownedDaemon(hub)
    const peer = await mine.connect()
    peer.send("status_event", event("unwanted"))
    expect((await peer.nextFrame("event_ack")).data).toEqual({ ids: ["unwanted"] })
    const stopped = await watched(mine)
    peer.send("status_event", event("wanted"))
    expect((await peer.nextFrame("event_ack")).data).toEqual({ ids: ["wanted"] })
    expect(await stopped("agent:stopped")).toBe(1)
  })

  given(() => ownedDaemon(hub))("P31: without an id is taken and not acknowledged", async (mine) => {
    const stopped = await watched(mine)
    const peer = await mine.connect()
    peer.send("status_event", event())
    await until("the delivery", async () => (await stopped("agent:stopped")) === 1)
    peer.send("status_event", event("after"))
    expect((await peer.nextFrame("event_ack")).data).toEqual({ ids: ["after"] })
  })

  it("P32: that was sent before is acknowledged again, also on a later connection, and counts once", async () => {
    const mine = await ownedDaemon(hub)
    const stopped = await watched(mine)
    const first = await mine.connect()
    first.send("status_event", event("same"))
    await first.nextFrame("event_ack")
    first.send("status_event", event("same"))
    expect((await first.nextFrame("event_ack")).data).toEqual({ ids: ["same"] })
    await first.cut()
    const second = await mine.connect()
    second.send("status_event", event("same"))
    expect((await second.nextFrame("event_ack")).data).toEqual({ ids: ["same"] })
    expect(await stopped("agent:stopped")).toBe(1)
  })
})
