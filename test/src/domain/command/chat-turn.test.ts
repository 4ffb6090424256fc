/** When a turn has begun and is over, and which messages of a chat belong to it. */
import { describe, expect, it } from "vitest"
import {
  isOver,
  messageIdOf,
  noChat,
  observe,
  type Turn,
  type TurnChat,
  type TurnWait,
  turnChat
} from "../../../../src/domain/command/chat-turn.ts"
import type { AgentState } from "../../../../src/domain/daemon/target-resolution.ts"

const seen = (before: AgentState, ...states: ReadonlyArray<AgentState>): Turn =>
  states.reduce(observe, { state: before, begun: false } as Turn)
const chat = (more: Partial<TurnChat> = {}): TurnChat => ({ ...noChat, messages: [], ...more })

it.each<[AgentState, ReadonlyArray<AgentState>, Partial<TurnChat>, TurnWait, boolean, string]>([
  ["idle", [], { state: "idle" }, "idle", false, "has not begun while its agent only seems idle"],
  ["idle", ["generating"], {}, "idle", false, "goes on while its agent is at work"],
  ["idle", ["generating", "idle"], {}, "idle", true, "is over when its agent is idle after work"],
  ["idle", [], { grew: true, state: "idle" }, "idle", true, "that no report showed is over when the chat grew"],
  ["idle", [], { grew: true, state: "generating" }, "idle", false, "goes on while the chat says so"],
  ["idle", ["generating", "idle"], { state: "generating" }, "idle", false, "goes on after a late report"],
  ["generating", ["idle"], { state: "idle" }, "idle", false, "is not the one before it, which ended"],
  ["generating", ["idle", "generating", "idle"], {}, "idle", true, "that waited for the one before is over after it"],
  ["idle", ["generating", "waiting_approval"], {}, "idle", false, "goes on while an approval is awaited"],
  ["idle", ["generating", "waiting_approval"], {}, "approval", true, "is answered with the approval it awaits"],
  [
    "waiting_approval",
    [],
    { state: "waiting_approval" },
    "approval",
    true,
    "that meets an approval is answered with it"
  ],
  ["waiting_approval", [], { state: "idle" }, "approval", false, "is not over because an approval is"],
  ["idle", ["error"], {}, "idle", true, "is over when its agent failed"],
  ["error", [], { state: "error" }, "idle", false, "has not begun while its agent is in the error of before"],
  ["error", ["generating", "idle"], {}, "approval", true, "heals an agent that was in error"]
])("a turn of one that was %s, then %j (%j, wait=%s): over %s, as it %s", (before, states, more, wait, over) =>
  expect(isOver(seen(before, ...states), chat(more), wait)).toBe(over)
)

describe("the messages of a turn", () => {
  const [old, asked, tool, said] = [
    { id: "m1", role: "assistant", text: "before" },
    { id: "m2", role: "user", text: "go" },
    { id: "m3", role: "tool", text: "ls" },
    { id: "m4", role: "assistant", text: "done" }
  ]
  it("follow the one that the daemon named as it took it", () => {
    const later = { id: "m5", role: "user", text: "another caller's" }
    const read = turnChat({ messages: [old, asked, tool, said, later], status: "idle" }, "m2")
    expect(read).toEqual({ messages: [tool, said, later], grew: true, state: "idle", activeModal: undefined })
    expect(turnChat({ messages: [{ messageId: "m2" }, said] }, "m2").messages).toEqual([said])
    expect(turnChat({ messages: [said], stopReason: "max_tokens" }, "m2").stopReason).toBe("max_tokens")
  })
  it("follow the last one of a user where the daemon named none, or keeps it no more", () => {
    for (const messageId of [undefined, "m0"])
      expect(turnChat({ messages: [old, asked, tool, said] }, messageId).messages).toEqual([tool, said])
    expect(turnChat({ messages: [old, asked] }, undefined)).toMatchObject({ messages: [], grew: false })
  })
  it("are the whole chat where no message is a user's, which says nothing of its growth", () => {
    expect(turnChat({ messages: [old, "text", null, 7] }, undefined)).toMatchObject({
      messages: [old, "text", null, 7],
      grew: false
    })
  })
  it("are unknown where the daemon sends none, whatever else it sends", () => {
    for (const messages of [undefined, null, "x", {}, 7])
      expect(turnChat({ messages, status: 7, activeModal: "x" }, "m1")).toEqual(noChat)
  })
  it("are found by an id only where the daemon gave one that is text", () => {
    expect(messageIdOf({ messageId: "m2" })).toBe("m2")
    for (const result of [undefined, null, "m2", { messageId: 7 }, []]) expect(messageIdOf(result)).toBeUndefined()
  })
})
