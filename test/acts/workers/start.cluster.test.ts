/** `hub start --workers` as an operator meets it: real processes on one port, one Postgres and one Redis. */
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { command } from "../../support/hub-command.ts"
import { isAlive } from "../../support/reference-daemon.ts"
import { until } from "../../support/until.ts"
import { useDatabase, useRedis } from "../../support/use-started.ts"
import { patiently, type RunningWorkers, startWorkers } from "../../support/worker-processes.ts"
import { metricsOfWorkers } from "./metrics.ts"

describe("hub start --workers", () => {
  const redis = useRedis()
  const database = useDatabase()
  let env: Record<string, string>
  const hubs: Array<RunningWorkers> = []

  beforeAll(async () => {
    env = {
      DATABASE_URL: database.settings.databaseUrl!,
      REDIS_URL: redis.url,
      HUB_DATA_DIR: join(database.settings.dataDir, "hub"),
      HUB_SECRET_KEY: randomBytes(32).toString("base64"),
      HUB_RATE_IP_PER_MINUTE: "100000000",
      HUB_DATABASE_CONNECTIONS: "3"
    }
  })
  afterAll(async () => {
    await Promise.all(hubs.map((one) => one.close()))
  })

  const start = async (): Promise<{ readonly hub: RunningWorkers; readonly url: string }> => {
    const hub = await startWorkers(2, env)
    hubs.push(hub)
    return { hub, url: await hub.serving() }
  }
  const current = (of: RunningWorkers, worker: number): number => of.pids(worker).at(-1)!
  const json = async (...args: Array<string>): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await command([...args, "--json"], env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    return JSON.parse(stdout)
  }
  /** A request on a connection of its own, so that the system chooses a worker anew. */
  const fresh = async (url: string, path: string, headers: Record<string, string> = {}): Promise<number> => {
    const answer = await fetch(url + path, { headers: { connection: "close", ...headers } })
    await answer.arrayBuffer()
    return answer.status
  }

  describe("while it runs", () => {
    let hub: RunningWorkers
    let url: string
    let begun = false
    beforeEach(async ({ task }) => {
      // a try after one that failed does not go on with what that one left
      const again = (task.result?.retryCount ?? 0) > 0
      if (begun && !again) return
      if (begun) await hub.close()
      const started = await start()
      hub = started.hub
      url = started.url
      begun = true
    })

    it("serves on one port, says so once, and tells the workers apart", async () => {
      expect(hub.said().match(/"message":"serving"/gu)).toHaveLength(1)
      expect(current(hub, 1)).not.toBe(current(hub, 2))
      expect(await fresh(url, "/readyz")).toBe(200)
    })

    describe("its metrics", () => metricsOfWorkers({ hub: () => hub, url: () => url }))

    it("starts a killed worker again, and names it in the log", async () => {
      const [other, before] = [current(hub, 1), hub.pids(2).length]
      process.kill(current(hub, 2), "SIGKILL")
      await patiently("another takes its place", () => hub.pids(2).length === before + 1)
      expect(hub.said()).toContain("worker 2 was killed by SIGKILL; it is started again")
      expect(current(hub, 1)).toBe(other)
      expect(await fresh(url, "/readyz")).toBe(200)
    })

    it("replaces every worker on SIGHUP, and serves meanwhile", async () => {
      const old = [current(hub, 1), current(hub, 2)]
      const before = hub.said().length
      const statuses = new Set<number>()
      hub.signal("SIGHUP")
      await patiently("all are replaced", async () => {
        statuses.add(await fresh(url, "/readyz"))
        return hub.said().slice(before).includes("all workers are replaced")
      })
      expect([...statuses]).toEqual([200])
      expect(old.filter(isAlive)).toEqual([])
      expect(
        hub
          .said()
          .slice(before)
          .match(/"message":"a worker serves"/gu)
      ).toHaveLength(2)
    })

    it("hears what is revoked beside it, in all workers", async () => {
      const { accountId } = await json("account", "create", "--email", `${randomBytes(4).toString("hex")}@example.com`)
      const { id, key } = await json("key", "create", "--account", accountId!, "--scopes", "ide:read")
      const asked = () => fresh(url, "/api/v1/daemons", { authorization: `Bearer ${key}` })
      for (let n = 0; n < 20; n++) expect(await asked()).toBe(200)
      // The folder of another node of this hub: no control socket answers there, only the stores do.
      const elsewhere = { ...env, HUB_DATA_DIR: join(database.settings.dataDir, "elsewhere") }
      const revoked = await command(["key", "revoke", "--key", id!, "--json"], elsewhere)
      // where Redis takes more than two seconds it says that the hubs may not have been told
      expect(revoked.code).toBe(0)
      await until("no worker takes it", async () => {
        for (let n = 0; n < 20; n++) if ((await asked()) !== 401) return false
        return true
      })
    })

    it("ends with 0 on SIGTERM, all workers at once", async () => {
      hub.signal("SIGTERM")
      expect(await hub.ended).toEqual({ code: 0, signal: null })
      expect([1, 2].map((worker) => current(hub, worker)).filter(isAlive)).toEqual([])
    })
  })

  it("leaves nobody listening when its supervisor is killed", async () => {
    const { hub, url } = await start()
    const pids = [current(hub, 1), current(hub, 2)]
    process.kill(hub.pid, "SIGKILL")
    await patiently("the workers end", () => !pids.some(isAlive))
    const port = Number(new URL(url).port)
    const refused = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve("accepted"))
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code))
    })
    expect(refused).toBe("ECONNREFUSED")
  })

  it("ends with 1 and names the worker that did not drain; a second signal waits for none", async () => {
    const { hub } = await start()
    process.kill(current(hub, 2), "SIGSTOP")
    hub.signal("SIGTERM")
    await patiently("the first has ended", () => !isAlive(current(hub, 1)))
    hub.signal("SIGTERM")
    expect(await hub.ended).toEqual({ code: 1, signal: null })
    expect(hub.said()).toContain("hub: worker 2 was killed by SIGKILL")
  })

  it("ends with 1 and says which worker could not start", async () => {
    const nowhere = { ...env, HUB_PORT: "0", DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }
    const failed = await command(["start", "--workers", "2"], nowhere)
    expect(failed.code).toBe(1)
    expect(failed.stderr.trim().split("\n").at(-1)).toBe("hub: worker 1 ended with exit code 1 before it served")
  })
})
