/** The throttle of agent:status. */
import { describe, expect, it } from "vitest"
import {
  agentState,
  follow,
  foundStates,
  mayTellAt,
  observe,
  recall,
  tell,
  toldStates,
  unsaid
} from "../../../../src/domain/daemon/agent-status.ts"
import { agentsOf } from "../../../../src/domain/daemon/target-resolution.ts"
import { agentStatusCharsMax, agentsFollowedMax } from "../../../../src/limits/delivery.ts"
import { given } from "../../../support/given.ts"
import { fc, forAll } from "../../../support/properties.ts"
import { ide, session, snapshot } from "../../../support/snapshots.ts"

const agents = (statuses: Record<string, string>) =>
  Object.entries(statuses).map(([id, status]) => session(id, { status }))

it.each([
  ["generating", ["generating", "streaming", "loading", "loading_reference", "thinking", "active", "starting"]],
  ["waiting_approval", ["waiting_approval", "waiting_choice"]],
  ["error", ["error", "disconnected"]],
  ["idle", ["idle", "stopped", "", "toString", "Generating"]]
])("a daemon's own word for a status means %s: %s", (state, words) => {
  for (const word of words) expect(agentState(word)).toBe(state)
})

/** Follows the agents of a daemon through these reports. */
const following = (...reports: ReadonlyArray<Record<string, string>>) => {
  const followed = follow()
  for (const report of reports) observe(followed, agents(report))
  return followed
}

