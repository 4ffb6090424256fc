/**
 * The body of one request, bounded by itself and by what all requests hold together. Owns the collecting; decodes
 * nothing (decode.ts does).
 */
import { bodiesInFlightBytesMax } from "../src/limits.ts"

// what is no UTF-8 reads the same as by a Buffer, at half of the cost
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** A collected body, or why there is none. */
export type Body =
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "too large" }
  | { readonly kind: "no room" }

/** What all bodies under way hold. */
export interface BodyHolder {
  heldBytes: number
}

/** The body of one request on its way. `take` it chunk by chunk; a chunk is gone when the call returns. */
export class Collecting {
  readonly #holder: BodyHolder
  readonly #bytesMax: number
  readonly #done: (body: Body) => void
  #held: Array<Buffer> | undefined
  #bytes = 0
  #finished = false

  /** `done` is called once: at the end of the body, or as soon as it is over a bound. */
  constructor(holder: BodyHolder, bytesMax: number, done: (body: Body) => void) {
    this.#holder = holder
    this.#bytesMax = bytesMax
    this.#done = done
  }

  /** Takes the next chunk. */
  take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#finished) return
    this.#bytes += chunk.byteLength
    if (this.#bytes > this.#bytesMax) return this.#finish({ kind: "too large" })
    if (isLast && this.#held === undefined) return this.#finish({ kind: "whole", text: utf8.decode(chunk) })
    if (this.#holder.heldBytes + chunk.byteLength > bodiesInFlightBytesMax) return this.#finish({ kind: "no room" })
    const held = this.#held ?? []
    this.#held = held
    held.push(Buffer.from(new Uint8Array(chunk)))
    this.#holder.heldBytes += chunk.byteLength
    if (isLast) this.#finish({ kind: "whole", text: utf8.decode(Buffer.concat(held, this.#bytes)) })
  }

  /** Lets go of what is held; nothing more is taken. */
  drop(): void {
    this.#finished = true
    if (this.#held !== undefined) for (const chunk of this.#held) this.#holder.heldBytes -= chunk.byteLength
    this.#held = undefined
  }

  #finish(body: Body): void {
    this.drop()
    this.#done(body)
  }
}
