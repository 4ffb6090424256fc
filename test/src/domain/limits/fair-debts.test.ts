/** How what many cost is shared among them. */
import { describe, expect, it } from "vitest"
import { FairDebts } from "../../../../src/domain/limits/fair-debts.ts"
import { fc, forAll } from "../../../support/properties.ts"

const perSecond = 1_000_000
const max = 500_000
const turn = 1_000

const debts = () => {
  const clock = { now: 0 }
  return { clock, shared: new FairDebts(perSecond, max, turn, () => clock.now) }
}

/** As often as it may, so much. */
const takeAll = (shared: FairDebts, owner: string, amount: number): number => {
  let taken = 0
  while (shared.take(owner, amount)) taken += amount
  return taken
}

describe("debts that are shared fairly", () => {
  it("let an owner owe what is left free and no more, and a turn's worth whatever any number of others owe", () => {
    const { shared } = debts()
    expect(takeAll(shared, "first", 100)).toBe(max / 2)
    for (let nth = 0; nth < 1_000; nth++) {
      const free = max - shared.all
      expect(takeAll(shared, `o${nth}`, 100)).toBeLessThanOrEqual(Math.max(turn, free))
    }
    expect([shared.take("last", turn), shared.take("last", 1)]).toEqual([true, false])
  })

  it("refuse nobody who costs half of an equal part of a second, a turn at most at a time, whatever the others do", () => {
    const flood = fc.record({
      others: fc.integer({ min: 1, max: 12 }),
      amount: fc.integer({ min: 100, max: 20_000 }),
      step: fc.integer({ min: 1, max: 50 }),
      part: fc.double({ min: 0.05, max: 0.45, noNaN: true })
    })
    forAll(flood, ({ others, amount, step, part }) => {
      const { clock, shared } = debts()
      const mine = Math.floor(Math.min(turn, (perSecond * step) / 1_000 / (others + 1)) * part)
      let taken = 0
      for (; clock.now < 1_000; clock.now += step) {
        for (let nth = 0; nth < others; nth++) taken += takeAll(shared, `o${nth}`, amount)
        expect(shared.take("mine", mine)).toBe(true)
      }
      expect(taken).toBeLessThanOrEqual(perSecond + max + others * turn)
    })
  })

  it("give the same to all who take what they can, but for a burst, however much each takes at a time", () =>
    forAll(20, fc.array(fc.integer({ min: 500, max: 5_000 }), { minLength: 2, maxLength: 8 }), (amounts) => {
      const { clock, shared } = debts()
      const taken = amounts.map(() => 0)
      for (; clock.now < 5_000; clock.now += 20) {
        for (const [nth, amount] of amounts.entries()) taken[nth]! += takeAll(shared, `o${nth}`, amount)
      }
      expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(max)
    }))

  it("say when it is worth another look, and a long quiet time is no credit", () => {
    const { clock, shared } = debts()
    for (const owner of ["a", "b", "c"]) takeAll(shared, owner, 1_000)
    let looks = 0
    for (let wait = shared.wait("a", 1 / 2); wait > 0; wait = shared.wait("a", 1 / 2)) {
      clock.now += wait
      looks++
    }
    expect([looks > 0, looks < 10]).toEqual([true, true])
    clock.now += 100_000
    shared.owe("a", 2 * max)
    expect([shared.all, shared.take("b", turn + 1)]).toEqual([max, false])
    clock.now += 1_000
    expect([shared.all, shared.has("b", max)]).toEqual([0, true])
  })
})
