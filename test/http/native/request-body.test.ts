/** The body of one request: complete however it is split, bounded, and released at the end. */
import { isUtf8 } from "node:buffer"
import { describe, expect, it } from "vitest"
import { BodiesPerTurn } from "../../../http/native/bodies-per-turn.ts"
import { BodyCollector, type BodyHolder, hearPieces } from "../../../http/native/request-body.ts"
import type { Body } from "../../../http/pipeline/request-parts.ts"
import { HeldBytes } from "../../../src/domain/limits/held-bytes.ts"
import { bodyBytesPerTurnMax, bodyPieceBytesMin } from "../../../src/limits/edge.ts"
import { pooledBufferBytesMin } from "../../../src/limits/large.ts"
import { bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax } from "../../../src/limits.ts"
import { bufferPool } from "../../../src/runtime/buffer-pool.ts"
import { fillUp } from "../../support/held-bytes.ts"
import { fc, forAll } from "../../support/properties.ts"

const bytesMax = 64

const chunkOf = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes)

const holderOf = (owner: string, bodies = new HeldBytes(bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax)) => ({
  shared: { bodies },
  owner: () => owner,
  isKnown: () => true
})

const collect = (chunks: ReadonlyArray<Uint8Array>, holder: BodyHolder = holderOf("a")): Array<Body> => {
  const bodies: Array<Body> = []
  const body = new BodyCollector(holder, bytesMax, (collected) => bodies.push(collected))
  for (const [at, chunk] of chunks.entries()) body.take(chunkOf(chunk), at === chunks.length - 1)
  return bodies
}

describe("a body", () => {
  it("reads as a Buffer reads it where it is UTF-8, however it was cut; it ends once and nothing stays held", () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 24 }), { minLength: 1, maxLength: 4 })
    forAll(chunks, (cut) => {
      const holder = holderOf("a")
      const bytes = Buffer.concat(cut)
      const whole = isUtf8(bytes) ? { kind: "whole", text: bytes.toString("utf8") } : { kind: "no text" }
      expect(collect(cut, holder)).toEqual([bytes.length > bytesMax ? { kind: "too large" } : whole])
      expect(holder.shared.bodies.size).toBe(0)
    })
  })

  it("in large pieces is whole however it is cut, and its memory is there again once it is read or given up", () => {
    for (let look = 0; look < 2; look++) bufferPool.look()
    const text = "x".repeat(pooledBufferBytesMin)
    const begun = (seen: Array<Body>): BodyCollector => {
      const body = new BodyCollector(holderOf("a"), text.length * 3, (collected) => seen.push(collected))
      body.take(Buffer.from(text), false)
      return body
    }
    const seen: Array<Body> = []
    begun(seen).take(Buffer.from(text), true)
    expect(seen).toEqual([{ kind: "whole", text: text + text }])
    expect(bufferPool.bytes).toBe(text.length * 4)
    const dropped = begun(seen)
    expect(bufferPool.bytes).toBe(text.length * 3)
    dropped.drop()
    expect([bufferPool.bytes, seen.length]).toEqual([text.length * 4, 1])
  })

  it("keeps a byte order mark", () =>
    expect(collect([Buffer.from("\uFEFF{}")])).toEqual([{ kind: "whole", text: "\uFEFF{}" }]))

  it("finds no room where all bodies under way hold what they may; in one piece it needs none", () => {
    const full = holderOf("a")
    fillUp(full.shared.bodies)
    const held = full.shared.bodies.size
    expect(collect([Buffer.from("{"), Buffer.from("}")], full)).toEqual([{ kind: "no room" }])
    expect(collect([Buffer.from("{}")], full)).toEqual([{ kind: "whole", text: "{}" }])
    expect(full.shared.bodies.size).toBe(held)
  })

  it("finds no room where those of its account hold their share, and leaves that of all others alone", () => {
    const bodies = new HeldBytes(bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax)
    expect(bodies.take("a", bodiesInFlightBytesPerOwnerMax)).toBe(true)
    const pieces = [Buffer.from("{"), Buffer.from("}")]
    expect(collect(pieces, holderOf("a", bodies))).toEqual([{ kind: "no room" }])
    expect(collect(pieces, holderOf("b", bodies))).toEqual([{ kind: "whole", text: "{}" }])
    bodies.give("a", bodiesInFlightBytesPerOwnerMax)
    expect(collect(pieces, holderOf("a", bodies))).toEqual([{ kind: "whole", text: "{}" }])
    expect(bodies.size).toBe(0)
  })

  it("counts for whoever is known when its first piece is held", () => {
    const bodies = new HeldBytes(bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax)
    let owner = "192.0.2.1"
    const body = new BodyCollector({ shared: { bodies }, owner: () => owner, isKnown: () => true }, bytesMax, () => {})
    body.take(chunkOf(Buffer.from("{")), false)
    owner = "an account"
    body.take(chunkOf(Buffer.from(" ")), false)
    expect(bodies.take("an account", bodiesInFlightBytesPerOwnerMax)).toBe(true)
    expect(bodies.take("192.0.2.1", bodiesInFlightBytesPerOwnerMax - 1)).toBe(false)
    body.drop()
    expect(bodies.take("192.0.2.1", bodiesInFlightBytesPerOwnerMax)).toBe(true)
  })

  it("that is dropped holds nothing and is never told of", () => {
    const holder = holderOf("a")
    const bodies: Array<Body> = []
    const body = new BodyCollector(holder, bytesMax, (collected) => bodies.push(collected))
    body.take(chunkOf(Buffer.from("{")), false)
    // a small piece takes more memory than its bytes
    expect(holder.shared.bodies.size).toBe(bodyPieceBytesMin)
    body.drop()
    body.take(chunkOf(Buffer.from("}")), true)
    expect([holder.shared.bodies.size, bodies]).toEqual([0, []])
  })

  it("counts towards what a turn reads with its last piece too, and its own connection is read on", () => {
    const bodyTurns = new BodiesPerTurn<{ pause: () => void; resume: () => void }>(() => {})
    const paused: Array<string> = []
    const connection = (name: string) => ({ pause: () => paused.push(name), resume: () => paused.pop() })
    bodyTurns.take(connection("another"), bodyBytesPerTurnMax / 2)
    let take: (piece: ArrayBuffer, isLast: boolean) => void = () => {}
    const exchange = { shared: { bodyTurns }, isOver: false, requestId: "req_1", refuse: () => {} }
    const res = { ...connection("own"), onData: (heard: typeof take) => (take = heard) }
    hearPieces(res, exchange, { take: () => {} })
    take(new ArrayBuffer(bodyBytesPerTurnMax / 2), true)
    expect(paused).toEqual(["another"])
  })
})
