/** A budget that fills up with time: what is taken, what is owed, and how long that lasts. */
import { expect, test } from "vitest"
import { TokenBucket } from "../../../../src/domain/limits/token-bucket.ts"
import { fc, forAll } from "../../../support/properties.ts"

test("a budget gives a burst and its rate and no more, whatever the clock does", () => {
  const step = fc.record({ amount: fc.nat({ max: 400 }), millis: fc.integer({ min: -500, max: 2_000 }) })
  forAll(fc.array(step, { maxLength: 40 }), (steps) => {
    const bucket = new TokenBucket(100, 300, 0)
    let [now, taken, passed] = [0, 0, 0]
    for (const { amount, millis } of steps) {
      now += millis
      passed += Math.max(0, millis)
      if (bucket.take(amount, now)) taken += amount
      expect(taken).toBeLessThanOrEqual(300 + (passed * 100) / 1_000)
    }
  })
})

test("what is owed is a burst at most, and is paid when the time that it says has passed", () =>
  forAll(fc.nat({ max: 10_000 }), (amount) => {
    const bucket = new TokenBucket(100, 300, 0)
    bucket.owe(amount, 0)
    const wait = bucket.untilPaid(0)
    expect(wait).toBe(Math.min(300, Math.max(0, amount - 300)) * 10)
    if (wait > 0) expect(bucket.untilPaid(wait - 10)).toBeGreaterThan(0)
    expect(bucket.untilPaid(wait)).toBe(0)
  }))
