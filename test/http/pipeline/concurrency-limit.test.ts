/** A concurrency limit: its bounds, and the release of slots. */
import { expect, it } from "vitest"
import { makeConcurrencyLimit } from "../../../http/pipeline/concurrency-limit.ts"
import { downloadsMax, downloadsPerAddressMax } from "../../../src/limits.ts"
import { fc, forAll } from "../../support/properties.ts"

it("places for downloads are 256 in all and 32 for an address: who holds all of his keeps nobody else out", () => {
  const { acquire: take } = makeConcurrencyLimit(downloadsMax, downloadsPerAddressMax)
  const holding: Array<() => void> = []
  const most = (address: string): number => {
    for (let held = 0; ; held++) {
      const back = take(address)
      if (back === undefined) return held
      holding.push(back)
    }
  }
  expect(most("a")).toBe(32)
  expect(["b", "c", "d", "e", "f", "g", "h"].map(most)).toEqual(Array(7).fill(32))
  expect(most("i")).toBe(0)
  holding[0]!()
  expect(most("i")).toBe(1)
  expect(most("a")).toBe(0)
})

it("places for downloads are never more than the bounds, and all there again once given back", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.boolean()), { maxLength: 60 })
  forAll(steps, (walk) => {
    const { acquire: take } = makeConcurrencyLimit(5, 3)
    const held: Record<string, Array<() => void>> = { a: [], b: [], c: [] }
    const sum = () => Object.values(held).reduce((all, own) => all + own.length, 0)
    for (const [address, takes] of walk) {
      const own = held[address]!
      if (!takes) own.pop()?.()
      else {
        const free = sum() < 5 && own.length < 3
        const back = take(address)
        expect(back !== undefined).toBe(free)
        if (back !== undefined) own.push(back)
      }
    }
    for (const own of Object.values(held)) for (const back of own) back()
    expect([1, 2, 3].map(() => take("a") !== undefined)).toEqual([true, true, true])
  })
})
