/** The copies of a body's pieces: whole and in order, in few blocks, which are there for others afterwards. */
import { describe, expect, it } from "vitest"
import { HeldPieces } from "../../../http/native/held-pieces.ts"
import {
  bodyBlocksFromBytes,
  ownBufferBytesMin,
  pooledBufferBytesMin,
  pooledBufferSpareShare
} from "../../../src/limits/large.ts"
import { bufferPool } from "../../../src/runtime/buffer-pool.ts"
import { fc, forAll } from "../../support/properties.ts"

const pieceOf = (size: number, nth: number): Uint8Array => new Uint8Array(size).fill(nth % 256)

describe("held pieces", () => {
  const sizes = fc.array(fc.oneof(fc.nat(600), fc.nat(70_000), fc.nat(600_000)), { minLength: 1, maxLength: 24 })

  it("are what came, however it was cut, in few blocks that take about twice as much at most", () =>
    forAll(sizes, (each) => {
      const pieces = each.map(pieceOf)
      const held = new HeldPieces()
      for (const piece of pieces) held.add(piece)
      const all = held.all()
      expect(Buffer.concat(all).equals(Buffer.concat(pieces))).toBe(true)
      const bytes = each.reduce((sum, size) => sum + size, 0)
      const blocks = Math.ceil(bytes / pooledBufferBytesMin) + each.filter((size) => size > pooledBufferBytesMin).length
      const firstAt = each.findIndex(
        (_, at) => each.slice(0, at).reduce((sum, one) => sum + one, 0) >= bodyBlocksFromBytes
      )
      const growing = Math.log2(pooledBufferBytesMin / bodyBlocksFromBytes)
      expect(all.length).toBeLessThanOrEqual(blocks + growing + (firstAt < 0 ? each.length : firstAt))
      const own = all.filter(({ byteLength }) => byteLength >= ownBufferBytesMin)
      const taken = own.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
      expect(taken).toBeLessThanOrEqual(bytes * 2 * (1 + pooledBufferSpareShare))
      held.free()
      expect(held.all()).toEqual([])
    }))

  it("of no bytes are one piece: the end of a body that has none", () => {
    const held = new HeldPieces()
    held.add(new Uint8Array())
    expect(held.all().map(({ byteLength }) => byteLength)).toEqual([0])
  })

  it("leave their blocks to the next body", () => {
    for (let look = 0; look < 2; look++) bufferPool.look()
    const held = new HeldPieces()
    for (let at = 0; at < 16; at++) held.add(pieceOf(bodyBlocksFromBytes, at))
    expect(held.all().map(({ byteLength }) => byteLength / bodyBlocksFromBytes)).toEqual([1, 1, 2, 4, 8])
    held.free()
    expect(bufferPool.bytes).toBe(pooledBufferBytesMin)
  })
})
