/**
 * A range of an open file as an answer's body. It can be read in pieces, so that a stalled reader holds one piece of
 * memory. Owns the open file until `close`.
 */

import { close, openSync, read, readSync } from "node:fs"

/** An open file and the range of it that is sent. */
export class FileBody {
  readonly from: number
  readonly length: number
  /** Called once, when the file is closed. */
  closed: (() => void) | undefined
  readonly #file: number
  readonly #onReleased: () => void
  #open = true

  /**
   * Opens the file; throws when it does not exist. `length` bytes from `from` must lie within it. `released` is called
   * like `closed`.
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

  /** Reads all of it at once and closes the file. Undefined when the file ends early or cannot be read. */
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

  /** Closes the file, once. */
  close(): void {
    if (!this.#open) return
    this.#open = false
    close(this.#file)
    this.#onReleased()
    this.closed?.()
  }
}
