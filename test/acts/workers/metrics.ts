/**
 * `GET /metrics` of several workers: whichever is asked answers for all, and no count is lost beside a load. Owns these
 * tests; whose hub it is starts it, and no worker of it was replaced yet.
 */
import { expect, it } from "vitest"
import { type Family, readPrometheus } from "../../support/prometheus-text.ts"
import { patiently, type RunningWorkers } from "../../support/worker-processes.ts"

const scrapes = 30
const requestsPerScrape = 5
const scrapersAtOnce = 6

/** Tests of the metrics of two workers. */
export const metricsOfWorkers = (running: { readonly hub: () => RunningWorkers; readonly url: () => string }): void => {
  /** On a connection of its own, so that the system chooses a worker anew. */
  const fresh = async (path: string): Promise<string> => {
    const answer = await fetch(running.url() + path, { headers: { connection: "close" } })
    expect(answer.status).toBe(200)
    return answer.text()
  }
  /** What both workers tell: one that is held up is not waited for. */
  const scrape = (): Promise<ReadonlyMap<string, Family>> =>
    patiently("both workers tell their metrics", async () => {
      const families = readPrometheus(await fresh("/metrics"))
      return [...families.get("hub_worker_up")!.samples.values()].every((up) => up === 1) && families
    })
  const alive = (families: ReadonlyMap<string, Family>): ReadonlyArray<number> =>
    ["1", "2", "1 replaced", "2 replaced"].map((worker) => {
      const labels = `{worker="${worker}",method="GET",route="/healthz",status="2xx"}`
      const { samples } = families.get("hub_request_duration_seconds")!
      return samples.get(`hub_request_duration_seconds_count${labels}`) ?? 0
    })
  const sum = (counts: ReadonlyArray<number>): number => counts.reduce((total, one) => total + one, 0)

  it(`add up exactly, in ${scrapes} scrapes beside a load, and never fall`, async () => {
    await scrape()
    let done = 0
    const load = async (): Promise<void> => {
      await fresh("/healthz")
      done++
    }
    let before: ReadonlyArray<number> = [0, 0, 0, 0]
    const workers = new Set<string>()
    for (let n = 0; n < scrapes; n++) {
      const requests = Array.from({ length: requestsPerScrape }, load)
      const families = await scrape()
      const counts = alive(families)
      for (const [at, one] of counts.entries()) expect(one).toBeGreaterThanOrEqual(before[at]!)
      before = counts
      for (const series of families.get("hub_worker_up")!.samples.keys()) workers.add(series)
      await Promise.all(requests)
      expect(sum(alive(await scrape()))).toBe(done)
    }
    expect(done).toBe(scrapes * requestsPerScrape)
    expect(before.filter((one) => one > 0)).toHaveLength(2)
    // what a scrape listened with is gone with it
    expect(running.hub().said()).not.toContain("MaxListenersExceeded")
    expect([...workers]).toEqual(['hub_worker_up{worker="1"}', 'hub_worker_up{worker="2"}'])
  })

  it("are told without a worker that stands still, which counts as down", async () => {
    const [pid] = running.hub().pids(2)
    process.kill(pid!, "SIGSTOP")
    try {
      // the system gives a connection to the one that stands still, too: that one is not waited for
      const asked = async () => {
        const answer = await fetch(`${running.url()}/metrics`, {
          headers: { connection: "close" },
          signal: AbortSignal.timeout(5_000)
        })
        if (answer.status !== 200) throw new Error(`it answered ${answer.status}`)
        return readPrometheus(await answer.text()).get("hub_worker_up")
      }
      const { samples } = await patiently("a scrape is answered without it", () =>
        Promise.any(Array.from({ length: scrapersAtOnce }, asked))
      )
      expect([...samples.values()]).toEqual([1, 0])
    } finally {
      process.kill(pid!, "SIGCONT")
    }
  })
}
