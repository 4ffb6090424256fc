/** What an attempt's answer means: the outcome, the next attempt, the health of the webhook. */
import { describe, expect, it } from "vitest"
import {
  type AttemptResult,
  attemptErrors,
  endpointServes,
  type Health,
  healthAfter,
  healthy,
  judge,
  retryAfterMillis,
  retryDelay
} from "../../../../src/domain/webhook/delivery.ts"
import { fc, forAll } from "../../../support/properties.ts"

const planned = [5_000, 60_000, 720_000]
const now = Date.UTC(2026, 0, 1)
const answer = (over: Partial<AttemptResult>): AttemptResult => ({
  statusCode: undefined,
  error: undefined,
  retryAfter: undefined,
  body: "",
  truncated: false,
  durationMs: 1,
  ...over
})

describe("an attempt", () => {
  it("succeeds with any 2xx and with nothing else", () => {
    for (const statusCode of [200, 201, 202, 204, 299])
      expect(judge(answer({ statusCode }), 1, planned, 0.5, now)).toEqual({ state: "succeeded" })
    for (const statusCode of [100, 199, 300, 301, 400, 404, 429, 500, 503])
      expect(judge(answer({ statusCode }), 1, planned, 0.5, now).state).toBe("retry")
  })

  it("is made again after 5 s, 60 s and 720 s, and after the fourth failure no more", () => {
    const delays = [1, 2, 3, 4].map((attempt) => judge(answer({ statusCode: 500 }), attempt, planned, 0.5, now))
    expect(delays).toEqual([
      { state: "retry", afterMillis: 5_000 },
      { state: "retry", afterMillis: 60_000 },
      { state: "retry", afterMillis: 720_000 },
      { state: "failed" }
    ])
  })

  it("is made again whatever the error", () => {
    for (const error of attemptErrors) expect(judge(answer({ error }), 1, planned, 0.5, now).state).toBe("retry")
  })

  it("fails for good with 410", () =>
    expect(judge(answer({ statusCode: 410 }), 1, planned, 0.5, now)).toEqual({ state: "failed" }))

  it("does not succeed with a 2xx that was no answer", () =>
    expect(judge(answer({ statusCode: 200, error: "timeout" }), 4, planned, 0.5, now)).toEqual({ state: "failed" }))
})

describe("the delay of a retry", () => {
  it("strays from the plan by at most 20 %, and reaches both ends", () => {
    expect(retryDelay(5_000, 0, undefined)).toBe(4_000)
    expect(retryDelay(5_000, 1, undefined)).toBe(6_000)
    forAll(fc.constantFrom(...planned), fc.double({ min: 0, max: 1, noNaN: true }), (plan, chance) => {
      const delay = retryDelay(plan, chance, undefined)
      expect(delay).toBeGreaterThanOrEqual(plan * 0.8)
      expect(delay).toBeLessThanOrEqual(plan * 1.2)
    })
  })

  it("honours Retry-After between once and twice the plan", () => {
    const asked = (retryAfter: string) => judge(answer({ statusCode: 503, retryAfter }), 2, planned, 0, now)
    expect(asked("1")).toEqual({ state: "retry", afterMillis: 60_000 })
    expect(asked("90")).toEqual({ state: "retry", afterMillis: 90_000 })
    expect(asked("9999")).toEqual({ state: "retry", afterMillis: 120_000 })
    expect(asked(new Date(now + 100_000).toUTCString())).toEqual({ state: "retry", afterMillis: 100_000 })
    expect(asked(new Date(now - 100_000).toUTCString())).toEqual({ state: "retry", afterMillis: 60_000 })
  })

  it("takes a Retry-After beyond all bounds for twice the plan", () => {
    for (const huge of ["99999999999", "9".repeat(400)])
      expect(retryDelay(5_000, 0.5, retryAfterMillis(huge, now))).toBe(10_000)
  })

  it("falls back to the plan when Retry-After is nonsense", () => {
    for (const nonsense of ["soon", "-5", "1.5", "", "0x10", "2026"]) {
      const millis = retryAfterMillis(nonsense, now)
      expect(millis === undefined || nonsense === "2026").toBe(true)
    }
    expect(judge(answer({ statusCode: 503, retryAfter: "soon" }), 1, planned, 0.5, now)).toEqual({
      state: "retry",
      afterMillis: 5_000
    })
  })
})

describe("the health of a webhook", () => {
  const following = (results: ReadonlyArray<boolean>): Health =>
    results.reduce((health, success, at) => healthAfter(health, success, now + at), healthy)

  it("is failing from the tenth failure in a row on, since that moment", () => {
    expect(following(Array(9).fill(false))).toEqual({ failures: 9, failingSince: undefined })
    expect(following(Array(10).fill(false))).toEqual({ failures: 10, failingSince: now + 9 })
    expect(following(Array(12).fill(false))).toEqual({ failures: 12, failingSince: now + 9 })
  })

  it("is ok again after one success", () => expect(following([...Array(12).fill(false), true])).toEqual(healthy))

  it("starts its count anew after a success", () =>
    expect(following([...Array(9).fill(false), true, ...Array(9).fill(false)]).failingSince).toBeUndefined())

  it("counts what says that the endpoint is ill, and not the refusal of one event", () => {
    for (const statusCode of [200, 204, 400, 404, 413, 415, 422])
      expect(endpointServes(answer({ statusCode })), `${statusCode}`).toBe(true)
    for (const statusCode of [undefined, 301, 401, 403, 410, 429, 500, 502, 503, 504])
      expect(endpointServes(answer({ statusCode })), `${statusCode}`).toBe(false)
    for (const error of attemptErrors) expect(endpointServes(answer({ statusCode: 400, error })), error).toBe(false)
  })
})
