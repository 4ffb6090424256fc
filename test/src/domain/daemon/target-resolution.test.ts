/** Target ids and the sessions they mean. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Snapshot } from "../../../../src/domain/daemon/snapshot.ts"
import { addressOf, agentsOf, toRead, toWrite } from "../../../../src/domain/daemon/target-resolution.ts"
import { parseTarget, targetId, targetKinds } from "../../../../src/domain/daemon/targets.ts"
import { targetCharsMax } from "../../../../src/limits.ts"
import type { SessionReport } from "../../../../src/protocol/frames.ts"
import { fc, forAll } from "../../../support/properties.ts"
import { ide, session, snapshot } from "../../../support/snapshots.ts"

const read = (one: Snapshot, target: string, agentType?: string) => {
  const found = toRead(one, parseTarget(target)!, agentType)
  return Result.isSuccess(found) ? found.success.id : found.failure._tag
}
const write = (one: Snapshot, target: string, agentType?: string) => {
  const found = toWrite(one, parseTarget(target)!, agentType)
  if (Result.isSuccess(found)) return found.success.id
  return found.failure._tag === "AmbiguousTarget" ? found.failure.candidates : found.failure._tag
}

describe("a target id", () => {
  it("names its daemon before the first marker, whatever follows", () => {
    expect(parseTarget("d:ide:cursor")).toEqual({ daemonId: "d", kind: "ide", name: "cursor" })
    expect(parseTarget("d:session:x:cli:y")).toEqual({ daemonId: "d", kind: "session", name: "x:cli:y" })
    expect(parseTarget("a:b:acp:c")).toEqual({ daemonId: "a:b", kind: "acp", name: "c" })
  })
  it("is a bare daemon id without a marker", () => expect(parseTarget("d")).toEqual({ daemonId: "d", kind: "daemon" }))
  it("is refused when empty, without a daemon, without a name or too long", () => {
    for (const text of ["", ":ide:x", "d:cli:", "x".repeat(targetCharsMax + 1)])
      expect(parseTarget(text)).toBeUndefined()
  })
  it("reads back as it was written", () => {
    const name = fc.string({ minLength: 1, maxLength: 40 })
    const daemon = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !text.includes(":"))
    forAll(daemon, fc.constantFrom(...targetKinds), name, (daemonId, kind, rest) => {
      expect(parseTarget(targetId(daemonId, kind, rest))).toEqual({ daemonId, kind, name: rest })
    })
  })
})

describe("a target that is read", () => {
  const several = snapshot([
    session("1"),
    session("2", { status: "generating" }),
    session("3", { status: "waiting_choice" }),
    session("4", { status: "error" }),
    session("5", { status: "waiting_approval" })
  ])
  it("is its most urgent session, of equals the newest", () => {
    expect(read(several, "d:cli:codex-cli")).toBe("5")
    expect(read(snapshot(several.sessions.filter((one) => !one.status.startsWith("waiting"))), "d")).toBe("4")
    expect(read(snapshot([session("1"), session("2")]), "d:cli:codex-cli")).toBe("2")
  })
  it("is narrowed by agentType", () => {
    const mixed = snapshot([
      session("1", { status: "error" }),
      session("2", { providerType: "goose", transport: "acp" })
    ])
    expect(read(mixed, "d", "goose")).toBe("2")
    expect(read(mixed, "d:cli:codex-cli", "goose")).toBe("NotFound")
  })
  it("is not found when nothing matches", () => {
    for (const target of ["d:ide:codex-cli", "d:cli:goose", "d:acp:codex-cli", "d:session:9"])
      expect(read(several, target)).toBe("NotFound")
  })
})

describe("a target that is written to", () => {
  it("names the candidates when several sessions match", () =>
    expect(write(snapshot([session("1"), session("2")]), "d:cli:codex-cli")).toEqual(["d:session:1", "d:session:2"]))
  it("is the one session that matches", () => {
    expect(write(snapshot([session("1"), session("2")]), "d:session:2")).toBe("2")
    expect(write(snapshot([session("1")]), "d")).toBe("1")
  })
  it("is an IDE's workspace when that has no agents of its own", () => {
    expect(write(snapshot([ide("w")]), "d:ide:cursor")).toBe("w")
    expect(write(snapshot([ide("w1"), ide("w2")]), "d:ide:cursor")).toHaveLength(2)
  })
  it("is the agent inside an IDE, chosen by agentType where there are several", () => {
    const inner = (id: string, providerType: string) =>
      session(id, { providerType, parentId: "w", transport: "cdp-webview" })
    const one = snapshot([ide("w"), inner("a", "cline")])
    const two = snapshot([ide("w"), inner("a", "cline"), inner("b", "roo")])
    expect(write(one, "d:ide:cursor")).toBe("a")
    expect(write(two, "d:ide:cursor")).toEqual(["d:session:a", "d:session:b"])
    expect(write(two, "d:ide:cursor", "roo")).toBe("b")
    expect(write(two, "d:ide:cursor", "cursor")).toBe("w")
    expect(write(two, "d:session:w", "roo")).toBe("b")
    expect(agentsOf(two).map((agent) => agent.id)).toEqual(["a", "b"])
  })
})

describe("an agent's address", () => {
  const anySession = fc.record({
    id: fc.constantFrom("1", "2", "3", "4"),
    parentId: fc.constantFrom("1", "2", "9"),
    providerType: fc.constantFrom("x", "y"),
    kind: fc.constantFrom("workspace", "agent"),
    transport: fc.constantFrom("pty", "acp", "cdp-page", "cdp-webview", "new"),
    status: fc.constantFrom("idle", "error")
  })
  it("always means exactly that agent, when written to and when read", () =>
    forAll(fc.uniqueArray(anySession, { selector: (one) => one.id, maxLength: 4 }), (sessions) => {
      const one = snapshot(sessions)
      for (const agent of agentsOf(one)) {
        expect(write(one, addressOf(one, agent))).toBe(agent.id)
        expect(read(one, addressOf(one, agent))).toBe(agent.id)
      }
    }))
  it("is its surface's when that is unmistakable, else its session's", () => {
    const one = snapshot([
      session("1"),
      session("2", { providerType: "goose" }),
      session("3", { providerType: "goose" })
    ])
    expect(agentsOf(one).map((agent) => addressOf(one, agent))).toEqual([
      "d:cli:codex-cli",
      "d:session:2",
      "d:session:3"
    ])
  })
  it("is its IDE's when it is the only one in there", () => {
    const inner = (id: string) => session(id, { parentId: "w", transport: "cdp-webview" })
    const addresses = (...sessions: ReadonlyArray<SessionReport>) => {
      const one = snapshot(sessions)
      return agentsOf(one).map((agent) => addressOf(one, agent))
    }
    expect(addresses(ide("w"), inner("a"))).toEqual(["d:ide:cursor"])
    expect(addresses(ide("w"), inner("a"), inner("b"))).toEqual(["d:session:a", "d:session:b"])
  })
})
