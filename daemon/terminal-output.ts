/**
 * The output of one terminal command. Owns how much of it is kept for the answer, which is its beginning and its end,
 * and its pieces in the log.
 */
import type { Readable } from "node:stream"
import type { Clock } from "./clock.ts"
import type { EventLog } from "./event-log.ts"
import { outputBytesMax } from "./limits.ts"

/** What is kept of one stream. */
export interface Output {
  /** At most so many bytes of it, in whole characters; a line in their midst says how many are left out. */
  readonly text: (bytesMax: number) => string
  /** Whether it is more than so many. */
  readonly cut: (bytesMax: number) => boolean
}

/** The line between beginning and end. */
const gapBytesMax = 64
const gap = (bytes: number): string => `\n[${bytes} bytes are left out here]\n`

const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
const insideMax = 3

/** Without the beginning of a character at the end. */
const wholeHead = (bytes: Buffer): Buffer => {
  let at = bytes.length - 1
  while (bytes.length - at <= insideMax && isInside(bytes[at])) at--
  const lead = bytes[at] ?? 0
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return at + size > bytes.length ? bytes.subarray(0, at) : bytes
}

/** Without the end of a character at the beginning. */
const wholeTail = (bytes: Buffer): Buffer => {
  let at = 0
  while (at < insideMax && isInside(bytes[at])) at++
  return bytes.subarray(at)
}

/** The beginning and the end of what was written, each as long as the half of the bound. */
class Kept {
  readonly #head: Array<Buffer> = []
  readonly #tail: Array<Buffer> = []
  #headBytes = 0
  #tailBytes = 0
  bytes = 0

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    const first = chunk.subarray(0, outputBytesMax / 2 - this.#headBytes)
    if (first.length > 0) this.#head.push(first)
    this.#headBytes += first.length
    const rest = chunk.subarray(first.length)
    if (rest.length > 0) this.#tail.push(rest)
    this.#tailBytes += rest.length
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= outputBytesMax / 2) {
      this.#tailBytes -= this.#tail.shift()!.length
    }
  }

  text(bytesMax: number): string {
    const kept = Buffer.concat([...this.#head, ...this.#tail])
    if (this.bytes <= bytesMax) return new TextDecoder().decode(kept)
    const half = Math.floor((bytesMax - gapBytesMax) / 2)
    const head = wholeHead(kept.subarray(0, half))
    const tail = wholeTail(kept.subarray(-half))
    const decode = (bytes: Buffer): string => new TextDecoder().decode(bytes)
    return decode(head) + gap(this.bytes - head.length - tail.length) + decode(tail)
  }
}

/** Reads a stream to its end: the answer has its beginning and end, the log all of it. */
export const readOutput = (stream: Readable, name: "stdout" | "stderr", log: EventLog, clock: Clock): Output => {
  const kept = new Kept()
  const decoder = new TextDecoder()
  const tell = (text: string): void =>
    log.stream(`output:${name}`, { type: "output", timestamp: clock.now(), stream: name }, "text", text)
  stream.on("data", (chunk: Buffer) => {
    tell(decoder.decode(chunk, { stream: true }))
    kept.add(chunk)
  })
  stream.once("end", () => tell(decoder.decode()))
  stream.on("error", () => undefined)
  return { text: (bytesMax) => kept.text(bytesMax), cut: (bytesMax) => kept.bytes > bytesMax }
}
