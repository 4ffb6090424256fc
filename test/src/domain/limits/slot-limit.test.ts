/** A limit on concurrent work: its bounds, and the release of slots. */
import { expect, it } from "vitest"
import { makeSlotLimit } from "../../../../src/domain/limits/slot-limit.ts"
import { downloadsMax, downloadsPerAddressMax } from "../../../../src/limits.ts"
import { fc, forAll } from "../../../support/properties.ts"

it("places for downloads are 32 for an address, and a part of what is left: ten that hold all of theirs leave some", () => {
  const { acquire: take } = makeSlotLimit(downloadsMax, downloadsPerAddressMax)
  const holding: Array<() => void> = []
  const most = (address: string): number => {
    for (let held = 0; ; held++) {
      const back = take(address)
      if (back === undefined) return held
      holding.push(back)
    }
  }
  expect(most("a")).toBe(32)
  expect(["b", "c", "d"].map(most)).toEqual(Array(3).fill(32))
  const later = ["e", "f", "g", "h", "i", "j"].map(most)
  expect(later).toEqual(later.toSorted((one, other) => other - one))
  expect(holding.length).toBeLessThan((downloadsMax * 7) / 8)
  expect(most("k")).toBeGreaterThan(4)
  holding[0]!()
  expect(most("a")).toBe(0)
})

it("places for downloads are 256 in all, and the last ones go to addresses that have none", () => {
  const { acquire: take } = makeSlotLimit(downloadsMax, downloadsPerAddressMax)
  for (let nth = 0; nth < downloadsMax; nth++) expect(take(`${nth}`)).toBeDefined()
  expect(take("one more")).toBeUndefined()
})

it("places for downloads are never more than the bounds, and all there again once given back", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.boolean()), { maxLength: 60 })
  forAll(steps, (walk) => {
    const { acquire: take } = makeSlotLimit(5, 3)
    const held: Record<string, Array<() => void>> = { a: [], b: [], c: [] }
    const sum = () => Object.values(held).reduce((all, own) => all + own.length, 0)
    for (const [address, takes] of walk) {
      const own = held[address]!
      if (!takes) {
        const back = own.pop()
        // giving it back once more gives back nothing
        for (let nth = 0; nth < 2; nth++) back?.()
      }
      if (takes) {
        const free = sum() < 5 && own.length < 3 && (own.length === 0 || own.length + 1 <= (5 - sum() - 1) / 4)
        const back = take(address)
        expect(back !== undefined).toBe(free)
        if (back !== undefined) own.push(back)
      }
    }
    for (const own of Object.values(held)) for (const back of own) back()
    expect(["a", "b", "c"].map((address) => take(address) !== undefined)).toEqual([true, true, true])
  })
})
