/**
 * What a daemon actor does about a frame. Owns the order of its checks: size, budget, shape, meaning. Results of
 * commands that somebody waits for, or waited for, cost the daemon nothing; every other frame does.
 */

import { approvalChanges } from "../../src/domain/approval/approval.ts"
import { rememberSessions } from "../../src/domain/daemon/session-memory.ts"
import { costOf } from "../../src/domain/limits/cost.ts"
import { cutToChars } from "../../src/domain/text/truncate.ts"
import { updateReasonCharsMax } from "../../src/limits/daemon-versions.ts"
import { daemonFrameBytesMax, frameCostMax, heavyFrameCost, resultFrameBytesMax } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { type DaemonFrame, decodeFrame, encodeFrame, extentOf } from "../../src/protocol/codec.ts"
import { readEnvelope } from "../../src/protocol/envelope.ts"
import type { UpdateResult } from "../../src/protocol/frames.ts"
import { isLogText } from "../../src/protocol/log-frames.ts"
import { nodeHasRoom, oweNode, takeCost, takeFrame, takeQuestions, takeResultCost } from "./account-share.ts"
import { misshapen, notRead, settleLarge, settleResult } from "./decide-command.ts"
import { end } from "./decide-end.ts"
import { acknowledge, decideEvent } from "./decide-event.ts"
import { decideLogDecoded, decideLogText } from "./decide-log.ts"
import { charge } from "./frame-budget.ts"
import { noteMisfits, noteReport } from "./problems.ts"
import { digestOfBytes, digestOfReport, digestOfText, snapshotAfter } from "./report.ts"
import { admitReport, dropHeld, keepReport, readReport, takeHeld } from "./report-reading.ts"
import type { DaemonAction, DaemonMessage, DaemonState, GivenReport } from "./state.ts"

type Frame = Extract<DaemonMessage, { type: "frame" }>

