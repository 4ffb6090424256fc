/** On which Node and which C library the hub runs, and what it says elsewhere. */
import { describe, expect, it } from "vitest"
import { judgeNode } from "../../../src/doctor/node.ts"
import { runtimeFault } from "../../../src/runtime/node-support.ts"

const on = (node: string, glibc: string | undefined, platform = "linux", arch = "x64") => ({
  node,
  glibc,
  platform,
  arch
})

describe("a version of Node", () => {
  it.each([
    ["22.19.0", "2.27"],
    ["22.23.3", "2.36"],
    ["24.0.0", "2.38"],
    ["26.10.0", "2.41"],
    ["26.10.0", "3.0"]
  ])("%s runs the hub on glibc %s", (node, glibc) => expect(runtimeFault(on(node, glibc))).toBeUndefined())

  it.each([
    ["20.20.0", "2.36", "this is Node 20.20.0: run it on Node 22.19 or later, 24 or 26"],
    ["22.18.0", "2.36", "this is Node 22.18.0: run it on Node 22.19 or later, 24 or 26"],
    ["25.1.0", "2.41", "this is Node 25.1.0: run it on Node 22.19 or later, 24 or 26"],
    ["24.21.0", "2.36", "needs glibc 2.38 or later, this system has 2.36: use Node 22, or build it"],
    ["24.21.0", "2.17", "needs glibc 2.38 or later, this system has 2.17: use a later system, or build it"],
    ["22.23.3", undefined, "needs glibc, this system has none (Alpine has musl)"]
  ])("%s with glibc %s is refused in a sentence that says what to do", (node, glibc, sentence) =>
    expect(runtimeFault(on(node, glibc))).toContain(sentence)
  )

  it("is refused on another processor or system, with the way to a build of one's own", () => {
    expect(runtimeFault(on("22.23.3", undefined, "darwin", "arm64"))).toContain(
      "this is darwin-arm64: build it and name it"
    )
  })
})

describe("the doctor on Node", () => {
  const at = Date.parse("2026-11-27")

  it("says until when the version is maintained, and warns near its end", () => {
    const found = judgeNode(on("22.23.3", "2.36"), undefined, at)
    expect(found).toMatchObject({
      severity: "ok",
      found: "Node 22.23.3 on linux-x64, glibc 2.36; maintained until 2027-04-30"
    })
    expect(judgeNode(on("22.23.3", "2.36"), undefined, Date.parse("2027-02-01")).severity).toBe("warning")
  })

  it("calls it an error where the hub does not start, unless the native part is one's own", () => {
    expect(judgeNode(on("24.21.0", "2.36"), undefined, at).severity).toBe("error")
    expect(judgeNode(on("24.21.0", "2.36"), "/opt/uws.node", at)).toMatchObject({ severity: "ok" })
    expect(judgeNode(on("25.1.0", "2.41"), "/opt/uws.node", at).severity).toBe("warning")
  })
})
