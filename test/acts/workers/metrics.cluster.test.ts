/** `GET /metrics` of several workers: whichever is asked answers for all, and no count is lost beside a load. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Family, readPrometheus } from "../../support/prometheus-text.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { useDatabase, useRedis } from "../../support/use-started.ts"
import { patiently, type RunningWorkers, startWorkers } from "../../support/worker-processes.ts"

const patience = { timeout: 240_000 }
const scrapes = 30
const requestsPerScrape = 5

describe.skipIf(!hasRedis)("the metrics of several workers", patience, () => {
  const redis = useRedis()
  const database = useDatabase()
  let hub: RunningWorkers
  let url: string

  beforeAll(async () => {
    hub = await startWorkers(2, {
      DATABASE_URL: database.settings.databaseUrl!,
      REDIS_URL: redis.url,
      HUB_DATA_DIR: join(database.settings.dataDir, "hub"),
      HUB_SECRET_KEY: randomBytes(32).toString("base64"),
      HUB_DATABASE_CONNECTIONS: "3"
    })
    url = await hub.serving()
  }, patience.timeout)
  afterAll(() => hub?.close())

  /** On a connection of its own, so that the system chooses a worker anew. */
  const fresh = async (path: string): Promise<string> => {
    const answer = await fetch(url + path, { headers: { connection: "close" } })
    expect(answer.status).toBe(200)
    return answer.text()
  }
  const scrape = async (): Promise<ReadonlyMap<string, Family>> => readPrometheus(await fresh("/metrics"))
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
    expect(hub.said()).not.toContain("MaxListenersExceeded")
    expect([...workers]).toEqual(['hub_worker_up{worker="1"}', 'hub_worker_up{worker="2"}'])
  })

  it("are told without a worker that stands still, which counts as down", async () => {
    const [pid] = hub.pids(2)
    process.kill(pid!, "SIGSTOP")
    try {
      // the system may give a connection to the one that stands still, too: that one is not waited for
      const { samples } = await patiently("a scrape is answered without it", async () => {
        const answer = await fetch(`${url}/metrics`, {
          headers: { connection: "close" },
          signal: AbortSignal.timeout(5_000)
        }).catch(() => undefined)
        return answer?.status === 200 ? readPrometheus(await answer.text()).get("hub_worker_up") : undefined
      })
      expect([...samples.values()]).toEqual([1, 0])
    } finally {
      process.kill(pid!, "SIGCONT")
    }
  })
})
