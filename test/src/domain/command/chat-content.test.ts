/** What of a command's result may enter the store: nothing that an agent or a person said in a chat. */
import { describe, expect, it } from "vitest"
import { mayBeStored, withoutChat } from "../../../../src/domain/command/chat-content.ts"
import { chatAnswerBytesMax, chatIdCharsMax } from "../../../../src/limits/commands.ts"
import { commandTypes } from "../../../../src/protocol/frames.ts"

const kept = (type: (typeof commandTypes)[number], result: unknown): unknown => {
  const end = withoutChat(type, { state: "succeeded", result: JSON.stringify(result) })
  expect(end.state).toBe("succeeded")
  return end.result === undefined ? undefined : JSON.parse(end.result)
}

describe("the content of a chat", () => {
  it("is no row's, nor a result's, of a command that reads one", () => {
    const reading = commandTypes.filter((type) => !mayBeStored(type))
    expect(reading).toEqual(["read_chat", "chat_debug_bundle", "read_log"])
    for (const type of reading) expect(kept(type, { messages: ["a secret"] })).toBeUndefined()
  })

  it("leaves ids and flags of the answer to a message, and all of every other result", () => {
    const said = { accepted: true, messageId: "msg_7", sessionId: "s1", id: "m", reply: "a secret", turnIds: ["x"] }
    const ids = { accepted: true, messageId: "msg_7", sessionId: "s1", id: "m" }
    expect(kept("send_chat", { ...said, nextId: { text: "a secret" }, status: "idle" })).toEqual(ids)
    expect(kept("send_chat", "a secret")).toBeUndefined()
    expect(kept("terminal_exec", said)).toEqual(said)
  })

  it(`leaves ids of ${chatIdCharsMax} characters at most, of answers of ${chatAnswerBytesMax} bytes at most`, () => {
    const id = "x".repeat(chatIdCharsMax)
    expect(kept("send_chat", { messageId: id, textId: `${id}x` })).toEqual({ messageId: id })
    const pad = (bytes: number) => ({ accepted: true, pad: "x".repeat(bytes - '{"accepted":true,"pad":""}'.length) })
    expect(kept("send_chat", pad(chatAnswerBytesMax))).toEqual({ accepted: true })
    expect(kept("send_chat", pad(chatAnswerBytesMax + 1))).toBeUndefined()
  })

  it("is not looked for in an end without a result", () => {
    const end = { state: "failed", error: "no such session" } as const
    expect(withoutChat("send_chat", end)).toBe(end)
  })
})
