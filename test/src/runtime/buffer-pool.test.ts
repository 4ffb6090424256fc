/** Memory of large frames that is used again: by whom, how much of it waits, and who sees it. */
import { describe, expect, it } from "vitest"
import { bufferPoolBytesMax, pooledBufferBytesMin } from "../../../src/limits/large.ts"
import { BufferPool } from "../../../src/runtime/buffer-pool.ts"
import { fc, forAll } from "../../support/properties.ts"

const size = pooledBufferBytesMin * 4

describe("memory of large frames", () => {
  it("that was given back is taken again by a frame of about its size, once", () => {
    const buffers = new BufferPool()
    const first = buffers.take(size)
    new Uint8Array(first).fill(7)
    buffers.giveBack(first)
    expect([buffers.bytes, buffers.take(size + 1).byteLength, buffers.take(size / 2).byteLength]).toEqual([
      size,
      size + 1,
      size / 2
    ])
    const again = buffers.take((size * 4) / 5)
    expect([again.byteLength, new Uint8Array(again)[size - 1], buffers.bytes]).toEqual([size, 7, 0])
    expect(new Uint8Array(buffers.take(size))).not.toBe(again)
  })

  it("is empty from then on for whoever gave it back: nobody reads the frame of another", () => {
    const buffers = new BufferPool()
    const given = new Uint8Array(buffers.take(size))
    const part = given.subarray(10, 20)
    buffers.giveBack(given.buffer as ArrayBuffer)
    new Uint8Array(buffers.take(size)).fill(9)
    expect([given.byteLength, part.byteLength]).toEqual([0, 0])
  })

  it("waits up to a bound, and what is small or given back twice does not", () => {
    const buffers = new BufferPool()
    buffers.giveBack(buffers.take(pooledBufferBytesMin - 1))
    expect(buffers.bytes).toBe(0)
    const taken = Array.from({ length: bufferPoolBytesMax / size + 1 }, () => buffers.take(size))
    for (const one of [...taken, ...taken]) buffers.giveBack(one)
    expect(buffers.bytes).toBe(bufferPoolBytesMax)
    expect(taken.every(({ byteLength }) => byteLength === 0)).toBe(true)
  })

  it("that no frame took between two looks is let go of", () => {
    const buffers = new BufferPool()
    buffers.giveBack(buffers.take(size))
    buffers.look()
    expect(buffers.bytes).toBe(size)
    buffers.look()
    expect(buffers.bytes).toBe(0)
  })

  it("is let go of but for as much as frames needed at once, however often one came", () => {
    const buffers = new BufferPool()
    const taken = Array.from({ length: 4 }, () => buffers.take(size))
    for (const one of taken) buffers.giveBack(one)
    for (let look = 0; look < 3; look++) {
      buffers.look()
      for (let frame = 0; frame < 5; frame++) buffers.giveBack(buffers.take(size))
    }
    expect(buffers.bytes).toBe(size)
  })

  it("is never with two at a time, and never less than was asked for", () => {
    const steps = fc.array(fc.option(fc.integer({ min: 1, max: pooledBufferBytesMin * 3 })), { maxLength: 40 })
    forAll(steps, (walk) => {
      const buffers = new BufferPool()
      const held: Array<ArrayBuffer> = []
      for (const bytes of walk) {
        if (bytes === null) {
          const back = held.shift()
          if (back !== undefined) buffers.giveBack(back)
          continue
        }
        const one = buffers.take(bytes)
        expect(one.byteLength).toBeGreaterThanOrEqual(bytes)
        expect(held).not.toContain(one)
        held.push(one)
      }
      expect(held.every(({ detached }) => !detached)).toBe(true)
    })
  })
})
