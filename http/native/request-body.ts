/** Collects the body of one request, bounded per request and over all requests. Decodes nothing (decode.ts does). */

import type { HeldBytes } from "../../src/domain/limits/held-bytes.ts"
import { invalid } from "../../src/errors.ts"
import { bodyPieceBytesMin, smallPiecesMax, strangersBodiesLeave } from "../../src/limits/edge.ts"
import { bufferPool } from "../../src/runtime/buffer-pool.ts"
import { problem } from "../pipeline/problem.ts"
import type { Body } from "../pipeline/request-parts.ts"
import type { Answer } from "../pipeline/response.ts"
import type { BodiesPerTurn } from "./bodies-per-turn.ts"
import type { ChunkWatch } from "./framing.ts"
import { HeldPieces } from "./held-pieces.ts"
import type { Pausable } from "./paused-connections.ts"

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true })

const textOf = (bytes: Uint8Array): Body => {
  try {
    return { kind: "whole", text: utf8.decode(bytes) }
  } catch {
    return { kind: "no text" }
  }
}

const heldFor = ({ byteLength }: Uint8Array): number => Math.max(byteLength, bodyPieceBytesMin)

const joined = (chunks: ReadonlyArray<Uint8Array>, bytes: number): Body => {
  const buffer = bufferPool.take(bytes)
  const whole = new Uint8Array(buffer, 0, bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  const body = textOf(whole)
  bufferPool.giveBack(buffer)
  return body
}

/**
 * The bytes that all bodies in progress hold, and the owner of this one. `owner` is called when the first bytes are
 * held, before the sender can disconnect.
 */
export interface BodyHolder {
  readonly shared: { readonly bodies: HeldBytes }
  readonly owner: () => string
  /** Whether that is an account, and no address. */
  readonly isKnown: () => boolean
}

/** Callers from ever new addresses, of whom nothing is known yet, leave room for the bodies of known accounts. */
const leftBy = (holder: BodyHolder): number => (holder.isKnown() ? 0 : strangersBodiesLeave)

/** Collects one body, chunk by chunk. The library reuses a chunk's memory when `take` returns. */
export class BodyCollector {
  readonly #holder: BodyHolder
  readonly #bytesMax: number
  readonly #done: (body: Body) => void
  readonly #watch: ChunkWatch | undefined
  readonly #chunks = new HeldPieces()
  #held = 0
  #owner = ""
  #left = 0
  #bytes = 0
  #isFinished = false

  /** `done` is called once: at the end of the body, or as soon as a bound is exceeded. */
  constructor(holder: BodyHolder, bytesMax: number, done: (body: Body) => void, watch?: ChunkWatch) {
    this.#holder = holder
    this.#bytesMax = bytesMax
    this.#done = done
    this.#watch = watch
  }

  /** Takes the next chunk. */
  take(chunk: Uint8Array, isLast: boolean): void {
    if (this.#isFinished) return
    if (this.#watch?.misread(chunk) === true) return this.#finish({ kind: "misread" })
    this.#bytes += chunk.byteLength
    if (this.#bytes > this.#bytesMax) return this.#finish({ kind: "too large" })
    if (isLast && this.#held === 0) return this.#finish(textOf(chunk))
    // the owner known by now; the bytes keep it until they are released
    if (this.#held === 0) {
      this.#owner = this.#holder.owner()
      this.#left = leftBy(this.#holder)
    }
    if (!this.#holder.shared.bodies.take(this.#owner, heldFor(chunk), this.#left))
      return this.#finish({ kind: "no room" })
    this.#held += heldFor(chunk)
    this.#chunks.add(chunk)
    if (isLast) this.#finish(joined(this.#chunks.all(), this.#bytes))
  }

  /** Ends with "no room": a piece could not be held. */
  noRoom(): void {
    if (!this.#isFinished) this.#finish({ kind: "no room" })
  }

  /** Releases the chunks and accepts no more. */
  drop(): void {
    this.#isFinished = true
    if (this.#held > 0) this.#holder.shared.bodies.give(this.#owner, this.#held)
    this.#held = 0
    this.#chunks.free()
  }

  #finish(body: Body): void {
    this.drop()
    this.#done(body)
  }
}

/** Holds the part of a body that arrives before a collector exists; afterwards it forwards to the collector. */
export class EarlyBody {
  readonly #holder: BodyHolder
  readonly #pieces = new HeldPieces()
  #held = 0
  #owner = ""
  #isEnded = false
  #isFull = false
  #body: BodyCollector | undefined
  #isDropped = false

  constructor(holder: BodyHolder) {
    this.#holder = holder
  }

  /** Takes the next chunk. */
  take(chunk: Uint8Array, isLast: boolean): void {
    if (this.#body !== undefined) return this.#body.take(chunk, isLast)
    this.#isEnded ||= isLast
    if (this.#isDropped || this.#isFull) return
    if (this.#held === 0) this.#owner = this.#holder.owner()
    this.#isFull = !this.#holder.shared.bodies.take(this.#owner, heldFor(chunk), leftBy(this.#holder))
    if (this.#isFull) return
    this.#pieces.add(chunk)
    this.#held += heldFor(chunk)
  }

  /** Forwards what has arrived, and what will arrive, to a collector. */
  forwardTo(body: BodyCollector): void {
    this.#release()
    this.#body = body
    const pieces = this.#pieces.all()
    if (this.#isFull) body.noRoom()
    else for (const [at, piece] of pieces.entries()) body.take(piece, this.#isEnded && at === pieces.length - 1)
    this.#pieces.free()
  }

  /** Releases what no collector took. */
  drop(): void {
    this.#release()
    this.#pieces.free()
  }

  #release(): void {
    if (this.#held > 0) this.#holder.shared.bodies.give(this.#owner, this.#held)
    this.#held = 0
    this.#isDropped = true
  }
}

const tooManyPieces = invalid(
  "",
  `The body has more than ${smallPiecesMax} pieces of less than ${bodyPieceBytesMin} bytes`
)

type Take<Piece> = (piece: Piece, isLast: boolean) => void

interface Hearer {
  readonly shared: { readonly bodyTurns: BodiesPerTurn<Pausable> }
  readonly isOver: boolean
  readonly requestId: string
  readonly refuse: (answer: Answer) => void
}

/**
 * Hands the pieces of a body on as they come. Where too many are small it is refused there and then: the library would
 * go on calling for each chunk of the same read.
 */
export const hearPieces = (
  res: Pausable & { readonly onData: (take: Take<ArrayBuffer>) => unknown },
  exchange: Hearer,
  body: { readonly take: Take<Uint8Array> }
): void => {
  const { bodyTurns } = exchange.shared
  let small = 0
  res.onData((piece, isLast) => {
    if (!exchange.isOver) bodyTurns.take(res, piece.byteLength)
    if (isLast) bodyTurns.end(res)
    if (piece.byteLength >= bodyPieceBytesMin || ++small <= smallPiecesMax)
      return body.take(new Uint8Array(piece), isLast)
    if (!exchange.isOver) exchange.refuse(problem(tooManyPieces, exchange.requestId))
  })
}
