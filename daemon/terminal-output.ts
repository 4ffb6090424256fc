/** The output of one terminal command. Owns how much of it is kept for the answer, and its pieces in the log. */
import type { Readable } from "node:stream"
import type { Clock } from "./clock.ts"
import type { EventLog } from "./event-log.ts"
import { outputBytesMax } from "./limits.ts"

/** What is kept of one stream. */
export interface Output {
  readonly text: () => string
  readonly cut: () => boolean
}

/** Reads a stream to its end: the answer has its beginning, the log all of it. */
export const readOutput = (stream: Readable, name: "stdout" | "stderr", log: EventLog, clock: Clock): Output => {
  const chunks: Array<Buffer> = []
  const decoder = new TextDecoder()
  let bytes = 0
  let cut = false
  const tell = (text: string): void =>
    log.stream(`output:${name}`, { type: "output", timestamp: clock.now(), stream: name }, "text", text)
  stream.on("data", (chunk: Buffer) => {
    tell(decoder.decode(chunk, { stream: true }))
    const room = outputBytesMax - bytes
    if (chunk.length > room) cut = true
    if (room <= 0) return // Read and discard: a program that fills its pipe would wait without end.
    chunks.push(chunk.subarray(0, room))
    bytes += Math.min(chunk.length, room)
  })
  stream.once("end", () => tell(decoder.decode()))
  stream.on("error", () => undefined)
  return { text: () => new TextDecoder().decode(Buffer.concat(chunks)), cut: () => cut }
}
