/**
 * Reads what a daemon says of its logs: frames of `log_events`, and answers to `read_log`. Owns the check of the few
 * members that the hub needs; the rest of an event is passed on as it came. By hand, because a frame comes with each
 * word of an agent.
 */
import { type GivenEvent, LogEvent, type LogFrame, type LogName, type LogPage } from "../domain/log/log.ts"
import {
  logEventCharsMax,
  logEventsPerFrameMax,
  logFrameBytesMax,
  logIdCharsMax,
  logNameCharsMax,
  logPageBytesMax,
  logTypeCharsMax
} from "../limits/logs.ts"
import { isRecord } from "./is-record.ts"

/** What was read, and how many events did not fit and were left out. */
export interface LogRead<A> {
  readonly read: A
  readonly misfits: number
}

/** How the type of an event is written: it has a line of its own in the stream, where `gap` and `end` are the hub's. */
export const logTypeForm = /^[\w.:/-]+$/u
const head = /^\s*\{\s*"type"\s*:\s*"log_events"/u
const headBytes = 64

/** Whether a frame says first that it is one of log events, as most do. */
export const isLogText = (text: string): boolean => text.startsWith('{"type":"log_events"') || head.test(text)

/** The same of its bytes. */
export const isLogBytes = (bytes: Uint8Array): boolean =>
  head.test(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(headBytes, bytes.byteLength)).toString("latin1"))

const isNumber = (value: unknown, least: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least

const logOf = (value: unknown): LogName | undefined => {
  if (!isRecord(value)) return undefined
  const { kind, id } = value
  if ((kind !== "session" && kind !== "command") || typeof id !== "string") return undefined
  return id.length <= logNameCharsMax ? { kind, id } : undefined
}

const isLogId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= logIdCharsMax && value.isWellFormed()

const eventOf = (value: unknown): LogEvent | undefined => {
  if (!isRecord(value)) return undefined
  const { seq, type, timestamp } = value
  if (!isNumber(seq, 1) || typeof type !== "string" || typeof timestamp !== "number") return undefined
  if (type.length > logTypeCharsMax || type === "gap" || type === "end" || !logTypeForm.test(type)) return undefined
  return new LogEvent(value as GivenEvent)
}

const isLong = (event: LogEvent): boolean => JSON.stringify(event.given).length > logEventCharsMax

/** Of a list the events that fit. One in a text that is short enough is not measured by itself. */
const eventsOf = (value: unknown, chars: number): LogRead<ReadonlyArray<LogEvent>> => {
  if (!Array.isArray(value)) return { read: [], misfits: value === undefined || value === null ? 0 : 1 }
  const events: Array<LogEvent> = []
  const most = Math.min(value.length, logEventsPerFrameMax)
  for (let at = 0; at < most; at++) {
    const event = eventOf(value[at])
    if (event !== undefined && (chars <= logEventCharsMax || !isLong(event))) events.push(event)
  }
  return { read: events, misfits: value.length - events.length }
}

/**
 * Reads the data of a frame of log events, with what it costs to hold. Undefined: it does not say of which log, or
 * where that stands.
 */
export const readLogFrame = (
  data: Readonly<Record<string, unknown>>,
  chars: number,
  cost: number
): LogRead<LogFrame> | undefined => {
  const log = logOf(data["log"])
  const logId = data["logId"] ?? null
  if (log === undefined || chars > logFrameBytesMax) return undefined
  if (logId === null) return { read: { log, logId, lastSeq: 0, events: [], chars, cost }, misfits: 0 }
  const lastSeq = data["lastSeq"]
  if (!isLogId(logId) || !isNumber(lastSeq, 0)) return undefined
  const { read: events, misfits } = eventsOf(data["events"], chars)
  return { read: { log, logId, lastSeq, events, chars, cost }, misfits }
}

/** Reads an answer to `read_log`, whose text has so many characters. Undefined: it is none. */
export const readLogPage = (result: unknown, chars: number): LogRead<LogPage> | undefined => {
  if (!isRecord(result) || chars > logPageBytesMax) return undefined
  const { logId, firstSeq, lastSeq, more } = result
  if (!isLogId(logId) || !isNumber(lastSeq, 0)) return undefined
  const { read: events, misfits } = eventsOf(result["events"], chars)
  const first = isNumber(firstSeq, 1) ? firstSeq : 1
  return { read: { logId, firstSeq: first, lastSeq, events, more: more === true }, misfits }
}
