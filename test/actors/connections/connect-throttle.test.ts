/** How a crowd is let in: never more than the rate and its burst, and who is put off comes back spread. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ConnectThrottle, RetrySchedule } from "../../../actors/connections/connect-throttle.ts"
import {
  connectBurstShare,
  connectRetryMillisMax,
  connectRetryMillisMin,
  unauthenticatedRetryMillisMax,
  unauthenticatedRetryMillisMin
} from "../../../src/limits/drain.ts"

describe("a connect throttle", () => {
  it("takes no more than its rate and one burst, whenever they come", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), steps, (perSecond, pauses) => {
        const throttle = new ConnectThrottle(perSecond, 0)
        let [now, taken] = [0, 0]
        for (const pause of pauses) {
          now += pause
          if (throttle.take(now) === undefined) taken++
        }
        expect(taken).toBeLessThanOrEqual(Math.max(1, perSecond * connectBurstShare) + (perSecond * now) / 1_000 + 1e-6)
      })
    )
  })

  it("never puts off who keeps below its rate", () => {
    const throttle = new ConnectThrottle(100, 0)
    for (let now = 0; now < 10_000; now += 10) expect(throttle.take(now)).toBeUndefined()
  })

  it("tells each of a crowd a later time than the one before, and takes all who keep to theirs", () => {
    const throttle = new ConnectThrottle(1_000, 0)
    const told = Array.from({ length: 10_000 }, () => throttle.take(0)).flatMap((afterMs) => afterMs ?? [])
    expect(told).toHaveLength(10_000 - 1_000 * connectBurstShare)
    expect(told[0]).toBe(connectRetryMillisMin + 1)
    expect(told).toEqual([...told].sort((a, b) => a - b))
    expect(told.at(-1)).toBe(connectRetryMillisMin + told.length)
    for (const afterMs of told) expect(throttle.take(afterMs)).toBeUndefined()
  })

  it("puts nobody off for longer than a minute", () => {
    const throttle = new ConnectThrottle(1, 0)
    const told = Array.from({ length: 1_000 }, () => throttle.take(0) ?? 0)
    expect(Math.max(...told)).toBe(connectRetryMillisMax)
  })

  it("forgets the line once its last time has passed", () => {
    const throttle = new ConnectThrottle(1_000, 0)
    for (let at = 0; at < 5_000; at++) throttle.take(0)
    for (let at = 0; at < 1_000 * connectBurstShare; at++) expect(throttle.take(60_000)).toBeUndefined()
    expect(throttle.take(60_000)).toBe(connectRetryMillisMin + 1)
  })
})

describe("the schedule of connections beyond the bound of unauthenticated sockets", () => {
  it("comes back one after the other, none later than who holds a place now may keep it", () => {
    const line = new RetrySchedule(1_000, unauthenticatedRetryMillisMin, unauthenticatedRetryMillisMax)
    const told = Array.from({ length: 2 * unauthenticatedRetryMillisMax }, () => line.next(0))
    const places = unauthenticatedRetryMillisMax - unauthenticatedRetryMillisMin
    expect(told.slice(0, places)).toEqual(
      Array.from({ length: places }, (_, at) => unauthenticatedRetryMillisMin + 1 + at)
    )
    expect(new Set(told.slice(places))).toEqual(new Set([unauthenticatedRetryMillisMax]))
    expect(line.next(unauthenticatedRetryMillisMax)).toBe(unauthenticatedRetryMillisMin + 1)
  })
})
