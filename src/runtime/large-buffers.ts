/**
 * Memory of large frames, used again. The kernel gives new memory page by page, which takes ten times as long as the
 * copy of a frame, and what V8 must find to be garbage makes it collect (`bench siege --only unread-answers`: a half of
 * what the loop worked). Owns what is kept, its bound and its end; reads no byte.
 */
import { keptBufferBytesMax, keptBufferBytesMin, keptBufferSpareShare } from "../limits/large.ts"

/** Buffers that wait for their next use. */
export class LargeBuffers {
  readonly #kept: Array<ArrayBuffer> = []
  #bytes = 0
  #isUsed = false

  /** The bytes that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** A buffer of at least so many bytes, and few more. It holds what was in it before: the caller writes over it. */
  take(bytes: number): ArrayBuffer {
    this.#isUsed = true
    const fits = ({ byteLength }: ArrayBuffer): boolean =>
      byteLength >= bytes && byteLength <= bytes * (1 + keptBufferSpareShare)
    const at = this.#kept.findIndex(fits)
    if (at < 0) return Buffer.allocUnsafeSlow(bytes).buffer as ArrayBuffer
    const [found] = this.#kept.splice(at, 1)
    this.#bytes -= found!.byteLength
    return found!
  }

  /** Takes a buffer back. A caller that still has it sees it empty from now on: none reads what comes next into it. */
  giveBack(buffer: ArrayBuffer): void {
    const { byteLength } = buffer
    if (byteLength < keptBufferBytesMin) return
    if (this.#bytes + byteLength > keptBufferBytesMax) return void buffer.transfer(0)
    this.#kept.push(buffer.transfer())
    this.#bytes += byteLength
  }

  /** Lets go of all that is kept, unless one was taken since the last look. */
  look(): void {
    if (!this.#isUsed) {
      for (const one of this.#kept.splice(0)) one.transfer(0)
      this.#bytes = 0
    }
    this.#isUsed = false
  }
}

/** Those of this process. */
export const largeBuffers = new LargeBuffers()
