/** That figures measured while the host of a virtual machine took its cores away carry a sentence which says so. */
import { describe, expect, it } from "vitest"
import { readCoreTime, stealNote } from "../../../bench/report/steal.ts"

const stat = (stolen: number, guest = 0): string =>
  `cpu  100 20 30 800 10 0 5 ${stolen} ${guest} 0\ncpu0 1 1 1 1 1 1 1 1 0 0\nintr 7\n`

describe("what the host takes", () => {
  it("is the time stolen among all that passed, in which a guest's is counted once", () =>
    expect(readCoreTime(stat(35, 90))).toEqual({ all: 1_000, stolen: 35 }))

  it("is told with its share from 2 % on", () => {
    const from = { all: 1_000, stolen: 100 }
    expect(stealNote(from, { all: 2_000, stolen: 119 })).toEqual([])
    expect(stealNote(from, { all: 2_000, stolen: 220 })).toEqual([
      "the host of this machine took 12 % of its cores' time meanwhile: latencies may be its"
    ])
  })

  it("is not told of where the system does not say, nor of no time at all", () => {
    expect(readCoreTime("nothing of the kind")).toEqual({ all: 0, stolen: 0 })
    expect(stealNote(undefined, { all: 5, stolen: 5 })).toEqual([])
    expect(stealNote({ all: 5, stolen: 5 }, { all: 5, stolen: 5 })).toEqual([])
  })
})
