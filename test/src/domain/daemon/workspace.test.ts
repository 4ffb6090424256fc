/** The workspace of an agent and what it is called: one rule for status, agent status, events and webhooks. */
import { describe, expect, it } from "vitest"
import { follow, observe, tell } from "../../../../src/domain/daemon/agent-status.ts"
import { agentStatusView, statusView } from "../../../../src/domain/daemon/views.ts"
import { workspaceNameOf, workspaceOf } from "../../../../src/domain/daemon/workspace.ts"
import { relayedPayload } from "../../../../src/domain/event/event-payload.ts"
import { fc, forAll } from "../../../support/properties.ts"
import { ide, session, snapshot } from "../../../support/snapshots.ts"

const shop = { name: "shop", path: "/home/me/shop" }
const app = { name: "app", path: "/src/app" }

describe("a workspace is called", () => {
  const inside = { transport: "cdp-webview", parentId: "w" }
  it.each([
    ["of a CLI its directory", session("1", { workspace: shop }), undefined, "/home/me/shop"],
    ["of an ACP agent its directory", session("1", { transport: "acp", workspace: shop }), undefined, "/home/me/shop"],
    ["of a CLI without a path the name it gave", session("1", { workspace: { name: "shop" } }), undefined, "shop"],
    ["of an IDE its name", ide("1", { workspace: app }), undefined, "app"],
    ["of an agent inside an IDE the IDE's name", session("1", inside), ide("w", { workspace: app }), "app"],
    [
      "of one with a workspace of its own the IDE's name too",
      session("1", { ...inside, workspace: shop }),
      ide("w", { workspace: app }),
      "app"
    ],
    ["of one whose IDE has none its own name", session("1", { ...inside, workspace: shop }), ide("w"), "shop"],
    ["of a CLI that another CLI started its own", session("1", { workspace: shop }), session("p"), "/home/me/shop"],
    ["of a CLI without one its parent's", session("1"), session("p", { workspace: shop }), "/home/me/shop"],
    ["of nothing nothing", session("1"), undefined, undefined]
  ])("%s", (_, one, parent, name) => {
    expect(workspaceNameOf(one, parent)).toBe(name)
    if (name === undefined) expect(workspaceOf(one, parent)).toBeNull()
  })

  it("the same in the status, the agent's status, its events and agent:status, whatever is reported", () => {
    const id = fc.constantFrom("a", "b", "c")
    const workspace = fc.constantFrom(undefined, shop, app, { name: "plain" })
    const one = fc.record({ id, parentId: id, workspace, kind: fc.constantFrom("workspace", "agent") })
    const transport = fc.constantFrom("pty", "acp", "cdp-page", "laser")
    forAll(fc.uniqueArray(fc.tuple(one, transport), { selector: ([given]) => given.id }), (given) => {
      const sessions = given.map(([{ id, parentId, workspace, kind }, transport]) =>
        session(id, { parentId, kind, transport, status: "error", ...(workspace && { workspace }) })
      )
      const reported = snapshot(sessions)
      const followed = follow()
      observe(followed, [])
      observe(followed, sessions)
      const changes = new Map(tell(followed, 0).map((change) => [change.targetSessionId, change.workspaceName]))
      for (const agent of statusView(reported, 0).agents) {
        const name = agent.workspaceName ?? undefined
        const target = { daemonId: "d", kind: "session", name: agent.sessionId } as const
        const found = sessions.find((other) => other.id === agent.sessionId)!
        const view = agentStatusView(reported, found, { target, text: "t" }, 0)
        const event = { event: "agent:stopped", targetSessionId: agent.sessionId }
        expect(view.workspaceName ?? undefined).toBe(name)
        expect(relayedPayload(reported, "agent:stopped", event, 0)["workspaceName"]).toBe(name)
        expect(changes.get(agent.sessionId)).toBe(name)
      }
      expect(changes.size).toBe(statusView(reported, 0).agents.length)
    })
  })
})
