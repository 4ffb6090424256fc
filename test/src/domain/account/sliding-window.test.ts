/** The sliding window against its two promises, over random arrival times. */
import { describe, expect, it } from "vitest"
import { admit, countIn, makeWindow, millisToNext } from "../../../../src/domain/account/sliding-window.ts"
import { fc, forAll } from "../../../support/properties.ts"

const span = 60_000
// Starts near the wrap of 32-bit milliseconds as often as not.
const start = fc.oneof(fc.integer({ min: 0, max: 10_000_000 }), fc.constant(2 ** 32 - 30_000))
const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 130_000 })), {
  maxLength: 400
})
const limits = fc.integer({ min: 1, max: 30 })

const arrivals = (from: number, steps: ReadonlyArray<number>): ReadonlyArray<number> => {
  let now = from
  return steps.map((step) => (now += step))
}

describe("a sliding window", () => {
  it("admits in no span of 60 s more than its limit", () =>
    forAll(limits, start, gaps, (limit, from, steps) => {
      const window = makeWindow(from)
      const admitted = arrivals(from, steps).filter((now) => admit(window, limit, span, now))
      for (let at = limit; at < admitted.length; at++)
        expect(admitted[at]! - admitted[at - limit]!).toBeGreaterThanOrEqual(span)
    }))

  it("refuses only a caller who had the whole limit admitted in the last 60 s", () =>
    forAll(limits, start, gaps, (limit, from, steps) => {
      const window = makeWindow(from)
      const admitted: Array<number> = []
      for (const now of arrivals(from, steps)) {
        const recent = admitted.filter((time) => now - time < span).length
        expect(admit(window, limit, span, now)).toBe(recent < limit)
        if (recent < limit) admitted.push(now)
        expect(countIn(window, span, now)).toBe(Math.min(limit, recent + 1))
      }
    }))

  it("admits a refused caller exactly when it said", () =>
    forAll(limits, start, gaps, (limit, from, steps) => {
      const window = makeWindow(from)
      for (const now of arrivals(from, steps)) {
        if (admit(window, limit, span, now)) continue
        const wait = millisToNext(window, span, now)
        expect(wait).toBeGreaterThan(0)
        expect(countIn(structuredClone(window), span, now + wait - 1)).toBe(limit)
        expect(admit(structuredClone(window), limit, span, now + wait)).toBe(true)
      }
    }))

  it("never refuses a steady caller at exactly the limit", () => {
    const window = makeWindow(0)
    for (let call = 0; call < 1_000; call++) expect(admit(window, 120, span, call * 500)).toBe(true)
  })

  it("keeps room for the admissions it has, not for its limit", () => {
    const window = makeWindow(0)
    admit(window, 1_000_000, span, 0)
    expect(window.ring.length).toBeLessThan(10)
  })
})
