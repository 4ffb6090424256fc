/** How a job held its rate: what is said of it is what its commands' moments say. */
import { describe, expect, it } from "vitest"
import { Arrivals } from "../../../bench/fleet/arrivals.ts"
import { heldRate, lastAfter, sentBeyond, spread } from "../../../bench/scenarios/job-rate.ts"

describe("the rate of a job", () => {
  it("is off by what lies between the first and the last command", () => {
    const millis = Array.from({ length: 201 }, (_, nth) => 5_000 + nth * 10)
    expect(heldRate(millis, 100)).toEqual({ offPercent: 0, perSecond: [100, 100], worst: [0] })
    expect(heldRate(millis, 80).offPercent).toBeCloseTo(25)
    expect(heldRate(millis, 125).offPercent).toBeCloseTo(20)
  })

  it("tells of the worst whole second, and of none where the run had none", () => {
    const millis = [0, 100, 200, 300, 1_900, 2_000]
    expect(heldRate(millis, 3)).toMatchObject({ perSecond: [4, 1] })
    expect(heldRate(millis, 3).worst[0]).toBeCloseTo(66.7, 1)
    expect(heldRate([0, 900], 3).worst).toEqual([])
  })

  it("is followed by how long it went on after a failure", () => {
    expect(lastAfter([0, 10, 400, 900], 2)).toBe(890)
    expect(lastAfter([0, 10], 2)).toBe(0)
  })
})

it("a job that is to stop sent so many more once one more than may fail had come", () => {
  expect(sentBeyond([3, 9, 40], 1, 50)).toBe(41)
  expect(sentBeyond([3, 9, 40], 3, 50)).toBe(10)
  expect(sentBeyond([], 1, 50)).toBe(50)
})

it("targets that fail are at equal distances among all, each of which is there once", () => {
  expect(spread(["a", "b", "c", "d", "e"], ["X", "Y"])).toEqual(["a", "b", "X", "c", "d", "e", "Y"])
  expect(spread([], ["X", "Y"])).toEqual(["X", "Y"])
})

it("arrivals tell how many had come as each came that exits with 1", () => {
  const arrivals = new Arrivals()
  for (const exits of [false, true, false, true]) arrivals.add("dmn_1", exits)
  expect(arrivals.exits).toEqual([2, 4])
})

it("arrivals count a daemon's second command", () => {
  const arrivals = new Arrivals()
  for (const daemonId of ["dmn_1", "dmn_2", "dmn_1"]) arrivals.add(daemonId)
  expect([arrivals.millis.length, arrivals.again]).toEqual([3, 1])
})
