/**
 * A pool of memory for large frames and bodies. The kernel gives new memory page by page, which takes ten times as long
 * as a copy into it, and buffers that V8 must find to be garbage make it mark the whole heap: a half of what the loop
 * worked (`bench siege --only unread-answers,slow-bodies`). Owns what is kept, its bound and its end; reads no byte.
 */
import { bufferPoolBytesMax, pooledBufferBytesMin, pooledBufferSpareShare } from "../limits/large.ts"

/** Buffers that wait for their next use. */
export class BufferPool {
  readonly #kept: Array<ArrayBuffer> = []
  #bytes = 0
  /** The fewest that were kept since the last look: so many were not needed. */
  #fewest = 0

  /** The bytes that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** A buffer of at least so many bytes, and few more. It holds what was in it before: the caller writes over it. */
  take(bytes: number): ArrayBuffer {
    const at = bytes < pooledBufferBytesMin ? -1 : this.#find(bytes)
    if (at < 0) return Buffer.allocUnsafeSlow(bytes).buffer as ArrayBuffer
    const [found] = this.#kept.splice(at, 1)
    this.#bytes -= found!.byteLength
    this.#fewest = Math.min(this.#fewest, this.#kept.length)
    return found!
  }

  /** A copy in a buffer of its own, with room for `spare` bytes behind it. */
  copy(from: Uint8Array, spare = 0): Uint8Array {
    const bytes = new Uint8Array(this.take(from.byteLength + spare), 0, from.byteLength)
    bytes.set(from)
    return bytes
  }

  /** Takes a buffer back. A caller that still has it sees it empty from now on: none reads what comes next into it. */
  giveBack(buffer: ArrayBuffer): void {
    if (buffer.detached) return
    const { byteLength } = buffer
    const isKept = byteLength >= pooledBufferBytesMin && this.#bytes + byteLength <= bufferPoolBytesMax
    // freed now, and not when it is found to be garbage
    if (!isKept) return void buffer.transfer(0)
    this.#kept.push(buffer.transfer())
    this.#bytes += byteLength
  }

  /** Frees as many as were not needed since the last look. */
  look(): void {
    for (const one of this.#kept.splice(0, this.#fewest)) {
      this.#bytes -= one.byteLength
      one.transfer(0)
    }
    this.#fewest = this.#kept.length
  }

  #find(bytes: number): number {
    const most = bytes * (1 + pooledBufferSpareShare)
    return this.#kept.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= most)
  }
}

/** That of this process. */
export const bufferPool = new BufferPool()
