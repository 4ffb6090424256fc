/**
 * The body of one request, bounded by itself and by what all requests hold together. Owns the collecting; decodes
 * nothing (decode.ts does).
 */
import { bodiesInFlightBytesMax } from "../src/limits.ts"

/** A collected body, or why there is none. */
export type Body =
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "too large" }
  | { readonly kind: "no room" }

/** What all bodies under way hold. */
export interface BodyHolder {
  heldBytes: number
}

/** Gives a handler the chunks of a body; a chunk is gone when the handler returns. */
export type Receive = (handler: (chunk: ArrayBuffer, isLast: boolean) => void) => unknown

/** Collects until the end of the body or its bound, then calls `done` once. Calling the answer lets go of what is held. */
export const collectBody = (
  receive: Receive,
  holder: BodyHolder,
  bytesMax: number,
  done: (body: Body) => void
): (() => void) => {
  let held: Array<Buffer> = []
  let bytes = 0
  let finished = false
  const drop = (): void => {
    finished = true
    for (const chunk of held) holder.heldBytes -= chunk.byteLength
    held = []
  }
  const finish = (body: Body): void => {
    drop()
    done(body)
  }
  receive((chunk, isLast) => {
    if (finished) return
    bytes += chunk.byteLength
    if (bytes > bytesMax) return finish({ kind: "too large" })
    if (isLast && held.length === 0) return finish({ kind: "whole", text: Buffer.from(chunk).toString("utf8") })
    if (holder.heldBytes + chunk.byteLength > bodiesInFlightBytesMax) return finish({ kind: "no room" })
    const copy = Buffer.from(new Uint8Array(chunk))
    held.push(copy)
    holder.heldBytes += copy.byteLength
    if (isLast) finish({ kind: "whole", text: Buffer.concat(held, bytes).toString("utf8") })
  })
  return drop
}
