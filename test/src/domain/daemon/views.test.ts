/** What integrators see of a snapshot. */
import { describe, expect, it } from "vitest"
import { parseTarget } from "../../../../src/domain/daemon/targets.ts"
import { agentStatusView, daemonView, statusView } from "../../../../src/domain/daemon/views.ts"
import { ide, session, snapshot } from "../../../support/snapshots.ts"

const secretTitle = "a title nobody but a chat reader may see"
const busy = snapshot(
  [
    ide("w", { cdpConnected: true, title: secretTitle, workspace: { name: "app", path: "/src/app" } }),
    ide("w2", { transport: "cdp-webview" }),
    session("in", { parentId: "w", transport: "cdp-webview", providerType: "cline", title: secretTitle }),
    session("c1", { providerName: "Codex", activeModal: { message: secretTitle, buttons: ["Yes"] } }),
    session("c2"),
    session("g", {
      providerType: "goose",
      transport: "acp",
      workspace: { name: "proj", path: "/home/me/proj" },
      status: "thinking"
    })
  ],
  { availableProviders: [{ type: "codex-cli", category: "cli", displayName: "Codex by name" }] }
)

describe("an element of the list of daemons", () => {
  it("shows IDEs, CLIs and ACP agents by transport and kind, equal target ids once", () => {
    expect(daemonView(busy)).toMatchObject({
      id: "d",
      nickname: "",
      cdpConnected: true,
      ides: [{ id: "d:ide:cursor", type: "cursor", cdpConnected: true }],
      clis: [{ id: "d:cli:codex-cli", type: "codex-cli", name: "Codex" }],
      acps: [{ id: "d:acp:goose", type: "goose", workspaceName: "/home/me/proj" }]
    })
  })
  it("is whole for a daemon without sessions", () =>
    expect(daemonView(snapshot([]))).toMatchObject({ cdpConnected: false, ides: [], clis: [], acps: [] }))
  it("names a CLI by what the daemon calls it, else by its display name, else by its type", () => {
    const [named, typed] = [session("1"), session("2", { providerType: "plain" })]
    expect(daemonView({ ...busy, sessions: [named, typed] }).clis.map((cli) => cli.name)).toEqual([
      "Codex by name",
      "plain"
    ])
  })
})

describe("the status record", () => {
  const status = statusView(busy, 5_000)
  it("shows the same surfaces as the list", () => expect(status).toMatchObject(daemonView(busy)))
  it("says how old it is", () => {
    expect(status).toMatchObject({ observedAt: 2_000, ageMs: 3_000 })
    expect(statusView(snapshot([], { observedAt: undefined }), 5_000)).toMatchObject({ observedAt: null, ageMs: null })
    expect(statusView(busy, 1_000).ageMs).toBe(0)
  })
  it("shows every agent under an id that means it", () => {
    expect(status.agents).toContainEqual({
      sessionId: "g",
      targetId: "d:acp:goose",
      providerType: "goose",
      status: "generating",
      workspaceName: "/home/me/proj"
    })
    expect(status.agents.map((agent) => agent.sessionId)).toEqual(["w2", "in", "c1", "c2", "g"])
    expect(status.agents.find((agent) => agent.sessionId === "in")?.workspaceName).toBe("app")
  })
  it("lists the workspaces that the daemon named and those of its sessions, each once", () => {
    const [shop, app, lab] = [{ name: "shop", path: "/shop" }, { name: "app" }, { name: "lab", path: "/lab" }]
    const sessions = [
      session("a", { workspace: shop }),
      session("b", { workspace: app }),
      session("c"),
      session("d", { workspace: app })
    ]
    const of = (workspaces: ReadonlyArray<{ name: string; path?: string }>) =>
      statusView(snapshot(sessions, { workspaces }), 0).workspaces
    expect(of([])).toEqual([shop, app])
    expect(of([lab, { name: "the shop", path: "/shop" }])).toEqual([lab, { name: "the shop", path: "/shop" }, app])
    expect(of([shop, app])).toEqual([shop, app])
  })
  it("contains no title and no prompt", () =>
    expect(JSON.stringify([status, daemonView(busy)])).not.toContain(secretTitle))
})

describe("an agent's status", () => {
  const asked = (text: string) => ({ text, target: parseTarget(text)! })
  it("keeps the raw status and what the provider adds, under the target it was asked by", () => {
    const agent = session("c", {
      status: "streaming",
      summaryMetadata: { n: 1 },
      controlValues: [2],
      title: secretTitle
    })
    const view = agentStatusView(snapshot([agent]), agent, asked("d:session:c"), 2_500)
    expect(view).toEqual({
      version: expect.any(String),
      targetId: "d:session:c",
      daemonId: "d",
      sessionId: "c",
      agentType: "codex-cli",
      providerType: "codex-cli",
      status: "generating",
      rawStatus: "streaming",
      workspace: null,
      workspaceName: null,
      summaryMetadata: { n: 1 },
      controlValues: [2],
      online: true,
      observedAt: 2_000,
      ageMs: 500
    })
  })
  it("is under the agent's own target when a whole daemon was asked", () => {
    const agent = session("c")
    expect(agentStatusView(snapshot([agent]), agent, asked("d"), 0).targetId).toBe("d:cli:codex-cli")
  })
})

it("the names of CLIs are looked up once for all sessions, however many providers there are", () => {
  let looks = 0
  const providers = Array.from({ length: 500 }, (_, n) => ({
    category: "cli",
    displayName: `Name ${n}`,
    get type() {
      looks++
      return `type-${n}`
    }
  }))
  const sessions = Array.from({ length: 200 }, (_, n) => session(`s${n}`, { providerType: `type-${499 - n}` }))
  const many = snapshot(sessions, { availableProviders: providers })
  for (let view = 0; view < 3; view++) expect(daemonView(many).clis[0]?.name).toBe("Name 499")
  expect(looks).toBe(500)
})

it("what did not fit is in the status and not in the list", () => {
  const problems = [{ at: "status_report.sessions[0].title", reason: "is not a text" }]
  expect(statusView(snapshot([], { problems }), 0).problems).toEqual(problems)
  expect(statusView(snapshot([]), 0).problems).toEqual([])
  expect(daemonView(snapshot([], { problems }))).not.toHaveProperty("problems")
})
