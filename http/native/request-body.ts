/**
 * The body of one request, bounded by itself and by what all requests hold together. Owns the collecting; decodes
 * nothing (decode.ts does).
 */
import type { ChunkWatch } from "./framing.ts"
import type { HeldBytes } from "./held-bytes.ts"

// what is no UTF-8 reads the same as by a Buffer, at half of the cost
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** A collected body, or why there is none. */
export type Body =
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "too large" }
  | { readonly kind: "no room" }
  /** Its chunks were read otherwise than they were written. */
  | { readonly kind: "misread" }

/**
 * What all bodies under way hold, and whose this one is. It is asked when something has to be held, before its sender
 * can leave.
 */
export interface BodyHolder {
  readonly shared: { readonly bodies: HeldBytes }
  readonly owner: () => string
}

/** The body of one request on its way. `take` it chunk by chunk; a chunk is gone when the call returns. */
export class Collecting {
  readonly #holder: BodyHolder
  readonly #bytesMax: number
  readonly #done: (body: Body) => void
  readonly #watch: ChunkWatch | undefined
  #held: Array<Buffer> | undefined
  #owner = ""
  #bytes = 0
  #finished = false

  /** `done` is called once: at the end of the body, or as soon as it is over a bound. */
  constructor(holder: BodyHolder, bytesMax: number, done: (body: Body) => void, watch?: ChunkWatch) {
    this.#holder = holder
    this.#bytesMax = bytesMax
    this.#done = done
    this.#watch = watch
  }

  /** Takes the next chunk. */
  take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#finished) return
    if (this.#watch?.misread(chunk) === true) return this.#finish({ kind: "misread" })
    this.#bytes += chunk.byteLength
    if (this.#bytes > this.#bytesMax) return this.#finish({ kind: "too large" })
    if (isLast && this.#held === undefined) return this.#finish({ kind: "whole", text: utf8.decode(chunk) })
    // whoever is known by now: what was held keeps its owner
    if (this.#held === undefined) this.#owner = this.#holder.owner()
    if (!this.#holder.shared.bodies.take(this.#owner, chunk.byteLength)) return this.#finish({ kind: "no room" })
    const held = this.#held ?? []
    this.#held = held
    held.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) this.#finish({ kind: "whole", text: utf8.decode(Buffer.concat(held, this.#bytes)) })
  }

  /** Says that there was no room for a piece. */
  noRoom(): void {
    if (!this.#finished) this.#finish({ kind: "no room" })
  }

  /** Lets go of what is held; nothing more is taken. */
  drop(): void {
    this.#finished = true
    for (const chunk of this.#held ?? []) this.#holder.shared.bodies.give(this.#owner, chunk.byteLength)
    this.#held = undefined
  }

  #finish(body: Body): void {
    this.drop()
    this.#done(body)
  }
}

/** What comes of a body within its request's own read, while nobody takes it yet; afterwards it hands on. */
export class Early {
  readonly #holder: BodyHolder
  #pieces: Array<ArrayBuffer> = []
  #held = 0
  #owner = ""
  #ended = false
  #full = false
  #body: Collecting | undefined
  #dropped = false

  constructor(holder: BodyHolder) {
    this.#holder = holder
  }

  /** What comes to this response. */
  static of(
    res: { onData: (take: (chunk: ArrayBuffer, isLast: boolean) => void) => unknown },
    holder: BodyHolder
  ): Early {
    const early = new Early(holder)
    res.onData((chunk, isLast) => early.take(chunk, isLast))
    return early
  }

  /** Takes the next chunk. */
  take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#body !== undefined) return this.#body.take(chunk, isLast)
    this.#ended ||= isLast
    if (this.#dropped || this.#full) return
    if (this.#held === 0) this.#owner = this.#holder.owner()
    this.#full = !this.#holder.shared.bodies.take(this.#owner, chunk.byteLength)
    if (this.#full) return
    this.#pieces.push(chunk.slice(0))
    this.#held += chunk.byteLength
  }

  /** Gives what came, and whatever comes, to a body. */
  into(body: Collecting): void {
    const pieces = this.#pieces
    const full = this.#full
    this.drop()
    this.#body = body
    if (full) return body.noRoom()
    for (const [at, piece] of pieces.entries()) body.take(piece, this.#ended && at === pieces.length - 1)
  }

  /** Lets go of what nobody took. */
  drop(): void {
    if (this.#held > 0) this.#holder.shared.bodies.give(this.#owner, this.#held)
    this.#held = 0
    this.#pieces = []
    this.#dropped = true
  }
}
