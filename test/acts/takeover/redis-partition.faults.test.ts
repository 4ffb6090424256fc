/** One node that alone cannot reach Redis, while its daemons and Postgres can be reached. Real processes. */
import { afterEach, beforeEach, describe, it } from "vitest"
import { databaseMissing, type FreshDatabase, freshDatabase } from "../../support/database.ts"
import { type FaultyLine, startFaultyLine } from "../../support/faulty-connection.ts"
import { type Nodes, startNodes } from "../../support/node-processes.ts"
import { hasRedis, startRedis, type TestRedis } from "../../support/redis-server.ts"
import { partition } from "./partition.ts"

// Real processes on a busy machine: patience costs nothing when all goes well.
const patience = { timeout: 300_000 }

describe.runIf(hasRedis && !databaseMissing)("a node without Redis among nodes that have it", patience, () => {
  let redis: TestRedis
  let line: FaultyLine
  let database: FreshDatabase
  let hub: Nodes
  beforeEach(async () => {
    redis = await startRedis()
    line = await startFaultyLine(Number(new URL(redis.url).port))
    database = await freshDatabase()
    const apart = { REDIS_URL: `redis://127.0.0.1:${line.port}/0` }
    const nodes = [{}, apart, {}]
    hub = await startNodes({ databaseUrl: database.settings.databaseUrl!, redisUrl: redis.url, nodes })
  })
  afterEach(async () => {
    await hub?.close()
    await database?.close()
    await line?.close()
    await redis?.close()
  })

  it("keeps its daemons, of whom nobody is told that they are gone, and is part of the hub again afterwards", async () => {
    await partition(hub, { cut: line.stall, heal: line.mend })
  })
})
