/**
 * Decodes and encodes frames. Owns the decoders, each built once; judges no frame (daemon/perform.ts does) and keeps no
 * state. `JSON.parse` with a prebuilt decoder costs half of a decoder that parses by itself.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { costOf } from "../domain/limits/cost.ts"
import { type JsonExtent, jsonExtent } from "../domain/text/json-extent.ts"
import { mayHaveHalves, withWholeCharacters } from "../domain/text/whole-characters.ts"
import { frameValuesMax, jsonDepthMax } from "../limits.ts"
import { readEnvelope } from "./envelope.ts"
import {
  Auth,
  CommandResult,
  type CommandType,
  commandTypes,
  StatusEvent,
  StatusReport,
  UpdateResult
} from "./frames.ts"
import type { HubFrame } from "./hub-frames.ts"
import { isRecord } from "./is-record.ts"
import { type SchemaViolation, tolerantReader } from "./tolerant.ts"

/** What a frame had that did not fit and was dropped; absent where all of it fits. */
interface Tolerated {
  readonly misfits?: ReadonlyArray<SchemaViolation>
}

/** A frame whose data may not fit at all. */
type MayMisfit = "status_report" | "status_event" | "command_result" | "log_events" | "update_result"

/** A frame from a daemon, as far as it could be understood. */
export type DaemonFrame =
  /** Whether its token is there is for its reader to see. */
  | ({ readonly type: "auth"; readonly data: Auth } & Tolerated)
  | ({ readonly type: "status_report"; readonly data: StatusReport } & Tolerated)
  | ({ readonly type: "status_event"; readonly data: StatusEvent } & Tolerated)
  | ({ readonly type: "command_result"; readonly data: CommandResult } & Tolerated)
  /** Events of a log, as they came (log-frames.ts reads them). */
  | { readonly type: "log_events"; readonly data: Readonly<Record<string, unknown>> }
  | ({ readonly type: "update_result"; readonly data: UpdateResult } & Tolerated)
  /** A type this hub does not know. */
  | { readonly type: "unknown"; readonly name: string }
  /** A known type that lacks what makes its data one; `id` is its id where it has one. */
  | ({ readonly type: "misfit"; readonly of: MayMisfit; readonly id?: string } & Tolerated)
  /**
   * Not JSON, not an envelope, or an `auth` that holds too much or is of another protocol. `protocol` where that is
   * why.
   */
  | { readonly type: "broken"; readonly protocol?: number }

const readAuth = tolerantReader<typeof Auth.Type>("auth", Auth)
const readReport = tolerantReader<typeof StatusReport.Type>("status_report", StatusReport)
const readEvent = tolerantReader<typeof StatusEvent.Type>("status_event", StatusEvent)
const readResult = tolerantReader<typeof CommandResult.Type>("command_result", CommandResult)
const readUpdate = tolerantReader<typeof UpdateResult.Type>("update_result", UpdateResult)

const broken: DaemonFrame = { type: "broken" }

/** The one version of the protocol there is. */
export const protocolVersion = 1

const tolerated = (misfits: ReadonlyArray<SchemaViolation>): Tolerated => (misfits.length === 0 ? {} : { misfits })

const misfit = (of: MayMisfit, data: Record<string, unknown>, misfits: ReadonlyArray<SchemaViolation>): DaemonFrame =>
  typeof data["id"] === "string"
    ? { type: "misfit", of, id: data["id"], ...tolerated(misfits) }
    : { type: "misfit", of, ...tolerated(misfits) }

const overfull = (of: MayMisfit, data: Record<string, unknown>): DaemonFrame =>
  misfit(of, data, [{ member: of, at: of, reason: "nests too deep or holds too many values", times: 1 }])

const auth = (data: Record<string, unknown>, tooMuch: boolean): DaemonFrame => {
  const { protocol } = data
  // looked at before the rest: another version may have another shape
  if (typeof protocol === "number" && protocol !== protocolVersion) return { type: "broken", protocol }
  if (tooMuch) return broken
  const { read, misfits } = readAuth(data)
  return { type: "auth", data: read, ...tolerated(misfits) }
}

const result = (data: Record<string, unknown>): DaemonFrame => {
  const { id, success, result, error, code } = data
  // the plainest by hand: it comes with every command
  if (typeof id === "string" && typeof success === "boolean" && error === undefined && code === undefined) {
    if (result === undefined || result === null) return { type: "command_result", data: { id, success } }
    return { type: "command_result", data: { id, success, result } }
  }
  const { read, misfits } = readResult(data)
  return read.id === undefined || read.success === undefined
    ? misfit("command_result", data, misfits)
    : { type: "command_result", data: { ...read, id: read.id, success: read.success }, ...tolerated(misfits) }
}