const typeFirst = /^\s*\{\s*"type"/u

/** Logs have budgets of their own, to which one is held before it is parsed, also where its type is at its end. */
const isLog = (text: string): boolean =>
  isLogText(text) || (!typeFirst.test(text) && readEnvelope(text)?.type === "log_events")

const isReportText = (text: string): boolean => text.startsWith('{"type":"status_report"')

/** The turn of one text frame. */
export const decideFrame = (state: DaemonState, frame: Frame): ReadonlyArray<DaemonAction> => {
  const { text, bytes, now } = frame
  state.heardAt = now
  if (bytes > resultFrameBytesMax) return end(state, close.frameInvalid, "lost")
  if (state.logs !== undefined && isLog(text)) {
    const decided = decideLogText(state, state.logs, frame)
    return "type" in decided ? decideRead(state, decided, frame) : decided
  }
  if (isReportText(text)) return decideReport(state, { given: text, bytes }, now)
  const extent = extentOf(text)
  // bytes have budgets of their own
  const cost = costOf(0, extent)
  const isHeavy = cost > heavyFrameCost || !nodeHasRoom(state.share, cost)
  const instead = isHeavy ? insteadOfHeavy(state, text, cost, now) : undefined
  if (instead !== undefined) return instead
  const decoded = decodeFrame(text, extent, frameCostMax)
  if (decoded.type === "log_events") {
    if (!isHeavy && !takeCost(state.share, cost, 0, now)) return end(state, close.tooFast, "lost")
    return decideLogDecoded(state, decoded.data, { bytes, cost: bytes + cost, now })
  }
  if (!isHeavy) {
    if (isFree(state, decoded)) oweNode(state.share, cost)
    else if (!takeCost(state.share, cost, 0, now)) return end(state, close.tooFast, "lost")
  }
  return decideRead(state, decoded, frame)
}

/** Whether a frame is within what its connection and its account may send. */
export const pays = (state: DaemonState, now: number, bytes: number): boolean =>
  charge(state.budget, now, bytes) && takeFrame(state.share, bytes, now)

/** The turn of a frame that is read, and whose reading is paid for. */
const decideRead = (state: DaemonState, decoded: DaemonFrame, frame: Frame): ReadonlyArray<DaemonAction> => {
  const { bytes, now } = frame
  if (!isFree(state, decoded) && !pays(state, now, bytes)) return end(state, close.tooFast, "lost")
  if (bytes > daemonFrameBytesMax && !isResult(decoded)) return end(state, close.frameInvalid, "lost")
  return decideDecoded(state, decoded, frame)
}

/**
 * What is done about a heavy frame, of which only the envelope was read, instead of parsing it; undefined: it is
 * parsed, and paid for. A result is read off the loop; one that its account cannot afford fails its command, which is
 * perhaps another daemon's fault.
 */
const insteadOfHeavy = (
  state: DaemonState,
  text: string,
  cost: number,
  now: number
): ReadonlyArray<DaemonAction> | undefined => {
  const envelope = readEnvelope(text)
  const id = envelope?.type === "command_result" ? envelope.data.id : undefined
  if (id !== undefined && isFree(state, { type: "misfit", of: "command_result", id }))
    return takeResultCost(state.share, cost, now)
      ? (settleLarge(state, id, new Uint8Array(Buffer.from(text)), now) ?? [])
      : settleResult(state, { id, ...notRead }, now)
  return takeCost(state.share, cost, 0, now) ? undefined : end(state, close.tooFast, "lost")
}

/** The turn of a report that says so first. One that says nothing new is not even parsed. */
export const decideReport = (state: DaemonState, given: GivenReport, now: number): ReadonlyArray<DaemonAction> => {
  if (!charge(state.budget, now, given.bytes)) return end(state, close.tooFast, "lost")
  if (given.bytes > daemonFrameBytesMax) return end(state, close.frameInvalid, "lost")
  const digest = typeof given.given === "string" ? digestOfText(given.given) : digestOfBytes(given.given)
  if (digest !== undefined && digest === state.reportDigest) return unchanged(state, now)
  const due = admitReport(state, given, now)
  return "read" in due ? readNow(state, due.read, now) : due.actions
}

/** The turn of a report that waited for its own. */
export const decideDueReport = (state: DaemonState, now: number): ReadonlyArray<DaemonAction> => {
  const held = takeHeld(state)
  return held === undefined ? [] : readNow(state, held, now)
}

const readNow = (state: DaemonState, given: GivenReport, now: number): ReadonlyArray<DaemonAction> => {
  const read = readReport(state, given, now)
  if ("actions" in read) return read.actions
  const { decoded, text, weight } = read
  return decoded.type === "status_report"
    ? changed(state, decoded, digestOfText(text), weight, now)
    : decideDecoded(state, decoded, { type: "frame", text, bytes: given.bytes, now })
}

/** Whether a frame is, or should have been, a result. */
export const isResult = (frame: DaemonFrame): boolean =>
  frame.type === "command_result" || (frame.type === "misfit" && frame.of === "command_result")

/** Whether a frame costs its daemon nothing: a result that somebody waits for, or waited for. */
export const isFree = (state: DaemonState, frame: DaemonFrame): boolean => {
  if (!isResult(frame)) return false
  const id = frame.type === "command_result" ? frame.data.id : frame.type === "misfit" ? frame.id : undefined
  return id !== undefined && state.commands.expects(id)
}

/** The turn of a frame that is read and paid for. */
export const decideDecoded = (state: DaemonState, decoded: DaemonFrame, frame: Frame): ReadonlyArray<DaemonAction> => {
  switch (decoded.type) {
    case "command_result":
      return noted(state, decoded, settleResult(state, decoded.data, frame.now))
    case "status_event":
      return noted(state, decoded, decideEvent(state, decoded.data, frame.now))
    case "status_report":
      return report(state, decoded, frame)
    case "update_result":
      return noted(state, decoded, updateResult(decoded.data))
    case "misfit":
      return noted(state, decoded, misfit(state, decoded, frame.now))
    case "log_events":
      return decideLogDecoded(state, decoded.data, { bytes: frame.bytes, cost: frame.bytes, now: frame.now })
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
  { misfits }: Extract<DaemonFrame, { type: "command_result" | "status_event" | "update_result" | "misfit" }>,
  actions: ReadonlyArray<DaemonAction>
): ReadonlyArray<DaemonAction> => (misfits === undefined ? actions : [...noteMisfits(state, misfits), ...actions])

const updateResult = ({ sha256, success, error = "" }: UpdateResult): ReadonlyArray<DaemonAction> =>
  sha256 === undefined || success !== false
    ? [{ do: "ignore", why: "misfit" }]
    : [{ do: "updateFailed", sha256, reason: cutToChars(error, updateReasonCharsMax) }]

const typeCharsShown = 64

const unsupported = (type: string): ReadonlyArray<DaemonAction> => [
  { do: "ignore", why: "unknown type" },
  { do: "send", text: encodeFrame({ type: "unsupported", data: { type: cutToChars(type, typeCharsShown) } }) }
]

const misfit = (
  state: DaemonState,
  { of, id }: Extract<DaemonFrame, { type: "misfit" }>,
  now: number
): ReadonlyArray<DaemonAction> => {
  const ignored: DaemonAction = { do: "ignore", why: "misfit" }
  if (id === undefined || of === "status_report" || of === "log_events" || of === "update_result") return [ignored]
  // no better the next time: acknowledged, so that it is not sent for ever
  if (of === "status_event") return [ignored, ...acknowledge(state, id)]
  return [ignored, ...settleResult(state, { id, ...misshapen }, now)]
}

/** The same report again: only its time is new, and nothing is written or told. */
const unchanged = (state: DaemonState, now: number): ReadonlyArray<DaemonAction> => {
  const waits = dropHeld(state)
  state.snapshot = { ...state.snapshot, lastSeenAt: now, observedAt: now }
  return [...waits, { do: "report", after: state.snapshot, changed: false }]
}

/** A report that says only behind its data what it is. */
const report = (
  state: DaemonState,
  decoded: Extract<DaemonFrame, { type: "status_report" }>,
  { text, bytes, now }: Frame
): ReadonlyArray<DaemonAction> => {
  if (digestOfReport(decoded.data, decoded.misfits) === state.reportDigest) return unchanged(state, now)
  const due = admitReport(state, { given: text, bytes }, now)
  if ("actions" in due) return due.actions
  const read = readReport(state, due.read, now, decoded)
  return "actions" in read ? read.actions : changed(state, decoded, undefined, read.weight, now)
}

const changed = (
  state: DaemonState,
  { data, misfits }: Extract<DaemonFrame, { type: "status_report" }>,
  digestOf: string | undefined,
  weight: number,
  now: number
): ReadonlyArray<DaemonAction> => {
  const digest = digestOf ?? digestOfReport(data, misfits)
  if (digest === state.reportDigest) return unchanged(state, now)
  const before = state.snapshot
  const former = state.reportDigest === "" && state.told && { ...state.told, sessions: before.sessions }
  state.reportDigest = digest
  state.snapshot = snapshotAfter(before, data, now)
  state.memory = rememberSessions(state.memory, before, state.snapshot, now)
  keepReport(state, weight)
  const notes = noteReport(state, misfits)
  const told = approvalsTold(state, before, now)
  return [...notes, { do: "report", after: state.snapshot, former: former || undefined, changed: true }, ...told]
}

/** Questions that began or ended with this report; who answered is known here. */
const approvalsTold = (
  { snapshot, answers, share }: DaemonState,
  before: DaemonState["snapshot"],
  now: number
): ReadonlyArray<DaemonAction> => {
  const change = approvalChanges(before.sessions, snapshot.sessions)
  if (change === undefined) return []
  takeQuestions(share, change.requested.length + change.resolved.length, now)
  const resolved = change.resolved.map((session) => ({
    session,
    answered: answers?.of(session.activeModal.promptId) ?? { by: { kind: "daemon" as const } }
  }))
  for (const { activeModal } of change.requested) answers?.asked(activeModal.promptId)
  return [{ do: "approvals", after: snapshot, change: { requested: change.requested, resolved } }]
}
