/** The raw command route's own list. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { rawTypes, readRawCommand } from "../../../src/domain/rawcommand.ts"
import { commandTypes } from "../../../src/protocol/frames.ts"

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
  it("gives a daemon chat in both forms", () => {
    expect(readRawCommand("send_chat", { message: "hi", extra: 1 })).toEqual(
      Result.succeed({
        type: "send_chat",
        payload: { extra: 1, message: "hi", input: { parts: [{ type: "text", text: "hi" }], textFallback: "hi" } }
      })
    )
  })
})