describe("agent:status", () => {
  it("does not tell the first report of a daemon never seen", () => {
    const followed = following({ a: "generating", b: "error" })
    expect(unsaid(followed)).toBe(false)
    expect(tell(followed, 0)).toEqual([])
  })

  it("tells the first change at once, with what it was before", () => {
    const followed = following({ a: "idle" }, { a: "thinking" })
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

  it("tells nothing when all changed back meanwhile, and does not count that as an event", () => {
    const followed = following({ a: "idle" }, { a: "generating" }, { a: "idle" })
    expect(tell(followed, 5)).toEqual([])
    expect(mayTellAt(followed, 6)).toBe(6)
  })

  it("keeps the last change of an agent that is gone until it is told", () => {
    const followed = following({ a: "generating" }, { a: "error" }, {})
    expect(tell(followed, 0)).toMatchObject([{ targetSessionId: "a", status: "error" }])
    observe(followed, [])
    expect(tell(followed, 0)).toMatchObject([{ previousStatus: "error", status: "idle", ended: true }])
    expect([followed.latest.size, unsaid(followed)]).toEqual([0, false])
  })

  it("tells once that an agent ended whose last told status was not idle", () => {
    const followed = following({ a: "generating", b: "idle", c: "generating" }, { c: "idle" }, {})
    expect(tell(followed, 0)).toMatchObject([
      { targetSessionId: "a", previousStatus: "generating", status: "idle", ended: true },
      { targetSessionId: "c", previousStatus: "generating", status: "idle", ended: true }
    ])
    observe(followed, [])
    expect([unsaid(followed), toldStates(followed)]).toEqual([false, "{}"])
  })

  it("tells of an agent that is back before its end was told as if it had never left", () => {
    const followed = following({ a: "generating" }, {}, { a: "generating" })
    expect(unsaid(followed)).toBe(false)
  })

  it("tells that an agent ended between two connections, where the report before them is known", () => {
    const followed = follow()
    const before = agents({ a: "generating", b: "idle" })
    recall(followed, foundStates(before), undefined, before)
    observe(followed, [])
    expect(tell(followed, 0)).toMatchObject([{ targetSessionId: "a", status: "idle", ended: true }])
  })

  it("tells what the first report of a daemon shows that was seen before, compared with what was told", () => {
    const before = following({ same: "generating", other: "generating", idle: "idle", gone: "error" })
    const stored = toldStates(before)
    expect(JSON.parse(stored)).toEqual({ same: "generating", other: "generating", gone: "error" })
    const followed = follow()
    recall(followed, stored, undefined)
    observe(followed, agents({ same: "thinking", other: "error", idle: "active", new: "error", quiet: "idle" }))
    const told = tell(followed, 0).map((one) => [one.targetSessionId, one.previousStatus, one.status])
    expect(told).toEqual([
      ["other", "generating", "error"],
      ["idle", "idle", "generating"],
      ["new", "idle", "error"]
    ])
    expect([...followed.told.keys()]).not.toContain("gone")
  })

  given(follow)("waits for the rest of the 10 s since the last that is stored", (followed) => {
    recall(followed, "{}", 4_000)
    observe(followed, agents({ a: "error" }))
    expect([unsaid(followed), mayTellAt(followed, 5_000)]).toEqual([true, 14_000])
  })

  it("stores how the agents of a daemon were found as what is known of them after its first report", () => {
    const status = fc.constantFrom("idle", "generating", "waiting_choice", "error")
    forAll(fc.dictionary(fc.string(), status), (report) => {
      const sessions = agents(report)
      const followed = follow()
      observe(followed, sessions)
      expect(foundStates(sessions)).toBe(toldStates(followed))
      const later = follow()
      recall(later, foundStates(sessions), undefined)
      observe(later, sessions)
      expect(unsaid(later)).toBe(false)
    })
  })

  it("follows the agents that the status lists: an IDE's workspace only while it holds none", () => {
    const followed = following({})
    const inside = session("inside", { parentId: "w", transport: "cdp-webview", status: "idle" })
    observe(followed, [ide("w", { status: "generating" }), inside])
    expect(unsaid(followed)).toBe(false)
    observe(followed, [ide("w", { status: "generating", parentId: "w" })])
    expect(tell(followed, 0)).toMatchObject([{ targetSessionId: "w", status: "generating", previousStatus: "idle" }])
  })

  it("follows exactly the agents of the status, whatever is reported", () => {
    const id = fc.constantFrom("a", "b", "c", "d")
    const one = fc.record({ id, parentId: id, workspace: fc.boolean(), cdp: fc.boolean() })
    forAll(fc.uniqueArray(one, { selector: (given) => given.id }), (given) => {
      const sessions = given.map(({ id, parentId, workspace, cdp }) =>
        session(id, { parentId, kind: workspace ? "workspace" : "agent", transport: cdp ? "cdp-page" : "pty" })
      )
      const followed = follow()
      observe(followed, sessions)
      expect([...followed.latest.keys()]).toEqual(agentsOf(snapshot(sessions)).map((agent) => agent.id))
    })
  })

  given(follow)(`follows ${agentsFollowedMax} agents of a daemon and no more`, (followed) => {
    const many = [...Array(agentsFollowedMax + 5).keys()].map((n) => session(`s${n}`))
    observe(followed, many)
    expect(followed.latest.size).toBe(agentsFollowedMax)
  })

  it(`names agents with ${agentStatusCharsMax} characters in one event, and the others in the next`, () => {
    const followed = follow()
    const of = (status: string) =>
      Array.from({ length: 200 }, (_, nth) => session(`${nth}`.padStart(900, "s"), { status }))
    observe(followed, of("idle"))
    observe(followed, of("generating"))
    const first = tell(followed, 0).length
    expect(first * 900).toBeGreaterThan(agentStatusCharsMax / 2)
    expect(first * 900).toBeLessThan(agentStatusCharsMax + 3_000)
    expect([first, unsaid(followed), mayTellAt(followed, 0)]).toEqual([expect.any(Number), true, 10_000])
    for (let now = 10_000; unsaid(followed); now += 10_000)
      expect(tell(followed, now).length).toBeLessThanOrEqual(first)
  })

  given(follow)("tells every agent in its turn, while those told before change again and again", (followed) => {
    const of = (status: string) =>
      Array.from({ length: 200 }, (_, nth) => session(`${nth}`.padStart(900, "s"), { status }))
    const told = new Set<string>()
    observe(followed, of("idle"))
    for (let turn = 0; turn < 6; turn++) {
      observe(followed, of(turn % 2 === 0 ? "generating" : "error"))
      for (const { targetSessionId } of tell(followed, turn * 10_000)) told.add(targetSessionId)
    }
    expect(told.size).toBe(200)
  })

  it("never tells more than once in 10 s, and in the end receivers know the last state of every agent", () => {
    const statuses = fc.constantFrom("idle", "generating", "waiting_choice", "error")
    const step = fc.record({
      after: fc.integer({ min: 0, max: 8_000 }),
      report: fc.dictionary(fc.constantFrom("a", "b", "c"), statuses)
    })
    forAll(fc.array(step, { maxLength: 30 }), (steps) => {
      const followed = following({ a: "idle", b: "idle", c: "idle" })
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
        observe(followed, agents({ a: "idle", b: "idle", c: "idle", ...report }))
        flush()
      }
      now += 10_000
      flush()
      for (const [id, seen] of followed.latest) expect(known.get(id)).toBe(seen.status)
      expect(sentAt.every((at, nth) => nth === 0 || at - sentAt[nth - 1]! >= 10_000)).toBe(true)
    })
  })
})
