/**
 * What a daemon actor does about a large frame: it is read off the loop, and until then only its beginning is known.
 * Owns what is asked for, what is told twice, and what becomes of a command whose result was read, or could not be.
 */
import { daemonFrameBytesMax, resultFrameBytesMax } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { beginningOf, LargeResult, textOfBytes } from "../../src/protocol/large-frame.ts"
import { isLogBytes } from "../../src/protocol/log-frames.ts"
import { settleLarge } from "./decide-command.ts"
import { end } from "./decide-end.ts"
import { decideDecoded, decideFrame, decideReport, isFree, isResult, pays } from "./decide-frame.ts"
import { decideLargeLog } from "./decide-log.ts"
import type { DaemonAction, DaemonMessage, DaemonState } from "./state.ts"

type Large = Extract<DaemonMessage, { type: "large" }>
type Looked = Extract<DaemonMessage, { type: "looked" }>

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
  const settled = settleLarge(state, beginning.id, bytes, now)
  if (settled !== undefined) return settled
  return pays(state, now, bytes.byteLength)
    ? [{ do: "ignore", why: "second result" }]
    : end(state, close.tooFast, "lost")
}

const asText = (state: DaemonState, bytes: Uint8Array, now: number): ReadonlyArray<DaemonAction> =>
  decideFrame(state, { type: "frame", text: textOfBytes(bytes), bytes: bytes.byteLength, now })

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
  return decideDecoded(state, whole, { type: "frame", text: "", bytes, now })
}
