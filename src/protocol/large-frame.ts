/**
 * Large results of commands, passed on as the bytes they came as. Owns how such a frame is recognised by its beginning,
 * and its validation, which builds no objects of what is passed on. Validation takes long and runs in a thread
 * (src/runtime/worker).
 */
import { jsonExtent } from "../domain/text/json-extent.ts"
import { frameValuesMax, jsonDepthMax } from "../limits.ts"
import { bufferPool } from "../runtime/buffer-pool.ts"
import { type DaemonFrame, decodeFrame } from "./codec.ts"

/** The result of a command as JSON in UTF-8, checked. */
export class LargeResult {
  readonly bytes: Uint8Array
  readonly #isInFrame: boolean

  /** `isInFrame`: around these bytes is its own frame, which is read no more. */
  constructor(bytes: Uint8Array, isInFrame = false) {
    this.bytes = bytes
    this.#isInFrame = isInFrame
  }

  /**
   * The result between two texts: in its frame, where that leaves room, without a copy. `release`: gives the memory
   * back, that of the result too; undefined: it is a copy.
   */
  between(head: Uint8Array, tail: Uint8Array): { readonly bytes: Uint8Array; readonly release?: () => void } {
    const { buffer, byteOffset, byteLength } = this.bytes
    const [from, to] = [byteOffset - head.byteLength, byteOffset + byteLength + tail.byteLength]
    if (!this.#isInFrame || from < 0 || to > buffer.byteLength) {
      return { bytes: Buffer.concat([head, this.bytes, tail]) }
    }
    const bytes = new Uint8Array(buffer, from, to - from)
    bytes.set(head)
    bytes.set(tail, head.byteLength + byteLength)
    return { bytes, release: () => bufferPool.giveBack(buffer as ArrayBuffer) }
  }
}

const headBytes = 160
const canonicalHead = /^\{"type":"command_result","data":\{"id":"(\w{1,64})","success":true,"result":/u
const reportHead = /^\s*\{\s*"type"\s*:\s*"status_report"/u
const otherHead = /^\s*\{\s*"type"\s*:\s*"(?!command_result")\w/u
const tail = "}}"

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

/** The text of a frame. */
export const textOfBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()

/** What the beginning of a large frame says of it. */
export type Beginning =
  /** A result of success, written as most daemons do; its result begins at `from`. */
  | { readonly is: "result"; readonly id: string; readonly from: number }
  /** Surely a report, or of another type, unless it says twice what it is. */
  | { readonly is: "report" }
  | { readonly is: "other" }
  | { readonly is: "unknown" }

/** Reads the beginning of a large frame. */
export const beginningOf = (bytes: Uint8Array): Beginning => {
  const head = latin1(bytes.subarray(0, headBytes))
  const found = canonicalHead.exec(head)
  if (found !== null) return { is: "result", id: found[1]!, from: found[0].length }
  if (reportHead.test(head)) return { is: "report" }
  return { is: otherHead.test(head) ? "other" : "unknown" }
}

/** What a large frame turned out to be. */
export type LargeFrame =
  /** A canonical result whose bytes lie there. */
  | { readonly is: "result"; readonly from: number; readonly to: number }
  /** A result written in another way, or none that fits; `result`: its result, written anew. */
  | { readonly is: "frame"; readonly frame: DaemonFrame; readonly result?: Uint8Array }
  /** No result: to be read like any other frame. */
  | { readonly is: "other" }

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const readWhole = (bytes: Uint8Array): LargeFrame => {
  const frame = decodeFrame(textOfBytes(bytes))
  if (frame.type !== "command_result") {
    const isResult = frame.type === "broken" || (frame.type === "misfit" && frame.of === "command_result")
    return isResult ? { is: "frame", frame } : { is: "other" }
  }
  const { result, ...data } = frame.data
  const rest = { ...frame, data }
  return result === undefined
    ? { is: "frame", frame: rest }
    : { is: "frame", frame: rest, result: Buffer.from(JSON.stringify(result)) }
}

/**
 * Reads a large frame. What lies between the canonical head and tail is one JSON value by itself, so that the frame is
 * JSON and has no member but these. No byte above 127 means anything between JSON's signs: read as latin1 it is the
 * same JSON.
 */
export const readLargeFrame = (bytes: Uint8Array): LargeFrame => {
  const beginning = beginningOf(bytes)
  if (beginning.is !== "result") return readWhole(bytes)
  const text = latin1(bytes)
  const { depth, values } = jsonExtent(text, jsonDepthMax, frameValuesMax)
  const { from } = beginning
  const to = text.length - tail.length
  const fits = depth <= jsonDepthMax && values <= frameValuesMax
  return fits && text.endsWith(tail) && isJson(text.slice(from, to)) ? { is: "result", from, to } : readWhole(bytes)
}
