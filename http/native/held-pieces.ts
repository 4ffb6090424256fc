/**
 * Copies of the pieces of a body that is under way. Owns their memory; decodes nothing. A body that grows is held in
 * blocks that grow with it, of which the large ones go back to the system, or to the pool, each by itself: thousands of
 * pieces of 64 KiB left the heap of the C library full of holes (`hub bench siege --only slow-bodies`).
 */
import { bodyBlocksFromBytes, ownBufferBytesMin, pooledBufferBytesMin } from "../../src/limits/large.ts"
import { bufferPool } from "../../src/runtime/buffer-pool.ts"

interface Block {
  readonly bytes: Uint8Array
  used: number
}

/** Small ones share a buffer of Node's. */
const blockOf = (size: number): Block => ({
  bytes: size < ownBufferBytesMin ? Buffer.allocUnsafe(size) : new Uint8Array(bufferPool.take(size)),
  used: 0
})

const fill = (block: Block, from: Uint8Array): void => {
  block.bytes.set(from, block.used)
  block.used += from.byteLength
}

/** The pieces of one body. */
export class HeldPieces {
  #blocks: Array<Block> = []
  #bytes = 0

  /** Copies a piece. */
  add(piece: Uint8Array): void {
    const last = this.#blocks.at(-1)
    const fits = last === undefined ? 0 : Math.min(piece.byteLength, last.bytes.byteLength - last.used)
    if (fits > 0) fill(last!, piece.subarray(0, fits))
    const rest = piece.subarray(fits)
    if (last === undefined || rest.byteLength > 0) {
      // not more than it has brought: V8 counts a block as a whole, and collects the more often
      const least = this.#bytes < bodyBlocksFromBytes ? 0 : Math.min(this.#bytes, pooledBufferBytesMin)
      const block = blockOf(Math.max(rest.byteLength, least))
      fill(block, rest)
      this.#blocks.push(block)
    }
    this.#bytes += piece.byteLength
  }

  /** What they are, in their order; good until they are freed. */
  all(): ReadonlyArray<Uint8Array> {
    return this.#blocks.map(({ bytes, used }) => bytes.subarray(0, used))
  }

  /** Holds nothing more. */
  free(): void {
    for (const { bytes } of this.#blocks)
      if (bytes.byteLength >= ownBufferBytesMin) bufferPool.giveBack(bytes.buffer as ArrayBuffer)
    this.#blocks = []
    this.#bytes = 0
  }
}
