/** The throttle of agent:status. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { agentState, follow, mayTellAt, observe, tell, unsaid } from "../../../src/domain/agentchanges.ts"
import { agentsOf } from "../../../src/domain/agents.ts"
import { agentsFollowedMax } from "../../../src/limits/delivery.ts"
import { ide, picture, session } from "../../support/pictures.ts"

const agents = (statuses: Record<string, string>) =>
  Object.entries(statuses).map(([id, status]) => session(id, { status }))

describe("a daemon's own word for a status", () => {
  it.each([
    ["generating", ["generating", "streaming", "loading", "loading_reference", "thinking", "active", "starting"]],
    ["waiting_approval", ["waiting_approval", "waiting_choice"]],
    ["error", ["error", "disconnected"]],
    ["idle", ["idle", "stopped", "", "toString", "Generating"]]
  ])("means %s: %s", (state, words) => {
    for (const word of words) expect(agentState(word)).toBe(state)
  })
})

describe("agent:status", () => {
  it("does not tell the first report after a connect", () => {
    const followed = follow()
    observe(followed, agents({ a: "generating", b: "error" }), true)
    expect(unsaid(followed)).toBe(false)
    expect(tell(followed, 0)).toEqual([])
  })

  it("tells the first change at once, with what it was before", () => {
    const followed = follow()
    observe(followed, agents({ a: "idle" }), true)
    observe(followed, agents({ a: "thinking" }), false)
    expect(mayTellAt(followed, 1_000)).toBe(1_000)
    expect(tell(followed, 1_000)).toEqual([
      {
        targetSessionId: "a",
        providerType: "codex-cli",
        workspaceName: undefined,
        status: "generating",
        previousStatus: "idle"
      }
    ])
  })

  it("tells the next 10 s later, every agent that changed meanwhile with its latest state", () => {
    const followed = follow()
    observe(followed, agents({ a: "idle", b: "idle" }), true)
    observe(followed, agents({ a: "generating", b: "idle" }), false)
    tell(followed, 1_000)
    observe(followed, agents({ a: "waiting_approval", b: "generating" }), false)
    observe(followed, agents({ a: "error", b: "generating" }), false)
    expect(mayTellAt(followed, 2_000)).toBe(11_000)
    const told = tell(followed, 11_000).map(({ targetSessionId, status, previousStatus }) => [
      targetSessionId,
      previousStatus,
      status
    ])
    expect(told).toEqual([
      ["a", "generating", "error"],
      ["b", "idle", "generating"]
    ])
  })

  it("tells nothing when all changed back meanwhile, and does not count that as an event", () => {
    const followed = follow()
    observe(followed, agents({ a: "idle" }), true)
    observe(followed, agents({ a: "generating" }), false)
    observe(followed, agents({ a: "idle" }), false)
    expect(tell(followed, 5)).toEqual([])
    expect(mayTellAt(followed, 6)).toBe(6)
  })

  it("keeps the last change of an agent that is gone until it is told", () => {
    const followed = follow()
    observe(followed, agents({ a: "generating" }), true)
    observe(followed, agents({ a: "error" }), false)
    observe(followed, [], false)
    expect(tell(followed, 0)).toMatchObject([{ targetSessionId: "a", status: "error" }])
    observe(followed, [], false)
    expect(followed.latest.size).toBe(0)
  })

  it("keeps a change that waits over a reconnect", () => {
    const followed = follow()
    observe(followed, agents({ a: "idle", b: "idle" }), true)
    observe(followed, agents({ a: "generating", b: "idle" }), false)
    observe(followed, agents({ a: "generating", b: "error" }), true)
    expect(tell(followed, 0).map((one) => one.targetSessionId)).toEqual(["a"])
  })

  it("counts a new agent that is not idle as a change from idle", () => {
    const followed = follow()
    observe(followed, [], true)
    observe(followed, agents({ a: "generating", b: "idle" }), false)
    expect(tell(followed, 0)).toMatchObject([{ targetSessionId: "a", previousStatus: "idle" }])
  })

  it("follows the agents that the status lists: an IDE's workspace only while it holds none", () => {
    const followed = follow()
    observe(followed, [], true)
    const inside = session("inside", { parentId: "w", transport: "cdp-webview", status: "idle" })
    observe(followed, [ide("w", { status: "generating" }), inside], false)
    expect(unsaid(followed)).toBe(false)
    observe(followed, [ide("w", { status: "generating", parentId: "w" })], false)
    expect(tell(followed, 0)).toMatchObject([{ targetSessionId: "w", status: "generating", previousStatus: "idle" }])
  })

  it("follows exactly the agents of the status, whatever is reported", () => {
    const id = fc.constantFrom("a", "b", "c", "d")
    const one = fc.record({ id, parentId: id, workspace: fc.boolean(), cdp: fc.boolean() })
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: (given) => given.id }), (given) => {
        const sessions = given.map(({ id, parentId, workspace, cdp }) =>
          session(id, { parentId, kind: workspace ? "workspace" : "agent", transport: cdp ? "cdp-page" : "pty" })
        )
        const followed = follow()
        observe(followed, sessions, true)
        expect([...followed.latest.keys()]).toEqual(agentsOf(picture(sessions)).map((agent) => agent.id))
      })
    )
  })

  it(`follows ${agentsFollowedMax} agents of a daemon and no more`, () => {
    const followed = follow()
    const many = [...Array(agentsFollowedMax + 5).keys()].map((n) => session(`s${n}`))
    observe(followed, many, true)
    expect(followed.latest.size).toBe(agentsFollowedMax)
  })

  it("never tells more than once in 10 s, and in the end receivers know the last state of every agent", () => {
    const statuses = fc.constantFrom("idle", "generating", "waiting_choice", "error")
    const step = fc.record({
      after: fc.integer({ min: 0, max: 8_000 }),
      report: fc.dictionary(fc.constantFrom("a", "b", "c"), statuses),
      first: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const followed = follow()
        observe(followed, agents({ a: "idle", b: "idle", c: "idle" }), true)
        const known = new Map([...followed.told])
        const sentAt: Array<number> = []
        let now = 0
        const flush = (): void => {
          if (!unsaid(followed) || mayTellAt(followed, now) > now) return
          for (const change of tell(followed, now)) {
            expect(known.get(change.targetSessionId) ?? "idle").toBe(change.previousStatus)
            known.set(change.targetSessionId, change.status as never)
          }
          sentAt.push(now)
        }
        for (const { after, report } of steps) {
          now += after
          observe(followed, agents({ a: "idle", b: "idle", c: "idle", ...report }), false)
          flush()
        }
        now += 10_000
        flush()
        for (const [id, seen] of followed.latest) expect(known.get(id)).toBe(seen.status)
        expect(sentAt.every((at, nth) => nth === 0 || at - sentAt[nth - 1]! >= 10_000)).toBe(true)
      })
    )
  })
})
