/** More jobs than a node leads: none waits for the end of another. */
import { describe, expect, it } from "vitest"
import { JobLeaders } from "../../../actors/jobs/job-leaders.ts"
import { jobRenewMillis, jobsGivenUpMax, jobsLedMax, jobsUnderWayMax } from "../../../src/limits/jobs.ts"
import { useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

describe("a job", () => {
  const hub = useHub({ virtual: true })

  /** Starts so many jobs for daemons that are offline. */
  const start = async (number: number): Promise<ReadonlyArray<string>> => {
    const jobIds: Array<string> = []
    while (jobIds.length < number) {
      const account = await hub.account()
      const key = await account.key(["ide:read", "ide:control"])
      const { daemonId } = await account.daemonToken()
      for (let at = 0; at < jobsUnderWayMax && jobIds.length < number; at++) {
        const body = { daemonIds: [daemonId], type: "screenshot" }
        jobIds.push((await hub.request("POST", "/api/v1/jobs", { key, body })).body.jobId)
      }
    }
    return jobIds
  }
  const leaders = () => hub.inside(JobLeaders)
  const becomesTrue = (what: string, look: (leads: (jobId: string) => boolean) => boolean) =>
    until(what, async () => {
      await hub.advance(jobRenewMillis)
      return look((await leaders()).leads)
    })

  it("has its turn beside as many as a node leads, however long they wait, and so have those again", async () => {
    const first = await start(jobsLedMax)
    const [late] = await start(1)
    const { leads } = await leaders()
    expect(first.every(leads)).toBe(true)
    expect(leads(late!)).toBe(false)
    await becomesTrue("it is led", (leads) => leads(late!))
    const without = first.filter((jobId) => !leads(jobId))
    expect(without.length).toBeGreaterThan(0)
    expect(without.length).toBeLessThanOrEqual(jobsGivenUpMax)
    await becomesTrue("one that was given up is led again", (leads) => without.some(leads))
  })
})
