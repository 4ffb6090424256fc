/** The raw command route's own list. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { rawTypes, readRawCommand } from "../../../../src/domain/command/raw-command.ts"
import { promptIdCharsMax } from "../../../../src/limits.ts"
import { commandTypes } from "../../../../src/protocol/frames.ts"

const refused = (type: string, payload: Record<string, unknown>) => {
  const read = readRawCommand(type, payload)
  return Result.isFailure(read) && read.failure._tag === "ValidationFailed"
    ? read.failure.issues.map((issue) => issue.path)
    : read
}

describe("a raw command", () => {
  it.each(["approve", "reject", "always"])("that resolves an action passes %s", (action) => {
    expect(readRawCommand("resolve_action", { action, button: "Yes, and do not ask again" })).toEqual(
      Result.succeed({ type: "resolve_action", payload: { action, button: "Yes, and do not ask again" } })
    )
  })
  it("that resolves an action passes the prompt that was seen, and refuses an id that names none", () => {
    const payload = { action: "approve", promptId: "p1" }
    expect(readRawCommand("resolve_action", payload)).toEqual(Result.succeed({ type: "resolve_action", payload }))
    for (const promptId of ["", " ", 7, ["p1"], "x".repeat(promptIdCharsMax + 1)])
      expect(refused("resolve_action", { action: "approve", promptId })).toEqual(["payload.promptId"])
  })
  it("is one of the seven documented types", () => {
    expect(rawTypes).toHaveLength(7)
    const others = [
      ...commandTypes.filter((type) => !(rawTypes as ReadonlyArray<string>).includes(type)),
      "toString",
      ""
    ]
    for (const type of others) expect(refused(type, { command: "ls" })).toEqual(["type"])
  })
  it.each([
    ["send_chat", {}, ["payload.message"]],
    ["send_chat", { message: 7 }, ["payload.message"]],
    ["send_chat", { message: " " }, ["payload.message"]],
    ["send_chat", { input: { parts: "x" } }, ["payload.input"]],
    ["send_chat", { input: { parts: [{ type: "image", text: "" }] } }, ["payload.input.parts.0.type"]],
    ["resolve_action", {}, ["payload.action"]],
    ["resolve_action", { action: "maybe" }, ["payload.action"]],
    ["resolve_action", { action: ["always"] }, ["payload.action"]],
    ["screenshot", { width: -1 }, ["payload.width"]],
    ["screenshot", { width: "9" }, ["payload.width"]],
    ["launch_ide", { enableCdp: "yes" }, ["payload.ideType", "payload.enableCdp"]],
    ["launch_cli", { cliType: "", dir: 7 }, ["payload.cliType", "payload.dir"]],
    ["stop_cli", {}, ["payload.cliType"]],
    ["read_chat", { targetSessionId: 7 }, ["payload.targetSessionId"]]
  ])("%s with %j is refused at %j", (type, payload, paths) => expect(refused(type, payload)).toEqual(paths))
  it("passes keys the specification does not name, and takes the session it addresses out of the payload", () => {
    expect(readRawCommand("screenshot", { width: 800, quality: 3, targetSessionId: "s" })).toEqual(
      Result.succeed({ type: "screenshot", payload: { width: 800, quality: 3 }, targetSessionId: "s" })
    )
    expect(readRawCommand("read_chat", {})).toEqual(Result.succeed({ type: "read_chat", payload: {} }))
  })
  it("has no member that is null, where the specification names it; others pass", () => {
    const read = (type: string, payload: Record<string, unknown>) => Result.getOrThrow(readRawCommand(type, payload))
    expect(read("screenshot", { width: null, targetSessionId: null, quality: null })).toEqual({
      type: "screenshot",
      payload: { quality: null }
    })
    expect(read("launch_cli", { cliType: "c", dir: null, model: null }).payload).toEqual({ cliType: "c" })
    expect(read("launch_ide", { ideType: "i", enableCdp: null }).payload).toEqual({ ideType: "i" })
    const said = { message: "hi", input: { parts: [{ type: "text", text: "hi" }], textFallback: "hi" } }
    expect(read("send_chat", { message: "hi", input: null, agentType: null }).payload).toEqual(said)
    const nulled = { message: null, input: { parts: null, textFallback: "hi" } }
    expect(read("send_chat", nulled).payload).toEqual(said)
    expect(refused("resolve_action", { action: null })).toEqual(["payload.action"])
  })
  it("has no empty dir, model or agentType, and is refused with an empty session", () => {
    const launch = { cliType: "c", dir: "", model: "" }
    expect(readRawCommand("launch_cli", launch)).toMatchObject({ success: { payload: { cliType: "c" } } })
    expect(readRawCommand("read_chat", { agentType: "" })).toMatchObject({ success: { payload: {} } })
    expect(refused("read_chat", { targetSessionId: "" })).toEqual(["payload.targetSessionId"])
    expect(refused("launch_cli", { cliType: null })).toEqual(["payload.cliType"])
  })
  it("gives a daemon chat in both forms", () => {
    expect(readRawCommand("send_chat", { message: "hi", extra: 1 })).toEqual(
      Result.succeed({
        type: "send_chat",
        payload: { extra: 1, message: "hi", input: { parts: [{ type: "text", text: "hi" }], textFallback: "hi" } }
      })
    )
  })
})
