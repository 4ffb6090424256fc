/**
 * What a daemon actor does about a large frame: it is read off the loop, and until then only its beginning is known.
 * Owns what is asked for, what is told twice, and what becomes of a command whose result was read, or could not be.
 */
import { daemonFrameBytesMax, resultFrameBytesMax } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { beginningOf, type LargeFrame, LargeResult, textOfBytes } from "../../src/protocol/large-frame.ts"
import { isLogBytes } from "../../src/protocol/log-frames.ts"
import { end } from "./decide-end.ts"
import {
  answerOf,
  decideDecoded,
  decideFrame,
  decideReport,
  isFree,
  isResult,
  misshapen,
  notRead,
  pays
} from "./decide-frame.ts"
import { decideLargeLog } from "./decide-log.ts"
import { recordLarge } from "./decide-stored-command.ts"
import type { Pending } from "./pending-commands.ts"
import type { DaemonAction, DaemonMessage, DaemonState } from "./state.ts"

type Large = Extract<DaemonMessage, { tell: "large" }>
type Looked = Extract<DaemonMessage, { tell: "looked" }>

/** The turn of a large frame. */
export const decideLarge = (state: DaemonState, frame: Large): ReadonlyArray<DaemonAction> => {
  const { bytes, now } = frame
  state.heardAt = now
  if (bytes.byteLength > resultFrameBytesMax) return end(state, close.frameInvalid, "lost")
  const beginning = beginningOf(bytes)
  if (beginning.is === "unknown") return [{ do: "look", bytes }]
  if (beginning.is === "report") return decideReport(state, { given: bytes, bytes: bytes.byteLength }, now)
  if (beginning.is === "other") {
    if (state.logs !== undefined && isLogBytes(bytes)) {
      const decided = decideLargeLog(state, state.logs, bytes.byteLength, now)
      if (decided !== undefined) return decided
    }
    return bytes.byteLength > daemonFrameBytesMax ? end(state, close.frameInvalid, "lost") : asText(state, bytes, now)
  }
  const pending = state.pending.take(beginning.id)
  if (pending !== undefined) return [{ do: "check", pending, bytes, durationMs: Math.max(0, now - pending.acceptedAt) }]
  if (state.abandoned.delete(beginning.id)) return [{ do: "ignore", why: "late result" }]
  const recorded = recordLarge(state, beginning.id, bytes)
  if (recorded !== undefined) return recorded
  return pays(state, now, bytes.byteLength)
    ? [{ do: "ignore", why: "second result" }]
    : end(state, close.tooFast, "lost")
}

const asText = (state: DaemonState, bytes: Uint8Array, now: number): ReadonlyArray<DaemonAction> =>
  decideFrame(state, { tell: "frame", text: textOfBytes(bytes), bytes: bytes.byteLength, now })

/** The turn of a frame whose beginning said nothing, now that it is read. */
export const decideLooked = (state: DaemonState, { read, bytes, now }: Looked): ReadonlyArray<DaemonAction> => {
  // nobody could read it: whose result it is, if it is one, is not known
  if (read === undefined) return pays(state, now, bytes) ? [] : end(state, close.tooFast, "lost")
  if (read.is === "other") {
    return bytes > daemonFrameBytesMax ? end(state, close.frameInvalid, "lost") : asText(state, read.bytes, now)
  }
  const { frame } = read
  if (!isFree(state, frame) && !pays(state, now, bytes)) return end(state, close.tooFast, "lost")
  if (bytes > daemonFrameBytesMax && !isResult(frame)) return end(state, close.frameInvalid, "lost")
  const whole =
    frame.type === "command_result" && read.result !== undefined
      ? { ...frame, data: { ...frame.data, result: new LargeResult(read.result) } }
      : frame
  return decideDecoded(state, whole, { tell: "frame", text: "", bytes, now })
}

/** How a command ends whose result was read; undefined: its frame is no JSON, and the connection ends with it. */
export const answerOfLarge = (
  pending: Pick<Pending, "id">,
  durationMs: number,
  read: { readonly frame: LargeFrame; readonly bytes: Uint8Array } | undefined
): ReturnType<typeof answerOf> | undefined => {
  const { id } = pending
  if (read === undefined) return answerOf({ id, ...notRead }, durationMs)
  const { frame, bytes } = read
  if (frame.is === "result") {
    return answerOf({ id, success: true, result: new LargeResult(bytes.subarray(frame.from, frame.to)) }, durationMs)
  }
  if (frame.is === "other" || frame.frame.type !== "command_result" || frame.frame.data.id !== id) {
    const isBroken = frame.is === "frame" && frame.frame.type === "broken"
    return isBroken ? undefined : answerOf({ id, ...misshapen }, durationMs)
  }
  const { data } = frame.frame
  return answerOf(frame.result === undefined ? data : { ...data, result: new LargeResult(frame.result) }, durationMs)
}
