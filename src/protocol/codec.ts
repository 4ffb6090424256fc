/**
 * Text to frames and back. Owns the decoders, each built once; judges no frame (daemon.ts does) and keeps no state.
 * `JSON.parse` and a prebuilt decoder cost half of a decoder that parses by itself.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Exit, Schema } from "effect"
import { jsonDepth, jsonExtent } from "../domain/jsondepth.ts"
import { frameValuesMax, jsonDepthMax } from "../limits.ts"
import { readEnvelope } from "./envelope.ts"
import {
  Auth,
  type CommandResult,
  type CommandType,
  commandTypes,
  type HubFrame,
  StatusEvent,
  StatusReport
} from "./frames.ts"
import { largeResultChars, readLargeResult } from "./largeresult.ts"

/** A frame from a daemon, as far as it could be understood. */
export type DaemonFrame =
  | { readonly type: "auth"; readonly data: Auth }
  | { readonly type: "status_report"; readonly data: StatusReport }
  | { readonly type: "status_event"; readonly data: StatusEvent }
  | { readonly type: "command_result"; readonly data: CommandResult }
  /** A type this hub does not know. */
  | { readonly type: "unknown"; readonly name: string }
  /** A known type whose data does not fit; `id` is its id where it has one. */
  | { readonly type: "misfit"; readonly of: "status_report" | "status_event" | "command_result"; readonly id?: string }
  /** Not JSON, not an envelope, or an `auth` that does not fit. `protocol` where that is why. */
  | { readonly type: "broken"; readonly protocol?: number }

const decodeAuth = Schema.decodeUnknownExit(Auth)
const decodeReport = Schema.decodeUnknownExit(StatusReport)
const decodeEvent = Schema.decodeUnknownExit(StatusEvent)

const broken: DaemonFrame = { type: "broken" }

/** The one version of the protocol there is. */
export const protocolVersion = 1

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const misfit = (of: "status_report" | "status_event" | "command_result", data: Record<string, unknown>): DaemonFrame =>
  typeof data["id"] === "string" ? { type: "misfit", of, id: data["id"] } : { type: "misfit", of }

const auth = (data: Record<string, unknown>, tooMuch: boolean): DaemonFrame => {
  const { protocol } = data
  // looked at before the rest: another version may have another shape
  if (typeof protocol === "number" && protocol !== protocolVersion) return { type: "broken", protocol }
  if (tooMuch) return broken
  const exit = decodeAuth(data)
  return Exit.isSuccess(exit) ? { type: "auth", data: exit.value } : broken
}

const isWord = (value: unknown): value is string | undefined => value === undefined || typeof value === "string"

/** What the schema `CommandResult` says, by hand: it is asked with every command. */
const resultOf = (data: Record<string, unknown>): CommandResult | undefined => {
  const { id, success, result, error, code } = data
  if (typeof id !== "string" || typeof success !== "boolean" || !isWord(error) || !isWord(code)) return undefined
  // no member that was not there
  if (error === undefined && code === undefined) return result === undefined ? { id, success } : { id, success, result }
  return {
    id,
    success,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
    ...(code === undefined ? {} : { code })
  }
}

// What nests without end parses, and then overflows the stack of whoever writes it again; values without end take as long.
const decodeEnvelope = (type: string, data: Record<string, unknown>, tooMuch: boolean): DaemonFrame => {
  switch (type) {
    case "command_result": {
      if (tooMuch) return misfit(type, data)
      const result = resultOf(data)
      return result === undefined ? misfit(type, data) : { type, data: result }
    }
    case "status_event": {
      if (tooMuch) return misfit(type, data)
      const exit = decodeEvent(data)
      return Exit.isSuccess(exit) ? { type, data: exit.value } : misfit(type, data)
    }
    case "status_report": {
      if (tooMuch) return misfit(type, data)
      const exit = decodeReport(data)
      return Exit.isSuccess(exit) ? { type, data: exit.value } : misfit(type, data)
    }
    case "auth":
      return auth(data, tooMuch)
    default:
      return { type: "unknown", name: type }
  }
}

/** Parses a text; `tooMuch` is asked only of what parses. */
const parsed = (text: string, tooMuch: (text: string) => boolean): DaemonFrame => {
  let envelope: unknown
  try {
    envelope = JSON.parse(text)
  } catch {
    return broken
  }
  if (!isRecord(envelope)) return broken
  const { type, data } = envelope
  if (typeof type !== "string" || !isRecord(data)) return broken
  return decodeEnvelope(type, data, tooMuch(text))
}

const tooDeep = (text: string): boolean => jsonDepth(text, jsonDepthMax) > jsonDepthMax
const measured = () => false

// Measured first: what is refused shall cost no parsing.
const decodeLarge = (text: string): DaemonFrame => {
  const { depth, values } = jsonExtent(text, jsonDepthMax, frameValuesMax)
  if (depth > jsonDepthMax || values > frameValuesMax) {
    const envelope = readEnvelope(text)
    return envelope === undefined ? broken : decodeEnvelope(envelope.type, envelope.data, true)
  }
  const result = readLargeResult(text)
  return result === undefined ? parsed(text, measured) : { type: "command_result", data: result }
}

/** Understands one text frame. Never throws. */
export const decodeFrame = (text: string): DaemonFrame =>
  text.length < largeResultChars ? parsed(text, tooDeep) : decodeLarge(text)

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
  readonly targetSessionId?: string | undefined
  readonly deadlineMs: number
}

/** The frame of a command, the same text for half of the cost: it is written with every command, in few pieces. */
export const encodeCommand = ({ id, type, payload, targetSessionId, deadlineMs }: SentCommand): string => {
  const given = JSON.stringify(payload) as string | undefined
  const middle = given === undefined ? afterId[type] : beforePayload[type] + given
  const target = targetSessionId === undefined ? "" : `,"targetSessionId":${JSON.stringify(targetSessionId)}`
  return `${commandHead + id + middle + target},"deadlineMs":${deadlineMs}}}`
}
