/**
 * What a large result comes to where its account may have no more read: its command fails, and its memory is free. What
 * an answer to a question comes to that was not sent, or whose result is large: where it failed the next is the first.
 */
import { Exit } from "effect"
import { expect, it } from "vitest"
import type { Pending } from "../../../actors/daemon/command-registry.ts"
import { type CommandContext, performCommand } from "../../../actors/daemon/perform-command.ts"
import { PromptAnswers } from "../../../actors/daemon/prompt-answers.ts"
import type { Daemon, DaemonState } from "../../../actors/daemon/state.ts"
import { largeFrameBytes } from "../../../src/limits.ts"

it("a large result for which the thread has no room fails its command, and gives its memory back", () => {
  const state = { snapshot: { accountId: "a", daemonId: "d" } } as DaemonState
  const self = {} as Daemon
  const answers: Array<unknown> = []
  const context = {
    workerThread: { put: () => false },
    records: { record: (_: string, answer: unknown) => void answers.push(answer) }
  } as unknown as CommandContext
  const waiter = (exit: Exit.Exit<unknown, unknown>): void => void answers.push(Exit.isSuccess(exit) && exit.value)
  const pending = { id: "cmd_1", waiter, timer: undefined } as unknown as Pending
  const [told, kept] = [new Uint8Array(largeFrameBytes), new Uint8Array(largeFrameBytes)]
  performCommand(context, { do: "check", pending, bytes: told, durationMs: 7 }, state, self)
  expect(answers).toMatchObject([{ commandId: "cmd_1", success: false, code: "RESULT_NOT_READ" }])
  // of a stored command: its daemon keeps it, and sends it again
  performCommand(context, { do: "read", id: "cmd_2", bytes: kept, durable: true }, state, self)
  expect([answers.length, told.byteLength, kept.byteLength]).toEqual([1, 0, 0])
  // of one whose daemon keeps none it would never come
  const lost = new Uint8Array(largeFrameBytes)
  performCommand(context, { do: "read", id: "cmd_3", bytes: lost, durable: false }, state, self)
  expect(answers.at(-1)).toMatchObject({ commandId: "cmd_3", success: false, code: "RESULT_NOT_READ" })
})

it.each([
  ["an answer that was not sent leaves its question to the next", "command", true, true],
  ["an answer that a large result refuses leaves its question to the next", "check", true, true],
  ["so it does where the result goes to a row", "read", true, true],
  ["an answer whose result was not read keeps others waiting, as it may have been given", "check", false, false],
  ["so it does where that goes to a row", "read", false, false]
] as const)("%s", (_, how, isRead, isFree) => {
  const sessions = [{ id: "s1", activeModal: { promptId: "p1" } }] as unknown as DaemonState["snapshot"]["sessions"]
  const answers = new PromptAnswers()
  const commands = { take: () => undefined, forgetRow: () => undefined }
  const snapshot = { accountId: "a", daemonId: "d", sessions }
  const state = { snapshot, answers, commands, peer: { send: () => "full" } } as unknown as DaemonState
  const read = { is: "frame", frame: { type: "command_result", data: { id: "cmd_1", success: false } } }
  const put = (_account: string, task: { readonly bytes: Uint8Array }, done: (read: unknown) => void): boolean => {
    if (isRead) done({ done: "frame", read, bytes: task.bytes })
    return isRead
  }
  const context = { workerThread: { put }, records: { record: () => {} } } as unknown as CommandContext
  const pending = { id: "cmd_1", waiter: () => {} } as unknown as Pending
  const bytes = new Uint8Array(largeFrameBytes)
  const actions = {
    command: { do: "command", text: "", pending, millis: 9 },
    check: { do: "check", pending, bytes, durationMs: 7 },
    read: { do: "read", id: "cmd_1", bytes, durable: false }
  } as const
  const answering = { sessionId: "s1", promptId: "p1", by: { kind: "key" }, decision: "approve" } as const
  answers.claim(sessions, answering, "cmd_1", Number.POSITIVE_INFINITY)
  expect(answers.refusal(sessions, answering, 0)).toMatchObject({ code: "already_resolved" })
  performCommand(context, actions[how], state, {} as Daemon)
  expect(answers.refusal(sessions, answering, 0) === undefined).toBe(isFree)
})
