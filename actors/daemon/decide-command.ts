/**
 * What a daemon actor does about commands and their results: sends each once, gives a result to the caller or the row
 * that it is for, acknowledges what is committed. Owns those turns, and what a caller is told where the daemon's words
 * are none; command-records.ts owns the rows.
 */
import { mayBeStored } from "../../src/domain/command/chat-content.ts"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import { isId } from "../../src/domain/ids.ts"
import { CommandTimeout, DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import { answerClaimMillisMax } from "../../src/limits/approvals.ts"
import { overloadRetrySeconds, pendingCommandsMax } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import { type CommandResult, sessionLogCapability } from "../../src/protocol/frames.ts"
import { type LargeFrame, LargeResult } from "../../src/protocol/large-frame.ts"
import type { Pending } from "./command-registry.ts"
import { end } from "./decide-end.ts"
import { PromptAnswers } from "./prompt-answers.ts"
import type { DaemonAction, DaemonMessage, DaemonState } from "./state.ts"

/** The capability of a daemon that keeps commands over its connections. */
export const durableCommands = "durable_commands"
/** The capability of a daemon that can end a command. */
export const commandCancel = "command_cancel"

const nothing: ReadonlyArray<DaemonAction> = []
const lateResult: ReadonlyArray<DaemonAction> = [{ do: "ignore", why: "late result" }]
const full = new Overloaded({ retryAfter: overloadRetrySeconds })

const wordsOf = (error: string, code: string) => ({ success: false, error, code })
/** What a daemon is told of whose answer made no sense: a refusal, as if it had said so itself. */
export const misshapen = wordsOf("The daemon's answer did not fit the protocol.", "RESULT_INVALID")
/** What a caller is told where a daemon's answer was not read. */
export const notRead = wordsOf(
  "The daemon's answer was not read: too many large ones of this account wait.",
  "RESULT_NOT_READ"
)
const tooLarge = wordsOf("The daemon's answer is larger than a result may be.", "RESULT_TOO_LARGE")
const unread: ReadonlySet<unknown> = new Set([misshapen, notRead, tooLarge].map(({ code }) => code))
const featureMissing = wordsOf("The daemon does not have this feature.", "feature_missing")

/** Of what a daemon names in its `auth`, what is a durable command. */
export const namedCommands = (
  capabilities: ReadonlyArray<string> | undefined,
  commands: ReadonlyArray<string> | undefined
): ReadonlyArray<string> =>
  capabilities?.includes(durableCommands) === true ? (commands ?? []).filter((id) => isId("command", id)) : []

export const acceptCommand = (
  state: DaemonState,
  { pending, text, millis }: Extract<DaemonMessage, { type: "command" }>
): ReadonlyArray<DaemonAction> => {
  const { commands, capabilities, snapshot } = state
  const { id, type, row, acceptedAt, answering } = pending
  if (answering !== undefined) state.answers ??= new PromptAnswers()
  const refused = answering && state.answers?.refusal(snapshot.sessions, answering, acceptedAt)
  if (refused !== undefined) return [{ do: "settle", pending, answer: answerOf({ id, ...refused }, 0) }]
  if (row === undefined && commands.size < pendingCommandsMax) {
    if (type === "read_log" && !capabilities.has(sessionLogCapability)) {
      return [{ do: "settle", pending, answer: answerOf({ id, ...featureMissing }, 0) }]
    }
    commands.add(pending)
  } else if (row === undefined || !commands.addRow(id, row, acceptedAt)) {
    return [{ do: "fail", pending, failure: full }]
  }
  const until = acceptedAt + Math.min(millis, answerClaimMillisMax)
  if (answering !== undefined) state.answers?.claim(snapshot.sessions, answering, id, until)
  return [{ do: "command", text, pending, millis }]
}

/** A command comes to a connection that is over. */
export const refuseCommand = (pending: Pending): DaemonAction => ({
  do: "fail",
  pending,
  failure: new DaemonSocketLost({ commandId: pending.id })
})

/** The caller left; the result may still come, and is then free. */
export const abandonCommand = ({ commands }: DaemonState, id: string): ReadonlyArray<DaemonAction> => {
  const pending = commands.take(id)
  if (pending === undefined) return nothing
  commands.abandon(id)
  return [{ do: "unwatch", timer: pending.timer }]
}

/** The deadline of a call passed: its result may still come, and has a row then. That of a chat is dropped. */
export const expireCommand = ({ commands }: DaemonState, id: string): ReadonlyArray<DaemonAction> => {
  const pending = commands.take(id)
  if (pending === undefined) return nothing
  if (mayBeStored(pending.type)) {
    commands.late(id)
    return [{ do: "timeOut", pending }]
  }
  commands.abandon(id)
  return [{ do: "fail", pending, failure: new CommandTimeout({ commandId: id }) }]
}

/** Its account wants the end of a command. */
export const cancelCommand = ({ capabilities }: DaemonState, id: string): ReadonlyArray<DaemonAction> =>
  capabilities.has(commandCancel)
    ? [{ do: "send", text: encodeFrame({ type: "command_cancel", data: { id } }) }]
    : nothing

/** The row of a command has its result, or does not want one any more. */
export const resultRecorded = ({ commands, capabilities }: DaemonState, id: string): ReadonlyArray<DaemonAction> => {
  commands.forgetRow(id)
  if (!capabilities.has(durableCommands)) return nothing
  return [{ do: "send", text: encodeFrame({ type: "result_ack", data: { ids: [id] } }) }]
}

/** What became of an answer to a question. What the daemon did is unknown where it was not read: others wait then. */
export const noteAnswer = (
  { answers }: DaemonState,
  id: string,
  { success, code }: Omit<CommandResult, "id">
): void => {
  if (!unread.has(code)) answers?.settled(id, success)
}

export const settleResult = (state: DaemonState, result: CommandResult, now: number): ReadonlyArray<DaemonAction> => {
  const { commands } = state
  noteAnswer(state, result.id, result)
  const pending = commands.take(result.id)
  if (pending !== undefined) {
    return [{ do: "settle", pending, answer: answerOf(result, Math.max(0, now - pending.acceptedAt)) }]
  }
  if (commands.takeAbandoned(result.id)) return lateResult
  // one that is sent again after its acknowledgement was lost is acknowledged again
  const mayBeOurs = state.capabilities.has(durableCommands) && isId("command", result.id)
  if (commands.hasRow(result.id) || mayBeOurs) return [{ do: "record", answer: answerOf(result, 0) }]
  return [{ do: "ignore", why: "second result" }]
}

/** The same of a large one, which is not read yet. Undefined: it is for no command of this connection. */
export const settleLarge = (
  { commands }: DaemonState,
  id: string,
  bytes: Uint8Array,
  now: number
): ReadonlyArray<DaemonAction> | undefined => {
  const pending = commands.take(id)
  if (pending !== undefined) return [{ do: "check", pending, bytes, durationMs: Math.max(0, now - pending.acceptedAt) }]
  if (commands.takeAbandoned(id)) return lateResult
  return commands.hasRow(id) ? [{ do: "read", id, bytes, durable: commands.isDurable(id) }] : undefined
}

/** Only an id that was asked for counts: a quote within a text has a backslash before it. */
const idsIn = (edges: string): ReadonlyArray<string> =>
  [...edges.matchAll(/"id"\s*:\s*"(\w{1,64})"/gu)].map((match) => match[1]!)

/** A frame that is larger than any may be came: the command fails whose id is at its two ends, of a text not parsed. */
export const settleOversized = (
  state: DaemonState,
  { edges, now }: Extract<DaemonMessage, { type: "oversized" }>
): ReadonlyArray<DaemonAction> => {
  state.heardAt = now
  const id = idsIn(edges).find((one) => state.commands.expects(one))
  return id === undefined ? end(state, close.frameInvalid, "lost") : settleResult(state, { id, ...tooLarge }, now)
}

/** The connection was cut off because of such a frame: when one command alone waited, it was its result. */
export const tooLargeByItself = ({ commands, heardAt }: DaemonState): ReadonlyArray<DaemonAction> => {
  const pending = commands.size === 1 ? commands.takeOldest() : undefined
  if (pending === undefined) return nothing
  const durationMs = Math.max(0, heardAt - pending.acceptedAt)
  return [{ do: "settle", pending, answer: answerOf({ id: pending.id, ...tooLarge }, durationMs) }]
}

/** What a result says to who waits. Member by member: copying the rest of an object is expensive. */
const answerOf = (given: CommandResult, durationMs: number): CommandAnswer => {
  const { id: commandId, success, result, error, code } = given
  if (error === undefined && code === undefined) return { commandId, success, result, durationMs }
  const words = { ...(error === undefined ? {} : { error }), ...(code === undefined ? {} : { code }) }
  return { commandId, success, result, ...words, durationMs }
}

/** How a command ends whose result was read; undefined: its frame is no JSON, and the connection ends with it. */
export const answerOfLarge = (
  id: string,
  durationMs: number,
  read: { readonly frame: LargeFrame; readonly bytes: Uint8Array } | undefined
): CommandAnswer | undefined => {
  if (read === undefined) return answerOf({ id, ...notRead }, durationMs)
  const { frame, bytes } = read
  if (frame.is === "result") {
    return answerOf(
      { id, success: true, result: new LargeResult(bytes.subarray(frame.from, frame.to), true) },
      durationMs
    )
  }
  if (frame.is === "other" || frame.frame.type !== "command_result" || frame.frame.data.id !== id) {
    const isBroken = frame.is === "frame" && frame.frame.type === "broken"
    return isBroken ? undefined : answerOf({ id, ...misshapen }, durationMs)
  }
  const { data } = frame.frame
  return answerOf(frame.result === undefined ? data : { ...data, result: new LargeResult(frame.result) }, durationMs)
}
