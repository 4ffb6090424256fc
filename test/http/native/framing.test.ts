/** What follows from a request's framing, and what is held of a body before a collector takes it. */
import { describe, expect, it } from "vitest"
import type { BodyNeed } from "../../../http/native/exchange-needs.ts"
import { ChunkWatch, dispositionOf } from "../../../http/native/framing.ts"
import { BodyCollector, type BodyHolder, EarlyBody } from "../../../http/native/request-body.ts"
import type { Fault, Framing } from "../../../http/native/request-head.ts"
import type { Body } from "../../../http/pipeline/request-parts.ts"
import { HeldBytes } from "../../../src/domain/limits/held-bytes.ts"
import { strangersBodiesLeave } from "../../../src/limits/edge.ts"
import { ownBufferBytesMin } from "../../../src/limits/large.ts"
import { bodiesInFlightBytesMax } from "../../../src/limits.ts"
import { fillUp } from "../../support/held-bytes.ts"
import { fc, forAll } from "../../support/properties.ts"

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

describe("the course of a request", () => {
  const courseOf = (framing: Framing, method: string, body?: BodyNeed, fault?: Fault) =>
    dispositionOf({ framing, fault }, method, body)

  it("is refused by an unclear framing, whatever its method", () => {
    for (const method of ["GET", "HEAD", "POST", "DELETE", "FROB"])
      expect(courseOf("unclear", method)).toMatchObject({ _tag: "ValidationFailed" })
  })

  it("ends the connection wherever its end is not sure", () => {
    expect(courseOf("chunks", "POST", "needed")).toBe("last")
    expect(courseOf("none", "POST")).toBe("last")
    expect(courseOf("none", "POST", "optional")).toBe("last")
    expect(courseOf("none", "POST", "needed")).toMatchObject({ _tag: "LengthRequired" })
    expect(courseOf("chunks", "GET")).toMatchObject({ _tag: "LengthRequired" })
    expect(courseOf("length", "POST", "needed")).toBe("served")
    expect(courseOf("none", "GET")).toBe("served")
  })

  it("is refused where its body is no plain JSON and would be read, and where it names two callers", () => {
    const refused = { _tag: "UnsupportedMediaType" }
    expect(courseOf("length", "POST", "optional", "no JSON")).toMatchObject(refused)
    expect(courseOf("chunks", "POST", "needed", "no JSON")).toMatchObject(refused)
    expect(courseOf("length", "POST", undefined, "no JSON")).toBe("served")
    expect(courseOf("none", "POST", "optional", "no JSON")).toBe("last")
    expect(courseOf("none", "GET", undefined, "two credentials")).toMatchObject({ _tag: "ValidationFailed" })
  })
})

it("a body in chunks is misread where the end of chunks is among its data, also over two pieces", () => {
  const data = '{"a":1}\r\n0\r\n\r\n'
  const cuts = fc.integer({ min: 0, max: data.length })
  forAll(cuts, (at) => {
    const watch = new ChunkWatch()
    const first = watch.misread(bytes(data.slice(0, at)))
    expect(first || watch.misread(bytes(data.slice(at)))).toBe(true)
  })
})

it("a body in chunks is not misread where it is JSON, however it is set out", () =>
  forAll(fc.json(), fc.constantFrom("  ", "\t", ""), (text, indent) => {
    const set = JSON.stringify(JSON.parse(text), null, indent).replaceAll("\n", "\r\n")
    expect(new ChunkWatch().misread(bytes(set))).toBe(false)
  }))

describe("what comes of a body early", () => {
  const holderOf = () => ({
    shared: { bodies: new HeldBytes(bodiesInFlightBytesMax, bodiesInFlightBytesMax) },
    owner: () => "192.0.2.1",
    isKnown: () => false
  })
  const collected = (holder: BodyHolder): { readonly body: BodyCollector; readonly seen: Array<Body> } => {
    const seen: Array<Body> = []
    return { body: new BodyCollector(holder, 1_000, (one) => seen.push(one)), seen }
  }

  it("is given to whoever takes the body, with what comes later", () => {
    const holder = holderOf()
    const early = new EarlyBody(holder)
    early.take(bytes("ab"), false)
    expect(holder.shared.bodies.size).toBeGreaterThan(1)
    const { body, seen } = collected(holder)
    early.forwardTo(body)
    early.take(bytes("cd"), true)
    expect(seen).toEqual([{ kind: "whole", text: "abcd" }])
    expect(holder.shared.bodies.size).toBe(0)
  })

  it("of any size is given whole to the body that takes it", () => {
    const early = new EarlyBody(holderOf())
    const large = "x".repeat(ownBufferBytesMin)
    for (const piece of ["ab", large, "cd", large]) early.take(bytes(piece), false)
    const seen: Array<Body> = []
    early.forwardTo(new BodyCollector(holderOf(), 100_000, (one) => seen.push(one)))
    early.take(bytes("e"), true)
    expect(seen).toEqual([{ kind: "whole", text: `ab${large}cd${large}e` }])
  })

  it("is let go where nobody takes it", () => {
    const holder = holderOf()
    const early = new EarlyBody(holder)
    early.take(bytes("ab"), false)
    early.drop()
    early.take(bytes("cd"), true)
    expect(holder.shared.bodies.size).toBe(0)
  })

  it("has no room beyond what all bodies may hold together, less what is left for known accounts", () => {
    const holder = holderOf()
    fillUp(holder.shared.bodies, strangersBodiesLeave)
    const most = holder.shared.bodies.size
    const early = new EarlyBody(holder)
    early.take(bytes("ab"), true)
    expect(holder.shared.bodies.size).toBe(most)
    for (const [isKnown, seen] of [
      [false, { kind: "no room" }],
      [true, { kind: "whole", text: "abcd" }]
    ] as const) {
      const one = collected({ ...holder, isKnown: () => isKnown })
      one.body.take(bytes("ab"), false)
      one.body.take(bytes("cd"), true)
      expect(one.seen).toEqual([seen])
    }
    const { body, seen } = collected(holder)
    early.forwardTo(body)
    expect(seen).toEqual([{ kind: "no room" }])
  })
})
