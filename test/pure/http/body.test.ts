/** The body of one request: whole however it was cut, bounded, and nothing held once it is over. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Body, type BodyHolder, Collecting } from "../../../http/body.ts"
import { bodiesInFlightBytesMax } from "../../../src/limits.ts"

const bytesMax = 64

const chunkOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer

const collect = (chunks: ReadonlyArray<Uint8Array>, holder: BodyHolder = { heldBytes: 0 }): Array<Body> => {
  const bodies: Array<Body> = []
  const body = new Collecting(holder, bytesMax, (collected) => bodies.push(collected))
  for (const [at, chunk] of chunks.entries()) body.take(chunkOf(chunk), at === chunks.length - 1)
  return bodies
}

describe("a body", () => {
  it("reads as a Buffer reads it, whatever its bytes and however it was cut; it ends once and nothing stays held", () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 24 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(chunks, (cut) => {
        const holder = { heldBytes: 0 }
        const bytes = Buffer.concat(cut)
        const whole = { kind: "whole", text: bytes.toString("utf8") }
        expect(collect(cut, holder)).toEqual([bytes.length > bytesMax ? { kind: "too large" } : whole])
        expect(holder.heldBytes).toBe(0)
      })
    )
  })

  it("keeps a byte order mark", () => {
    expect(collect([Buffer.from("\uFEFF{}")])).toEqual([{ kind: "whole", text: "\uFEFF{}" }])
  })

  it("finds no room where all bodies under way hold what they may; in one piece it needs none", () => {
    const full = { heldBytes: bodiesInFlightBytesMax }
    expect(collect([Buffer.from("{"), Buffer.from("}")], full)).toEqual([{ kind: "no room" }])
    expect(collect([Buffer.from("{}")], full)).toEqual([{ kind: "whole", text: "{}" }])
    expect(full.heldBytes).toBe(bodiesInFlightBytesMax)
  })

  it("that is dropped holds nothing and is never told of", () => {
    const holder = { heldBytes: 0 }
    const bodies: Array<Body> = []
    const body = new Collecting(holder, bytesMax, (collected) => bodies.push(collected))
    body.take(chunkOf(Buffer.from("{")), false)
    expect(holder.heldBytes).toBe(1)
    body.drop()
    body.take(chunkOf(Buffer.from("}")), true)
    expect([holder.heldBytes, bodies]).toEqual([0, []])
  })
})
