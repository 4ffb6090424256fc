/**
 * How far a reader of a log has come, and what follows from what its daemon sends next: which events are new, and where
 * some are missing. Owns these rules, also for daemons that number backwards, repeat, skip or begin anew; pure. Of one
 * numbering a reader sees strictly rising numbers, and is told of each hole.
 */
import { logsFormerMax } from "../../limits/logs.ts"
import type { LogEvent, LogFrame, LogPage } from "./log.ts"

/** Where a reader is. `logId` undefined: at the beginning of a log of which nothing is known yet. */
export interface Position {
  readonly logId: string | undefined
  readonly seq: number
  /** Numberings that were left, oldest first: what still comes of them is not read. */
  readonly former: ReadonlyArray<string>
}

export const startOf: Position = { logId: undefined, seq: 0, former: [] }

/** Why something is not to be had: its numbering ended, or its daemon does not have it any more. */
export const gapReasons = ["log_restarted", "not_kept"] as const
export type GapReason = (typeof gapReasons)[number]

/** Where a reader begins that was given a place, or that has seen all up to where the log stands. */
export const positionAt = (place: { readonly logId: string; readonly seq: number }): Position => ({
  ...place,
  former: []
})

/** What a reader is told, in order. */
export type Passed = LogEvent | { readonly gap: GapReason; readonly after: Position }

/** What follows from a frame. */
export interface FrameStep {
  readonly position: Position
  readonly passed: ReadonlyArray<Passed>
  /** `read`: something is missing that its daemon may still have. `doubt`: it may be about to come. */
  readonly next: "wait" | "read" | "doubt"
  /** Events that were seen before. */
  readonly repeated: number
}

const none: ReadonlyArray<Passed> = []

const leave = ({ logId, former }: Position): ReadonlyArray<string> =>
  logId === undefined ? former : [...former, logId].slice(-logsFormerMax)

const stay = (position: Position, repeated = 0): FrameStep => ({ position, passed: none, next: "wait", repeated })

/** Events in order. With all of them expected, the first that skips a number ends what is taken. */
const take = (from: number, events: ReadonlyArray<LogEvent>, all: boolean) => {
  const passed: Array<LogEvent> = []
  let seq = from
  let repeated = 0
  for (const event of events) {
    if (event.seq <= seq) {
      repeated++
      continue
    }
    if (all && event.seq > seq + 1) return { passed, seq, repeated, skips: true }
    passed.push(event)
    seq = event.seq
  }
  return { passed, seq, repeated, skips: false }
}

/** A frame, as it happens. `all`: no number is left out on purpose. */
export const takeFrame = (position: Position, frame: LogFrame, all: boolean): FrameStep => {
  const { logId, lastSeq, events } = frame
  if (logId === null || position.former.includes(logId)) return stay(position, events.length)
  // what came before a log that is new to its reader is read, or found to be gone
  if (logId !== position.logId) return { ...stay(position), next: "read" }
  const { passed, seq, repeated, skips } = take(position.seq, events, all)
  const isBehind = lastSeq > seq
  const next = skips || (isBehind && events.length === 0) ? "read" : isBehind && all ? "doubt" : "wait"
  return { position: seq === position.seq ? position : { ...position, seq }, passed, next, repeated }
}

/** The same of a frame whose daemon did not have what is missing, though it was asked: each hole is a gap. */
export const forceFrame = (position: Position, frame: LogFrame, all: boolean): FrameStep => {
  const step = takeFrame(position, frame, all)
  const { logId, lastSeq, events } = frame
  if (step.next !== "read" || logId === null) return step
  const passed: Array<Passed> = [...step.passed]
  let at = step.position
  if (at.logId !== logId) {
    if (at.logId !== undefined) passed.push({ gap: "log_restarted", after: at })
    const [first] = events
    at = { logId, seq: first === undefined ? lastSeq : first.seq - 1, former: leave(at) }
  }
  let { seq } = at
  for (const event of events) {
    if (event.seq <= seq) continue
    if (all && event.seq > seq + 1) passed.push({ gap: "not_kept", after: { ...at, seq } })
    passed.push(event)
    seq = event.seq
  }
  if (events.length === 0 && lastSeq > seq) {
    passed.push({ gap: "not_kept", after: { ...at, seq } })
    seq = lastSeq
  }
  return { position: { ...at, seq }, passed, next: lastSeq > seq && all ? "doubt" : "wait", repeated: step.repeated }
}

/**
 * Marks the logs of these frames as former. The daemon named them before the page was requested, and the page belongs
 * to a newer log: otherwise the reader would return to an old log and leave the newer one for good.
 */
export const leaveOlder = (position: Position, frames: ReadonlyArray<LogFrame>): Position => {
  const { logId: current, former } = position
  const older = new Set<string>()
  for (const { logId } of frames) {
    if (logId !== null && logId !== current && !former.includes(logId)) older.add(logId)
  }
  return older.size === 0 ? position : { ...position, former: [...former, ...older].slice(-logsFormerMax) }
}

/** What follows from a page. */
export interface PageStep {
  readonly position: Position
  readonly passed: ReadonlyArray<Passed>
  /** There is more to read from here. */
  readonly more: boolean
}

/** A page that was read from here: what it leaves out is not to be had. `all` as above. */
export const takePage = (position: Position, page: LogPage, all: boolean): PageStep => {
  if (position.former.includes(page.logId)) return { position, passed: none, more: false }
  const passed: Array<Passed> = []
  let at = position
  if (at.logId !== page.logId) {
    if (at.logId !== undefined) passed.push({ gap: "log_restarted", after: at })
    at = { logId: page.logId, seq: Math.max(0, page.firstSeq - 1), former: leave(at) }
  } else if (page.firstSeq > at.seq + 1) {
    passed.push({ gap: "not_kept", after: at })
    at = { ...at, seq: page.firstSeq - 1 }
  }
  for (const event of page.events) {
    if (event.seq <= at.seq) continue
    if (all && event.seq > at.seq + 1) passed.push({ gap: "not_kept", after: at })
    passed.push(event)
    at = { ...at, seq: event.seq }
  }
  const isOn = at !== position
  if (page.more && isOn) return { position: at, passed, more: true }
  if (page.lastSeq > at.seq) {
    if (all) passed.push({ gap: "not_kept", after: at })
    at = { ...at, seq: page.lastSeq }
  }
  return { position: at, passed, more: false }
}
