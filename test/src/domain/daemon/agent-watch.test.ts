/** The version of an agent: another when its status shows something else, and only then. */
import { describe, expect, it } from "vitest"
import { isAnother, versionOf, watchedVersion } from "../../../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../../../src/domain/daemon/snapshot.ts"
import type { SessionReport } from "../../../../src/protocol/frames.ts"
import { session, snapshot } from "../../../support/snapshots.ts"

const of = (members: Partial<SessionReport> = {}, more: Partial<Snapshot> = {}): string => {
  const one = session("s1", members)
  return versionOf(snapshot([one], more), one)
}

describe("the version of an agent", () => {
  it("is the same whenever it was observed, and whatever its status does not show", () => {
    const same = { observedAt: 9_000, lastSeenAt: 9_000, connectedAt: 5, epoch: 7, hostname: "other" }
    expect(of({ title: "t" }, same)).toBe(of())
    expect(JSON.parse(JSON.stringify(session("s1")))).toEqual(session("s1"))
  })
  it("is another when anything that its status shows is another", () => {
    const modal = (promptId: string) => ({ activeModal: { promptId, message: "Go?", buttons: [] } })
    const versions = [
      of(),
      of({ status: "generating" }),
      of({ status: "thinking" }),
      of(modal("p1")),
      of(modal("p2")),
      of({ summaryMetadata: { n: 1 } }),
      of({ controlValues: { mode: "fast" } }),
      of({ providerSessionId: "c" }),
      of({ workspace: { name: "shop" } }),
      of({}, { online: false })
    ]
    expect(new Set(versions).size).toBe(versions.length)
  })
  it("is digested once for all that wait, and anew with its surroundings", () => {
    let looks = 0
    const one = session("s1", {
      parentId: "w1",
      get summaryMetadata() {
        looks++
        return "large"
      }
    })
    const shop = session("w1", { kind: "workspace", workspace: { name: "shop" } })
    const home = session("w1", { kind: "workspace", workspace: { name: "home" } })
    const first = versionOf(snapshot([shop, one]), one)
    looks = 0
    expect([versionOf(snapshot([shop, one]), one), looks]).toEqual([first, 0])
    const moved = versionOf(snapshot([home, one]), one)
    const offline = versionOf(snapshot([home, one], { online: false }), one)
    expect(new Set([first, moved, offline]).size).toBe(3)
    expect(versionOf(snapshot([shop, one]), one)).toBe(first)
  })
  it("is not another while a daemon that came back has not reported", () => {
    const watch = { accountId: "a", daemonId: "d", target: "d:session:s1", version: of() }
    expect(isAnother(snapshot([], { observedAt: undefined }), watch)).toBe(false)
    expect(isAnother(snapshot([]), watch)).toBe(true)
    expect(isAnother(snapshot([], { observedAt: undefined, online: false }), watch)).toBe(true)
    expect(isAnother(snapshot([session("s1")]), watch)).toBe(false)
  })
  it("of a target is that of the session to read, and empty where there is none", () => {
    const [one, two] = [session("s1"), session("s2", { status: "generating" })]
    const both = snapshot([one, two])
    expect(watchedVersion(both, { target: "d:cli:codex-cli" })).toBe(versionOf(both, two))
    expect(watchedVersion(both, { target: "d:session:s1", agentType: "codex-cli" })).toBe(versionOf(both, one))
    expect(watchedVersion(both, { target: "d:session:s3" })).toBe("")
    expect(watchedVersion(both, { target: "" })).toBe("")
  })
})
