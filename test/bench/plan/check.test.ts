/** The model beside a measured crowd: what is compared, and where there is no verdict. */
import { expect, it } from "vitest"
import { besideModel } from "../../../bench/plan/check.ts"
import { unitRecords } from "./unit-records.ts"

// 100,000 × 5 µs, and 1,000 commands a second of 60 µs and, three of four times, 80 µs more
const [reckonedCores, reckonedMegabytes] = [0.62, 4 * (200 + 100) + 600]
const taken = { nodes: 4, daemons: 100_000, commands: 1_000, cores: reckonedCores, megabytes: reckonedMegabytes }

it("the model beside a crowd is judged by a quarter, on either side", () => {
  const judged = (cores: number, megabytes: number) =>
    besideModel({ ...taken, cores, megabytes }, unitRecords(), "m").figures.map(({ holds }) => holds)
  expect(judged(reckonedCores * 1.24, reckonedMegabytes * 0.76)).toEqual([true, true])
  expect(judged(reckonedCores * 1.26, reckonedMegabytes * 0.74)).toEqual([false, false])
  const [cores, memory] = besideModel(taken, unitRecords(), "m").figures
  expect(cores!.baseline).toBeCloseTo(reckonedCores)
  expect(memory!.baseline).toBeCloseTo(reckonedMegabytes)
})

it("the model beside a crowd is shown and not judged where the unit costs are of another machine, and left out where there are none", () => {
  const elsewhere = besideModel(taken, unitRecords({}, "other"), "m")
  expect(elsewhere.figures.map(({ holds, ratio }) => [holds, ratio?.toFixed(2)])).toEqual([
    [undefined, "1.00"],
    [undefined, "1.00"]
  ])
  expect(elsewhere.notes.join()).toContain("measured elsewhere (other)")
  const without = besideModel(taken, {}, "m")
  expect(without.figures).toEqual([])
  expect(without.notes.join()).toContain("measure them with")
})
