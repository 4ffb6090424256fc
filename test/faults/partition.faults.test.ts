/** One node that alone cannot reach Redis, while its daemons and Postgres can be reached. Real processes. */
import { afterEach, beforeEach, describe, it } from "vitest"
import { databaseMissing, type FreshDatabase, freshDatabase } from "../support/database.ts"
import { type Nodes, startNodes } from "../support/nodes.ts"
import { partition } from "../support/partition.ts"
import { type Proxy, startProxy } from "../support/proxy.ts"
import { hasRedis, startRedis, type TestRedis } from "../support/redis.ts"

// Real processes on a busy machine: patience costs nothing when all goes well.
const patience = { timeout: 300_000 }

describe.runIf(hasRedis && !databaseMissing)("a node without Redis among nodes that have it", patience, () => {
  let redis: TestRedis
  let proxy: Proxy
  let database: FreshDatabase
  let hub: Nodes
  beforeEach(async () => {
    redis = await startRedis()
    proxy = await startProxy(Number(new URL(redis.url).port))
    database = await freshDatabase()
    const apart = { REDIS_URL: `redis://127.0.0.1:${proxy.port}/0` }
    const nodes = [{}, apart, {}]
    hub = await startNodes({ databaseUrl: database.settings.databaseUrl!, redisUrl: redis.url, nodes })
  })
  afterEach(async () => {
    await hub?.close()
    await database?.close()
    await proxy?.close()
    await redis?.close()
  })

  it("keeps its daemons, of whom nobody is told that they are gone, and is part of the hub again afterwards", async () => {
    await partition(hub, { cut: proxy.stall, heal: proxy.heal })
  })
})
