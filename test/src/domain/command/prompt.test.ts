/** When another prompt waits than the one that was seen. */
import { describe, expect, it } from "vitest"
import { isPromptChanged, promptOf, waitsOnAnother } from "../../../../src/domain/command/prompt.ts"

const modal = (promptId?: string) => ({
  activeModal: { message: "Go?", buttons: ["Yes"], ...(promptId !== undefined && { promptId }) }
})

describe("an approval that names its prompt", () => {
  it("is refused where the session reports another, and only there", () => {
    expect(waitsOnAnother(modal("p2"), "p1")).toBe(true)
    expect(waitsOnAnother(modal("p1"), "p1")).toBe(false)
    expect(waitsOnAnother(modal(), "p1")).toBe(false)
    expect(waitsOnAnother({}, "p1")).toBe(false)
  })
  it("is one that resolves an action and carries an id", () => {
    expect(promptOf({ type: "resolve_action", payload: { action: "approve", promptId: "p1" } })).toBe("p1")
    for (const payload of [{ action: "approve" }, { promptId: 7 }, null, "p1"]) {
      expect(promptOf({ type: "resolve_action", payload })).toBeUndefined()
    }
    expect(promptOf({ type: "send_chat", payload: { promptId: "p1" } })).toBeUndefined()
  })
  it("is known from the daemon's code to have met another, and from nothing else", () => {
    expect(isPromptChanged({ success: false, code: "prompt_changed" })).toBe(true)
    expect(isPromptChanged({ success: true, code: "prompt_changed" })).toBe(false)
    expect(isPromptChanged({ success: false, code: "no_prompt" })).toBe(false)
    expect(isPromptChanged({ success: false })).toBe(false)
  })
})
