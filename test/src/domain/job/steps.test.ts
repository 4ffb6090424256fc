/** The steps of a job, by what has become of its targets. */
import { describe, expect, it } from "vitest"
import { noTargets, type Step, type TargetCounts } from "../../../../src/domain/job/job.ts"
import { stepEnd, stepRoom } from "../../../../src/domain/job/steps.ts"

const steps: ReadonlyArray<Step> = [
  { count: 10, holdMinutes: 5 },
  { percent: 25, holdMinutes: 0 }
]
const minute = 60_000
const roomOf = (counts: Partial<TargetCounts>, now = 0, lastEndAt?: number) =>
  stepRoom(steps, 1_000, { ...noTargets, ...counts }, { lastEndAt, now })

describe("the steps of a job", () => {
  it("let their number go, then none until all of them have ended and the hold is over, then the next", () => {
    expect(roomOf({ waiting: 1_000 })).toEqual({ room: 10 })
    expect(roomOf({ running: 4, succeeded: 3 })).toEqual({ room: 3 })
    expect(roomOf({ running: 1, failed: 9 })).toEqual({ room: 0 })
    expect(roomOf({ succeeded: 10 }, minute, 0)).toEqual({ room: 0, waitMillis: 4 * minute })
    expect(roomOf({ succeeded: 10 }, 5 * minute, 0)).toEqual({ room: 240 })
    expect(roomOf({ succeeded: 249, running: 1 }, 5 * minute, 0)).toEqual({ room: 0 })
    expect(roomOf({ succeeded: 250 }, 5 * minute, 5 * minute)).toEqual({ room: Number.POSITIVE_INFINITY })
  })

  it("count what was sent: a daemon that was removed before is none", () =>
    expect(roomOf({ skipped: 10, succeeded: 2 })).toEqual({ room: 8 }))

  it("have a part of all targets rounded up, so that it is never none", () =>
    expect([stepEnd({ percent: 1, holdMinutes: 0 }, 3), stepEnd({ percent: 1.1, holdMinutes: 0 }, 3_000)]).toEqual([
      1, 33
    ]))

  it("hold nothing where there are none", () =>
    expect(stepRoom([], 5, noTargets, { now: 0 })).toEqual({ room: Number.POSITIVE_INFINITY }))
})
