/** The queue of socket closes: the first are handled at once, the others in slices, one per turn. */
import { describe, expect, it } from "vitest"
import { CloseQueue } from "../../../http/native/close-queue.ts"
import { endsInTickMax, endsPerTurnShare } from "../../../src/limits/edge.ts"

const crowd = 10_000
const tickOver = () => new Promise((resolve) => setImmediate(resolve))
const turnsMax = 1_000
const failed = (defect: unknown): void => {
  throw defect
}

describe("the ends of many", () => {
  it("are dealt with in the tick they come in, as long as they are few", () => {
    const dealt: Array<number> = []
    const ends = new CloseQueue<number>((one) => void dealt.push(one), failed)
    for (let one = 0; one < endsInTickMax; one++) ends.add(one)
    expect(dealt).toHaveLength(endsInTickMax)
  })

  it("are dealt with in the tick they come in again after one in which a crowd ended", async () => {
    const dealt: Array<number> = []
    const ends = new CloseQueue<number>((one) => void dealt.push(one), failed)
    for (let one = 0; one <= endsInTickMax; one++) ends.add(one)
    expect(dealt).toHaveLength(endsInTickMax)
    await tickOver()
    ends.add(endsInTickMax + 1)
    expect(dealt).toHaveLength(endsInTickMax + 2)
  })

  it("take no more than a share of those that wait in one turn, keep their order, and are all dealt with once", async () => {
    const dealt: Array<number> = []
    const ends = new CloseQueue<number>((one) => void dealt.push(one), failed)
    const all = Array.from({ length: crowd }, (_, at) => at)
    for (const one of all) ends.add(one)
    for (let turn = 0; dealt.length < crowd && turn < turnsMax; turn++) {
      const before = dealt.length
      await tickOver()
      const share = Math.max(endsInTickMax, Math.ceil((crowd - before) * endsPerTurnShare))
      expect(dealt.length - before).toBeLessThanOrEqual(share)
    }
    expect(dealt).toEqual(all)
  })

  it("do not overtake those that wait", async () => {
    const dealt: Array<number> = []
    const ends = new CloseQueue<number>((one) => void dealt.push(one), failed)
    const count = endsInTickMax * 3
    for (let one = 0; one < count; one++) ends.add(one)
    await tickOver()
    ends.add(count)
    for (let turn = 0; dealt.length <= count && turn < turnsMax; turn++) await tickOver()
    expect(dealt).toEqual(Array.from({ length: count + 1 }, (_, at) => at))
  })

  it("are dealt with although one of them fails, and each defect is told", async () => {
    const dealt: Array<number> = []
    const defects: Array<unknown> = []
    const ends = new CloseQueue<number>(
      (one) => {
        if (one % 2 === 0) throw `defect ${one}`
        dealt.push(one)
      },
      (defect) => void defects.push(defect)
    )
    for (let one = 0; one < endsInTickMax * 2; one++) ends.add(one)
    await tickOver()
    expect(dealt).toHaveLength(endsInTickMax)
    expect(defects).toEqual(Array.from({ length: endsInTickMax }, (_, at) => `defect ${at * 2}`))
  })
})
