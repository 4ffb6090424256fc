/** Ids for the prompts of daemons that give none. */
import { describe, expect, it } from "vitest"
import { isHubPrompt, withPromptIds } from "../../../../src/domain/daemon/prompt-ids.ts"
import type { SessionReport } from "../../../../src/protocol/frames.ts"
import { session } from "../../../support/snapshots.ts"

const asking = (message: string, buttons = ["Yes"], id = "s") => session(id, { activeModal: { message, buttons } })
const idOf = (sessions: ReadonlyArray<SessionReport>, at = 0) => sessions[at]!.activeModal?.promptId

describe("a prompt without an id", () => {
  const first = withPromptIds([], [asking("Go?")], 1)

  it("gets one, and keeps it while the same question waits", () => {
    expect(isHubPrompt(idOf(first)!)).toBe(true)
    expect(idOf(withPromptIds(first, [asking("Go?")], 2))).toBe(idOf(first))
  })

  it.each([
    ["other words", [asking("Stop?")]],
    ["other buttons", [asking("Go?", ["No"])]],
    ["another session", [asking("Go?", ["Yes"], "t")]]
  ])("is another with %s", (_, sessions) => expect(idOf(withPromptIds(first, sessions, 2))).not.toBe(idOf(first)))

  it("is another when none waited in between, though its words are the same", () => {
    const between = withPromptIds(first, [session("s")], 2)
    expect(idOf(withPromptIds(between, [asking("Go?")], 3))).not.toBe(idOf(first))
  })
})

it("a report whose prompts have ids, or that has no prompts stays as it is", () => {
  const modal = { promptId: "p", message: "Go?", buttons: [] }
  const own = [session("s", { activeModal: { ...modal, askedAt: 5 } }), session("t")]
  expect(withPromptIds([], own, 1)).toBe(own)
  const untimed = [session("s", { activeModal: modal })]
  const first = withPromptIds([], untimed, 1)
  expect(first).toEqual([session("s", { activeModal: { ...modal, askedAt: 1 } })])
  expect(withPromptIds(first, untimed, 2)).toEqual(first)
})
