/** When the prompt that was seen still waits. */
import { describe, expect, it } from "vitest"
import { forDaemon, isPromptChanged, promptOf, waitsOn } from "../../../../src/domain/command/prompt.ts"

const modal = (promptId?: string) => ({
  activeModal: { message: "Go?", buttons: ["Yes"], ...(promptId !== undefined && { promptId }) }
})

describe("an approval that names its prompt", () => {
  it("is taken where the session reports that prompt, and only there", () => {
    expect(waitsOn(modal("p1"), "p1")).toBe(true)
    for (const other of [modal("p2"), modal(), {}]) expect(waitsOn(other, "p1")).toBe(false)
  })
  it("names its daemon an id of the daemon's own, and none that the hub gave", () => {
    const command = (promptId: string) => ({
      accountId: "a",
      daemonId: "d",
      type: "resolve_action" as const,
      payload: { action: "approve", promptId }
    })
    expect(forDaemon(command("p1")).payload).toEqual({ action: "approve", promptId: "p1" })
    expect(forDaemon(command("hub-x")).payload).toEqual({ action: "approve" })
  })
  it("is one that resolves an action and carries an id", () => {
    expect(promptOf({ type: "resolve_action", payload: { action: "approve", promptId: "p1" } })).toBe("p1")
    for (const payload of [{ action: "approve" }, { promptId: 7 }, null, "p1"])
      expect(promptOf({ type: "resolve_action", payload })).toBeUndefined()
    expect(promptOf({ type: "send_chat", payload: { promptId: "p1" } })).toBeUndefined()
  })
  it("is known from the daemon's code to have met another, and from nothing else", () => {
    expect(isPromptChanged({ success: false, code: "prompt_changed" })).toBe(true)
    expect(isPromptChanged({ success: true, code: "prompt_changed" })).toBe(false)
    expect(isPromptChanged({ success: false, code: "no_prompt" })).toBe(false)
    expect(isPromptChanged({ success: false })).toBe(false)
  })
})