const event = (data: Record<string, unknown>): DaemonFrame => {
  const { read, misfits } = readEvent(data)
  return read.event === undefined
    ? misfit("status_event", data, misfits)
    : { type: "status_event", data: { ...read, event: read.event }, ...tolerated(misfits) }
}

const report = (data: Record<string, unknown>): DaemonFrame => {
  const { read, misfits } = readReport(data)
  return { type: "status_report", data: read, ...tolerated(misfits) }
}

const updateResult = (data: Record<string, unknown>): DaemonFrame => {
  const { read, misfits } = readUpdate(data)
  return { type: "update_result", data: read, ...tolerated(misfits) }
}

// Unbounded nesting parses, and then overflows the stack of what serialises it; unbounded values take unbounded time.
const decodeEnvelope = (type: string, data: Record<string, unknown>, tooMuch: boolean): DaemonFrame => {
  switch (type) {
    case "command_result":
      return tooMuch ? overfull(type, data) : result(data)
    case "status_event":
      return tooMuch ? overfull(type, data) : event(data)
    case "status_report":
      return tooMuch ? overfull(type, data) : report(data)
    case "log_events":
      return tooMuch ? overfull(type, data) : { type, data }
    case "update_result":
      return tooMuch ? overfull(type, data) : updateResult(data)
    case "auth":
      return auth(data, tooMuch)
    default:
      return { type: "unknown", name: type }
  }
}

const parsed = (text: string): DaemonFrame => {
  let envelope: unknown
  try {
    // what a daemon cut inside a pair would make a body that strict parsers refuse as a whole
    envelope = JSON.parse(withWholeCharacters(text))
  } catch {
    return broken
  }
  if (!isRecord(envelope)) return broken
  const { type, data } = envelope
  if (typeof type !== "string" || !isRecord(data)) return broken
  return decodeEnvelope(type, data, false)
}

const tiny: JsonExtent = { depth: 0, values: 0, names: 0, containers: 0, digits: 0 }

/** The extent of a frame, as far as the bounds need it: one that cannot reach any is not looked through. */
export const extentOf = (text: string): JsonExtent => {
  if (text.length <= jsonDepthMax) return tiny
  const extent = jsonExtent(text, jsonDepthMax, frameValuesMax)
  return mayHaveHalves(text) ? { ...extent, repaired: text.length } : extent
}

/** Whether a text of this extent nests too deep, holds too many values, or costs more than this to be parsed. */
export const isTooFull = (extent: JsonExtent, costMax: number): boolean =>
  extent.depth > jsonDepthMax || extent.values > frameValuesMax || costOf(0, extent) > costMax

/**
 * Understands one text frame. Never throws. `extent`: where it was measured already. `costMax`: one that costs more is
 * too full, as where it holds too many values.
 */
export const decodeFrame = (text: string, extent = extentOf(text), costMax = Number.POSITIVE_INFINITY): DaemonFrame => {
  // what is refused shall cost no parsing
  if (!isTooFull(extent, costMax)) return parsed(text)
  const envelope = readEnvelope(text)
  return envelope === undefined ? broken : decodeEnvelope(envelope.type, envelope.data, true)
}

/** A frame as text. */
export const encodeFrame = (frame: HubFrame): string => JSON.stringify(frame)

const commandHead = '{"type":"command","data":{"id":"'
const afterId = Object.fromEntries(commandTypes.map((type) => [type, `","type":"${type}"`])) as Record<
  CommandType,
  string
>
const beforePayload = Object.fromEntries(
  commandTypes.map((type) => [type, `${afterId[type]},"payload":`])
) as typeof afterId

/** A command as its frame needs it. */
export interface SentCommand {
  /** One of ours. */
  readonly id: string
  readonly type: CommandType
  readonly payload: unknown
  /** Instead, where it is written already. */
  readonly payloadText?: string | undefined
  readonly targetSessionId?: string | undefined
  readonly deadlineMs: number
  /** How long the hub waits; said where that is longer. */
  readonly waitMs?: number | undefined
  /** A `traceparent` of ours, which may have a `tracestate` after a blank. */
  readonly trace?: string | undefined
}

const traceparentChars = 55

/** The frame of a command, the same text for half of the cost: it is written with every command, in few pieces. */
export const encodeCommand = (command: SentCommand): string => {
  const { id, type, payload, payloadText, targetSessionId, deadlineMs, waitMs = deadlineMs, trace } = command
  const given = payloadText ?? (JSON.stringify(payload) as string | undefined)
  const middle = given === undefined ? afterId[type] : beforePayload[type] + given
  const target = targetSessionId === undefined ? "" : `,"targetSessionId":${JSON.stringify(targetSessionId)}`
  const traced = trace === undefined ? "" : `,"traceparent":"${trace.slice(0, traceparentChars)}"`
  const waits = waitMs > deadlineMs ? `,"waitMs":${waitMs}` : ""
  return `${commandHead + id + middle + target},"deadlineMs":${deadlineMs}${waits}${traced}}}`
}
