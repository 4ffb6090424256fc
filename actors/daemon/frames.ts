/**
 * What a daemon actor does about a frame. Owns the order of its checks: size, budget, shape, meaning. Results of commands
 * that somebody waits for, or waited for, cost the daemon nothing; every other frame does.
 */
import { daemonFrameBytesMax, resultFrameBytesMax } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { type DaemonFrame, decodeFrame, encodeFrame } from "../../src/protocol/codec.ts"
import type { CommandResult } from "../../src/protocol/frames.ts"
import type { CommandAnswer } from "../directory.ts"
import { acknowledge } from "./acks.ts"
import { charge, refund } from "./budget.ts"
import { end } from "./ending.ts"
import { noteMisfits, noteReport } from "./problems.ts"
import { digestOfReport, digestOfText, pictureAfter } from "./report.ts"
import type { DaemonAction, DaemonMessage, DaemonState, Ignored } from "./state.ts"

type Frame = Extract<DaemonMessage, { tell: "frame" }>

const ignore = (why: Ignored): ReadonlyArray<DaemonAction> => [{ do: "ignore", why }]

/** The turn of one text frame. */
export const decideFrame = (state: DaemonState, frame: Frame): ReadonlyArray<DaemonAction> => {
  const { text, bytes, now } = frame
  state.heardAt = now
  if (bytes > resultFrameBytesMax) return end(state, close.frameInvalid, "lost")
  const paid = charge(state.budget, now, bytes)
  if (paid && state.reportDigest !== "" && bytes <= daemonFrameBytesMax && digestOfText(text) === state.reportDigest) {
    return unchanged(state, now)
  }
  const decoded = decodeFrame(text)
  if (isFree(state, decoded)) {
    if (paid) refund(state.budget)
  } else if (!paid) return end(state, close.tooFast, "lost")
  if (bytes > daemonFrameBytesMax && !isResult(decoded)) return end(state, close.frameInvalid, "lost")
  return decideDecoded(state, decoded, frame)
}

/** Whether a frame is, or should have been, a result. */
export const isResult = (frame: DaemonFrame): boolean =>
  frame.type === "command_result" || (frame.type === "misfit" && frame.of === "command_result")

/** Whether a frame costs its daemon nothing: a result that somebody waits for, or waited for. */
export const isFree = (state: DaemonState, frame: DaemonFrame): boolean => {
  if (!isResult(frame)) return false
  const id = frame.type === "command_result" ? frame.data.id : frame.type === "misfit" ? frame.id : undefined
  return id !== undefined && (state.pending.has(id) || state.abandoned.has(id))
}

/** The turn of a frame that is read and paid for. */
export const decideDecoded = (state: DaemonState, decoded: DaemonFrame, frame: Frame): ReadonlyArray<DaemonAction> => {
  switch (decoded.type) {
    case "command_result":
      return noted(state, decoded, settle(state, decoded.data, frame.now))
    case "status_event":
      return noted(state, decoded, [{ do: "event", event: decoded.data }])
    case "status_report":
      return report(state, decoded, frame)
    case "misfit":
      return noted(state, decoded, misfit(state, decoded, frame.now))
    case "unknown":
      return unsupported(decoded.name)
    case "auth":
      return unsupported("auth")
    case "broken":
      return end(state, close.frameInvalid, "lost")
  }
}

const noted = (
  state: DaemonState,
  { misfits }: Extract<DaemonFrame, { type: "command_result" | "status_event" | "misfit" }>,
  actions: ReadonlyArray<DaemonAction>
): ReadonlyArray<DaemonAction> => (misfits === undefined ? actions : [...noteMisfits(state, misfits), ...actions])

const typeCharsShown = 64

const unsupported = (type: string): ReadonlyArray<DaemonAction> => [
  { do: "ignore", why: "unknown type" },
  { do: "send", text: encodeFrame({ type: "unsupported", data: { type: type.slice(0, typeCharsShown) } }) }
]

const settle = (state: DaemonState, result: CommandResult, now: number): ReadonlyArray<DaemonAction> => {
  const pending = state.pending.take(result.id)
  if (pending === undefined) return ignore(state.abandoned.delete(result.id) ? "late result" : "second result")
  return [{ do: "settle", pending, answer: answerOf(result, Math.max(0, now - pending.acceptedAt)) }]
}

/** What a result says to who waits. Member by member: copying what is left of an object is dear. */
export const answerOf = (given: CommandResult, durationMs: number): CommandAnswer => {
  const { id: commandId, success, result, error, code } = given
  if (error === undefined && code === undefined) return { commandId, success, result, durationMs }
  const words = { ...(error === undefined ? {} : { error }), ...(code === undefined ? {} : { code }) }
  return { commandId, success, result, ...words, durationMs }
}

/** What a daemon is told of whose answer made no sense: a refusal, as if it had said so itself. */
export const misshapen = {
  success: false,
  error: "The daemon's answer did not fit the protocol.",
  code: "RESULT_INVALID"
}

const misfit = (
  state: DaemonState,
  { of, id }: Extract<DaemonFrame, { type: "misfit" }>,
  now: number
): ReadonlyArray<DaemonAction> => {
  const ignored: DaemonAction = { do: "ignore", why: "misfit" }
  if (id === undefined || of === "status_report") return [ignored]
  // no better the next time: acknowledged, so that it is not sent for ever
  if (of === "status_event") return [ignored, ...acknowledge(state, id)]
  return [ignored, ...settle(state, { id, ...misshapen }, now)]
}

/** The same report again: only its time is new, and nothing is written or told. */
const unchanged = (state: DaemonState, now: number): ReadonlyArray<DaemonAction> => {
  state.picture = { ...state.picture, lastSeenAt: now, observedAt: now }
  return [{ do: "report", before: state.picture, after: state.picture, changed: false }]
}

const report = (
  state: DaemonState,
  { data, misfits }: Extract<DaemonFrame, { type: "status_report" }>,
  { text, now }: Frame
): ReadonlyArray<DaemonAction> => {
  const digest = digestOfText(text) ?? digestOfReport(data, misfits)
  if (digest === state.reportDigest) return unchanged(state, now)
  const before = state.reportDigest === "" ? undefined : state.picture
  state.reportDigest = digest
  state.picture = pictureAfter(state.picture, data, now)
  const notes = noteReport(state, misfits)
  return [...notes, { do: "report", before, after: state.picture, changed: true }]
}
