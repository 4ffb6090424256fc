/** Months of quotas and the recency of logins. */
import { describe, expect, it } from "vitest"
import { monthOf, nextMonthAt, secondsToNextMonth } from "../../../../src/domain/account/calendar-month.ts"
import { clockSkewSeconds, judgeRecency } from "../../../../src/domain/account/login-age.ts"

describe("a month", () => {
  it("is UTC's, to its last millisecond", () => {
    expect(monthOf(Date.UTC(2026, 6, 31, 23, 59, 59, 999))).toBe("2026-07")
    expect(monthOf(Date.UTC(2026, 7, 1))).toBe("2026-08")
  })
  it("ends with the year in December", () => expect(nextMonthAt(Date.UTC(2026, 11, 15))).toBe(Date.UTC(2027, 0, 1)))
  it("is never over before the seconds to its end have passed", () => {
    const now = Date.UTC(2026, 6, 31, 23, 59, 58, 1)
    expect(secondsToNextMonth(now)).toBe(2)
    expect(secondsToNextMonth(Date.UTC(2026, 6, 31, 23, 59, 59, 999))).toBe(1)
    expect(monthOf(now + secondsToNextMonth(now) * 1_000)).toBe("2026-08")
  })
})

describe("a login", () => {
  const now = 1_800_000_000_000
  const ago = (seconds: number) => now / 1_000 - seconds
  it("is recent up to the very second and stale after it", () => {
    expect(judgeRecency(ago(900), now, 900)).toEqual({ recent: true, authAge: 900 })
    expect(judgeRecency(ago(901), now, 900)).toEqual({ recent: false, authAge: 901 })
  })
  it("is stale when the token does not say when it was", () => {
    expect(judgeRecency(undefined, now, 900)).toEqual({ recent: false })
    expect(judgeRecency(Number.NaN, now, 900)).toEqual({ recent: false })
  })
  it("may lie ahead by the skew of clocks and no more", () => {
    expect(judgeRecency(ago(-clockSkewSeconds), now, 900)).toEqual({ recent: true, authAge: 0 })
    expect(judgeRecency(ago(-clockSkewSeconds - 1), now, 900).recent).toBe(false)
  })
})
