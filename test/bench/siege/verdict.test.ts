/** What a row of the siege comes to, whatever was measured. */
import { describe, expect, it } from "vitest"
import { attacks } from "../../../bench/siege/all.ts"
import type { Row } from "../../../bench/siege/row.ts"
import type { StretchFigures } from "../../../bench/siege/tally.ts"
import { figuresOf, missedBy, siegeTable } from "../../../bench/siege/verdict.ts"

describe("a row of the siege", () => {
  const calm: StretchFigures = {
    kinds: { command: { good: 9, p50: 1, p99: 4 }, connect: { good: 9, p50: 3, p99: 90 } },
    failed: {},
    putOff: 0,
    lost: 0,
    lateP99: 2
  }
  const slow = (p99: number, lateP99 = 2): StretchFigures => ({
    ...calm,
    kinds: { ...calm.kinds, command: { good: 9, p50: 2, p99 } },
    lateP99
  })
  const row: Row = {
    name: "pings",
    before: calm,
    during: calm,
    after: calm,
    reached: 1,
    counts: { opened: 3 },
    busy: 0.5,
    loop: {
      before: { lateP99: 1, lateMax: 2, worked: 0.1, waited: 0 },
      during: { lateP99: 3, lateMax: 450, worked: 0.4, waited: 0.1 }
    },
    rss: { before: 100e6, peak: 900e6, after: 110e6 },
    diskBytes: 0,
    broken: []
  }
  const verdict = (one: Row): string => siegeTable([one])[1]!.trim().split(/\s+/u).at(-1)!

  it("holds where p99 stays below 100 ms or 1.2 of before, nothing fails and memory comes back", () => {
    for (const during of [calm, slow(100)]) expect([missedBy({ ...row, during }), verdict(row)]).toEqual([[], "holds"])
    const slowBefore = { ...row, before: slow(200), during: slow(239) }
    expect([missedBy(slowBefore), verdict(slowBefore)]).toEqual([[], "holds"])
  })

  it.each<readonly [string, Partial<Row>, string]>([
    ["a slow p99", { during: slow(150) }, "p99 of command 4.0 → 150 ms"],
    ["a failure", { during: { ...calm, failed: { "list: 503": 2 } } }, "failed on kept connections: 2 × list: 503"],
    ["a failure afterwards", { after: { ...calm, failed: { "upload: lost": 1 } } }, "1 × upload: lost"],
    ["memory kept", { rss: { before: 100e6, peak: 120e6, after: 111e6 } }, "RSS × 1.11"],
    ["what is broken", { broken: ["/readyz afterwards answered 503"] }, "/readyz afterwards answered 503"],
    ["an attack that missed", { reached: 0 }, "the attack did not reach the hub"],
    [
      "a hub that nobody gets into",
      { during: { ...calm, kinds: { ...calm.kinds, connect: { good: 0, p50: 0, p99: 0 } } } },
      "no daemon could connect"
    ]
  ])("misses its goal by %s", (_, seen, sentence) => {
    const missed = { ...row, ...seen }
    expect(missedBy(missed).join("; ")).toContain(sentence)
    expect(verdict(missed)).toBe("MISSED")
    expect(figuresOf(missed).some(({ holds }) => holds === false)).toBe(true)
  })

  it("is spoiled, not missed, where the generator's own lag explains a slow p99", () => {
    const spoiled = { ...row, during: slow(150, 30) }
    expect([missedBy(spoiled), verdict(spoiled)]).toEqual([[], "SPOILED"])
    expect(siegeTable([spoiled]).join("\n")).toContain("its p99 is not judged")
    expect(verdict({ ...row, during: slow(5_000, 30) })).toBe("MISSED")
  })

  it("says what its attack does and came to", () => {
    expect(siegeTable([row]).join("\n")).toContain(`pings: ${attacks.pings.asks}; opened 3`)
    expect(siegeTable([row]).join("\n")).toContain("late by p99 1.0 → 3.0 ms, at most 2.0 → 450 ms, worked 10 % → 40 %")
  })
})
