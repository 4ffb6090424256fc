/** What an agent asks before it acts, and what never leaves the machine. */
import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk"
import { describe, expect, it } from "vitest"
import { questionCharactersMax, questionsMax } from "../../daemon/limits.ts"
import { Questions } from "../../daemon/questions.ts"
import { redacted } from "../../daemon/redaction.ts"
import { virtualClock } from "../support/virtual-clock.ts"

const option = (kind: PermissionOption["kind"]): PermissionOption => ({ optionId: kind, name: `<${kind}>`, kind })

const asked = (title: string, ...kinds: ReadonlyArray<PermissionOption["kind"]>): RequestPermissionRequest => ({
  sessionId: "s",
  toolCall: { toolCallId: "c", title },
  options: kinds.map(option)
})

const never = new AbortController().signal
const clock = virtualClock()
const quiet = { clock, shown: () => undefined, resolved: () => undefined }

describe("a question of an agent", () => {
  it.each([
    ["approve", ["allow_always", "allow_once", "reject_once"], "allow_once"],
    ["approve", ["allow_always", "reject_once"], "allow_always"],
    ["reject", ["allow_once", "reject_always", "reject_once"], "reject_once"],
    ["reject", ["allow_once", "reject_always"], "reject_always"],
    ["always", ["allow_once", "allow_always"], "allow_always"]
  ] as const)("answered with %s among %j takes %s", async (action, kinds, taken) => {
    const questions = new Questions(quiet)
    const answer = questions.ask(asked("Delete?", ...kinds), never)
    expect(questions.resolve(action)).toBe("resolved")
    expect(await answer).toEqual({ outcome: { outcome: "selected", optionId: taken } })
    expect(questions.shown).toBeUndefined()
  })
  it("that cannot be allowed is not approved, and a rejection cancels one that has no button for it", async () => {
    const questions = new Questions(quiet)
    void questions.ask(asked("A", "reject_once"), never)
    expect(questions.resolve("approve")).toBe("nothing")
    expect(questions.shown?.message).toBe("A")
    questions.cancel()
    void questions.ask(asked("Once", "allow_once", "reject_once"), never)
    expect(questions.resolve("always")).toBe("nothing")
    questions.cancel()
    const answer = questions.ask(asked("B", "allow_once"), never)
    expect(questions.resolve("reject")).toBe("resolved")
    expect(await answer).toEqual({ outcome: { outcome: "cancelled" } })
  })
  it("is shown with its text and the names of its buttons, first come first", () => {
    const questions = new Questions(quiet)
    void questions.ask(asked("First", "allow_once", "reject_once"), never)
    void questions.ask(asked("Second", "allow_once"), never)
    expect(questions.shown).toMatchObject({ message: "First", buttons: ["<allow_once>", "<reject_once>"] })
    questions.resolve("reject")
    expect(questions.shown?.message).toBe("Second")
  })
  it("is cut to whole characters", () => {
    const questions = new Questions(quiet)
    const long = `${"a".repeat(questionCharactersMax - 1)}😀`
    const request = asked(long, "allow_once")
    void questions.ask({ ...request, options: [{ ...request.options[0]!, name: long }] }, never)
    const whole = "a".repeat(questionCharactersMax - 1)
    expect(questions.shown).toMatchObject({ message: whole, buttons: [whole] })
  })

  it("has an id of its own, and an answer that means another is not taken", async () => {
    const told: Array<unknown> = []
    const questions = new Questions({
      clock,
      shown: (modal) => void told.push(modal?.message),
      resolved: ({ promptId, action }) => void told.push([promptId, action])
    })
    const first = questions.ask(asked("First", "allow_once"), never)
    const second = questions.ask(asked("Second", "allow_once"), never)
    const { promptId } = questions.shown!
    questions.resolve("approve", promptId)
    expect(await first).toMatchObject({ outcome: { outcome: "selected" } })
    expect(questions.resolve("approve", promptId)).toBe("changed")
    const next = questions.shown!.promptId
    expect(next).not.toBe(promptId)
    questions.resolve("reject", next)
    expect(await second).toEqual({ outcome: { outcome: "cancelled" } })
    expect(questions.resolve("approve", next)).toBe("nothing")
    expect(told).toEqual(["First", [promptId, "approve"], "Second", [next, "reject"], undefined])
  })
  it("that is cancelled with all others is the only one of them that is told of", () => {
    const told: Array<unknown> = []
    const questions = new Questions({
      clock,
      shown: (modal) => void told.push(modal?.message),
      resolved: ({ action }) => void told.push(action)
    })
    for (const title of ["First", "Second", "Third"]) void questions.ask(asked(title, "allow_once"), never)
    questions.cancel()
    expect(told).toEqual(["First", "cancelled", undefined])
  })
  it("goes away when the agent withdraws it", async () => {
    const questions = new Questions(quiet)
    const withdraw = new AbortController()
    const answer = questions.ask(asked("A", "allow_once"), withdraw.signal)
    withdraw.abort()
    expect(await answer).toEqual({ outcome: { outcome: "cancelled" } })
    expect(questions.resolve("approve")).toBe("nothing")
  })
  it("too many is refused as an error, never answered in the owner's name", async () => {
    const questions = new Questions(quiet)
    for (let at = 0; at < questionsMax; at++) void questions.ask(asked(String(at), "allow_once"), never)
    await expect(questions.ask(asked("more", "allow_once"), never)).rejects.toThrow(`${questionsMax} questions wait`)
    expect(questions.shown?.message).toBe("0")
  })

  it("is rejected when its time is over, which begins when it is shown", async () => {
    const told: Array<unknown> = []
    const questions = new Questions({
      ...quiet,
      resolved: ({ action, isTimeout }) => void told.push([action, isTimeout])
    })
    const ask = (title: string, reject: boolean) =>
      questions.ask(asked(title, "allow_once", "reject_once"), never, { deadline: { millis: 1_000, reject } })
    const first = ask("First", true)
    const second = ask("Second", true)
    void ask("Third", false)
    expect(questions.shown?.expiresAt).toBe(clock.now() + 1_000)
    clock.advance(999)
    expect(questions.shown?.message).toBe("First")
    clock.advance(1)
    expect(await first).toEqual({ outcome: { outcome: "selected", optionId: "reject_once" } })
    clock.advance(1_000)
    expect(await second).toEqual({ outcome: { outcome: "selected", optionId: "reject_once" } })
    clock.advance(100_000)
    expect(questions.shown).toMatchObject({ message: "Third" })
    expect(questions.shown?.expiresAt).toBeUndefined()
    expect(told).toEqual([
      ["reject", true],
      ["reject", true]
    ])
  })

  it("is answered by an option, where the agent offers it", async () => {
    const questions = new Questions(quiet)
    const answer = questions.ask(asked("A", "allow_once", "allow_always"), never)
    expect(questions.resolve({ optionId: "other" })).toBe("nothing")
    expect(questions.resolve({ optionId: "allow_always" })).toBe("resolved")
    expect(await answer).toEqual({ outcome: { outcome: "selected", optionId: "allow_always" } })
  })
})

it("a debug bundle holds no value whose name or shape is that of a secret", () => {
  const secrets = {
    apiKey: "abc",
    nested: [{ Authorization: "x" }],
    args: ["--token", "abc-secret", "--verbose", "yes"],
    text: "Authorization: Bearer abcdefghijkl and token=qwertyuiop and sk-abcdefghijklmno, hubj_stuvwxyzstuvwxyz"
  }
  const text = JSON.stringify(redacted(secrets))
  for (const secret of ["abc-secret", "abcdefghijkl", "qwertyuiop", "stuvwxyz", '"x"', '"abc"'])
    expect(text).not.toContain(secret)
  expect(text).toContain('"yes"')
})
it("a debug bundle leaves out what lies deeper than eight levels", () => {
  let deep: unknown = "bottom"
  for (let at = 0; at < 12; at++) deep = { deep }
  expect(JSON.stringify(redacted(deep))).not.toContain("bottom")
})
