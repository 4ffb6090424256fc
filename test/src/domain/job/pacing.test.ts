/** The pace of a job under virtual time: as many as its rate, however often and irregularly it is looked at. */
import { describe, expect, it } from "vitest"
import { allowed, spend, startPace, untilNext } from "../../../../src/domain/job/pacing.ts"
import { jobBurstMillis } from "../../../../src/limits/jobs.ts"
import { fc, forAll } from "../../../support/properties.ts"

const minute = 60_000

/** Sends all that is allowed at each look; gives the times. */
const sendsOf = (perMinute: number, gaps: ReadonlyArray<number>): ReadonlyArray<number> => {
  let pace = startPace(perMinute, 0)
  let now = 0
  return gaps.flatMap((gap) => {
    now += gap
    const sent = allowed(pace, now)
    pace = spend(pace, sent, now)
    return Array.from({ length: sent }, () => now)
  })
}

const gaps = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 600, maxLength: 900 })
const rates = fc.integer({ min: 30, max: 60_000 })

describe("the pace of a job", () => {
  it("holds its rate within a twentieth, whenever it is looked at within a second", () =>
    forAll(20, rates, gaps, (perMinute, gaps) => {
      const length = gaps.reduce((sum, gap) => sum + gap, 0)
      const expected = (perMinute * length) / minute
      expect(Math.abs(sendsOf(perMinute, gaps).length - expected)).toBeLessThanOrEqual(expected * 0.05 + 2)
    }))

  it("has no minute with more than its rate and a twentieth", () =>
    forAll(20, rates, gaps, (perMinute, gaps) => {
      const times = sendsOf(perMinute, gaps)
      const most = perMinute * 1.05 + 1
      let first = 0
      for (const [at, time] of times.entries()) {
        while (times[first]! <= time - minute) first++
        if (at - first + 1 > most) return false
      }
      return true
    }))

  it("begins with one, and after a pause sends no more than its burst at once", () => {
    const pace = startPace(6_000, 0)
    expect(allowed(pace, 0)).toBe(1)
    expect(allowed(pace, 10 * minute)).toBe(1 + (6_000 / minute) * jobBurstMillis)
  })

  it("says when the next may be sent", () => {
    const pace = spend(startPace(60, 0), 1, 0)
    expect([allowed(pace, 0), untilNext(pace, 0)]).toEqual([0, expect.closeTo(1_000, 1)])
    expect(allowed(pace, Math.ceil(untilNext(pace, 0)))).toBe(1)
  })

  it("gets back what was not sent after all, and without a rate allows any number", () => {
    const pace = spend(startPace(6_000, 0), 50, 1_000)
    expect(allowed(spend(pace, -5, 1_000), 1_000) - allowed(pace, 1_000)).toBe(5)
    expect(allowed(spend(startPace(undefined, 0), 1_000, 0), 0)).toBe(Number.POSITIVE_INFINITY)
  })
})
