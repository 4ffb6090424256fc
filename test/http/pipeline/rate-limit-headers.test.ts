/** The rate limit headers: their syntax, and which policy comes first. */
import { describe, expect, it } from "vitest"
import type { QuotaDecision } from "../../../actors/limits/quota.ts"
import type { Decision } from "../../../actors/limits/rate-limits.ts"
import { rateLimitHead } from "../../../http/pipeline/rate-limit-headers.ts"

const key = (remaining: number): Decision => ({
  admitted: true,
  policy: "key",
  limit: 120,
  windowSeconds: 60,
  remaining,
  resetSeconds: 9,
  retryAfter: 0
})
const month = (remaining: number, admitted: boolean): QuotaDecision => ({
  admitted,
  policy: "month",
  limit: 1_000,
  used: 1_000 - remaining,
  remaining,
  resetSeconds: 86_400,
  retryAfter: admitted ? 0 : 86_400,
  month: "2024-02"
})
const lines = (asked: Parameters<typeof rateLimitHead>[0]) =>
  rateLimitHead(asked)
    .join("")
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(": "))
const first = (asked: Parameters<typeof rateLimitHead>[0]) => lines(asked).map(([, value]) => value?.split(";")[0])

describe("the headers of the limits", () => {
  it("are none where nothing was asked", () => expect(rateLimitHead([])).toEqual([]))

  it("name limit, window, what is left and when a place frees; a month by its own length", () => {
    expect(lines([key(3), month(700, true)])).toEqual([
      ["ratelimit-policy", '"key";q=120;w=60, "month";q=1000;w=2505600'],
      ["ratelimit", '"key";r=3;t=9, "month";r=700;t=86400']
    ])
  })

  it("are the same of one policy alone", () =>
    expect(rateLimitHead([key(3)]).join("")).toBe('\r\nratelimit-policy: "key";q=120;w=60\r\nratelimit: "key";r=3;t=9'))

  it("put the policy with the fewest calls left first", () =>
    expect(first([key(100), month(99, true)])).toEqual(['"month"', '"month"']))

  it("put the policy that refused first, also when the other has none left either", () =>
    expect(first([key(0), month(0, false)])).toEqual(['"month"', '"month"']))
})
