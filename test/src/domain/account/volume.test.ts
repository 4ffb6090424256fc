/** What an account holds, as one node knows it: never less than what is there, never more than the bound. */
import { describe, expect, it } from "vitest"
import { type Bound, HeldVolume, noVolume, type Volume } from "../../../../src/domain/account/volume.ts"
import { backlogShared, volumeCountShare } from "../../../../src/limits/volumes.ts"
import { fc, forAll } from "../../../support/properties.ts"

const bound: Volume = { number: 1_000, bytes: 100_000 }
const one: Volume = { number: 1, bytes: 10 }
const plus = (a: Volume, b: Volume): Volume => ({ number: a.number + b.number, bytes: a.bytes + b.bytes })

const parts = 5
const shared: Bound = { ...bound, own: { number: 50, bytes: 5_000 } }

/** Fills one part until it is refused. */
const fill = (holding: HeldVolume, part: string, volume = one): number => {
  let taken = 0
  while (holding.beyond(shared, volume, part) === undefined) {
    holding.begin(part, volume)
    holding.end(part, volume, volume)
    taken++
  }
  return taken
}

const volume = fc.record({ number: fc.integer({ min: 0, max: 3 }), bytes: fc.integer({ min: 0, max: 500 }) })
const step = fc.oneof(
  fc.record({ type: fc.constant("begin" as const), part: fc.constantFrom("a", "b", "c"), volume }),
  fc.record({ type: fc.constant("end" as const), at: fc.nat(), written: fc.boolean() }),
  fc.record({ type: fc.constant("remove" as const), at: fc.nat() }),
  fc.record({ type: fc.constantFrom("counting" as const, "read" as const, "counted" as const) })
)

describe("what an account holds", () => {
  it("is never less than what is written and being written, whenever the store counts", () =>
    forAll(fc.array(step, { maxLength: 60 }), (steps) => {
      const holding = new HeldVolume()
      const writing: Array<{ part: string; volume: Volume }> = []
      const rows: Array<{ part: string; volume: Volume }> = []
      let underway = false
      let seen: Map<string, Volume> | undefined
      const read = () => {
        const parts = new Map<string, Volume>()
        for (const row of rows) parts.set(row.part, plus(row.volume, parts.get(row.part) ?? noVolume))
        return parts
      }
      for (const taken of steps) {
        if (taken.type === "begin") {
          holding.begin(taken.part, taken.volume)
          writing.push(taken)
        } else if (taken.type === "end" && writing.length > 0) {
          const [ended] = writing.splice(taken.at % writing.length, 1)
          if (taken.written) rows.push(ended!)
          holding.end(ended!.part, ended!.volume, taken.written ? ended!.volume : noVolume)
        } else if (taken.type === "remove" && rows.length > 0) rows.splice(taken.at % rows.length, 1)
        else if (taken.type === "counting") {
          holding.counting()
          underway = true
          seen = undefined
        } else if (taken.type === "read" && underway) seen ??= read()
        else if (taken.type === "counted" && underway) {
          holding.counted(seen ?? read())
          underway = false
        }
        const there = [...rows, ...writing].reduce((sum, { volume }) => plus(sum, volume), noVolume)
        expect(holding.total.number).toBeGreaterThanOrEqual(there.number)
        expect(holding.total.bytes).toBeGreaterThanOrEqual(there.bytes)
      }
      holding.counting()
      holding.counted(read())
      const exact = [...rows, ...writing].reduce((sum, { volume }) => plus(sum, volume), noVolume)
      expect(holding.total).toEqual(exact)
    }))

  it.each([
    ["number", { number: 1, bytes: 0 }, bound.number],
    ["bytes", { number: 0, bytes: 100 }, bound.bytes / 100]
  ] as const)("goes up to the bound of its %s and not beyond, where it has no parts", (beyond, volume, most) => {
    const holding = new HeldVolume()
    for (let nth = 0; nth < most; nth++) {
      expect(holding.beyond(bound, volume, "all")).toBeUndefined()
      holding.begin("all", volume)
    }
    expect(holding.beyond(bound, volume, "all")).toBe(beyond)
  })

  it("keeps out by the bytes what has bytes, and by the number what is one more, whatever the other is at", () => {
    const holding = new HeldVolume()
    holding.begin("all", { number: bound.number + 1, bytes: bound.bytes + 1 })
    expect(holding.beyond(bound, { number: 0, bytes: 1 }, "all")).toBe("bytes")
    expect(holding.beyond(bound, { number: 1, bytes: 0 }, "all")).toBe("number")
    expect(holding.beyond(bound, noVolume, "all")).toBeUndefined()
  })

  it(`is never taken by one part alone: it stops at ${backlogShared} of the bound`, () => {
    const holding = new HeldVolume()
    expect(fill(holding, "dead")).toBe(bound.number * backlogShared)
    expect(holding.beyond(shared, one, "dead")).toBe("number")
  })

  it("leaves each part what is its own, whatever the others take, and stays within the bound", () =>
    forAll(fc.integer({ min: 0, max: parts - 1 }), fc.integer({ min: 1, max: 400 }), (dead, bytes) => {
      const holding = new HeldVolume()
      for (let nth = 0; nth < dead; nth++) fill(holding, `dead ${nth}`, { number: 1, bytes })
      expect(fill(holding, "alive")).toBeGreaterThanOrEqual(shared.own!.number)
      expect(holding.total.number).toBeLessThanOrEqual(bound.number)
      expect(holding.total.bytes).toBeLessThanOrEqual(bound.bytes)
    }))

  it("is to be counted after each eighth of the bound that was added, by number or by bytes", () => {
    expect(volumeCountShare).toBe(8)
    for (const volume of [
      { number: 1, bytes: 0 },
      { number: 0, bytes: 100 }
    ]) {
      const holding = new HeldVolume()
      for (let nth = 1; nth < 125; nth++) holding.begin("a", volume)
      expect(holding.hasGrown(bound)).toBe(false)
      holding.begin("a", volume)
      expect(holding.hasGrown(bound)).toBe(true)
      holding.counting()
      expect(holding.hasGrown(bound)).toBe(false)
    }
  })

  it("forgets a part of which nothing is left", () => {
    const holding = new HeldVolume()
    fill(holding, "gone")
    holding.counting()
    holding.counted(new Map([["here", one]]))
    expect([holding.of("gone"), holding.of("here"), holding.total]).toEqual([noVolume, one, one])
  })
})
