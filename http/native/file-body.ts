/**
 * A range of an open file as an answer's body: read in pieces, each handed over only when the peer took the one before,
 * so that a reader who stops holds one piece and no more. Owns the file from the moment it is given until `close`.
 */

import { close, openSync, read, readSync } from "node:fs"
import { artifactPieceBytes } from "../../src/limits.ts"

/** An open file and the range of it that is sent. */
export class FileBody {
  readonly from: number
  readonly length: number
  /** Called once, when the file is let go. */
  closed: (() => void) | undefined
  readonly #file: number
  readonly #onReleased: () => void
  #open = true

  /**
   * Opens the file; throws when it is not there. `length` bytes from `from` must lie within it; `released` as `closed`.
   */
  constructor(path: string, from: number, length: number, released: () => void = () => {}) {
    this.#file = openSync(path, "r")
    this.#onReleased = released
    this.from = from
    this.length = length
  }

  /** Reads up to `piece.byteLength` bytes at `position` of the file. */
  read(piece: Uint8Array, position: number, done: (error: Error | null, bytes: number) => void): void {
    read(this.#file, piece, 0, piece.byteLength, position, done)
  }

  /** All of it, at once; it then lets go of the file. Undefined when that ends early or cannot be read. */
  whole(): Uint8Array | undefined {
    const bytes = Buffer.allocUnsafe(this.length)
    try {
      if (readSync(this.#file, bytes, 0, this.length, this.from) < this.length) return undefined
    } catch {
      return undefined
    }
    this.close()
    return bytes
  }

  /** Lets go of the file, once. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    close(this.#file)
    this.#onReleased()
    this.closed?.()
  }
}

/** What sending needs of the native response. */
export interface FileSink {
  readonly cork: (write: () => void) => unknown
  readonly tryEnd: (piece: Uint8Array, total: number) => readonly [boolean, boolean]
  readonly onWritable: (writable: (offset: number) => boolean) => unknown
  readonly close: () => unknown
  readonly pause: () => unknown
  readonly resume: () => unknown
}

/**
 * Sends the range. Status and headers are written already. `isGone` tells whether the peer left: nothing native is
 * touched after that. A file that ends early, or fails to be read, ends the connection: the length was promised. While
 * a piece is read from disk the connection is not read: another request there would end it.
 */
export const sendFile = (res: FileSink, body: FileBody, isGone: () => boolean): void => {
  const piece = Buffer.allocUnsafe(Math.min(artifactPieceBytes, Math.max(1, body.length)))
  let sent = 0
  /** The part of the piece that the peer did not take yet starts at this offset of the body. */
  let unsent = piece.subarray(0, 0)
  const offer = (): boolean => {
    const [taken, finished] = res.tryEnd(unsent, body.length)
    if (finished) {
      body.close()
      return true
    }
    if (taken) {
      sent += unsent.byteLength
      next()
    }
    return taken
  }
  const next = (): void => {
    res.pause()
    const wanted = Math.min(piece.byteLength, body.length - sent)
    body.read(piece.subarray(0, wanted), body.from + sent, (error, bytes) => {
      if (isGone()) return body.close()
      if (error !== null || bytes === 0) {
        body.close()
        res.close()
        return
      }
      unsent = piece.subarray(0, bytes)
      res.cork(() => {
        res.resume()
        offer()
      })
    })
  }
  res.onWritable((offset) => {
    if (isGone()) return true
    // what the kernel took of the held part moves on; the rest is offered again
    unsent = unsent.subarray(offset - sent)
    sent = offset
    return unsent.byteLength === 0 ? true : offer()
  })
  next()
}
