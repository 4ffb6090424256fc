/** Two hubs that are one: a Postgres and a Redis of their own, for the tests of a file. Asserts nothing. */
import { afterAll, beforeAll } from "vitest"
import type { Settings } from "../../src/config.ts"
import { type FreshDatabase, freshDatabase } from "./database.ts"
import { startHub, type TestHub } from "./hub.ts"
import { startRedis, type TestRedis } from "./redis-server.ts"

/** Both, once the tests run. */
export interface TwoHubs {
  readonly redis: TestRedis
  readonly database: FreshDatabase
  readonly one: TestHub
  readonly other: TestHub
}

/** Starts them, with these settings, before the tests of the block that calls this, and ends them after. */
export const useTwoHubs = (more: () => Promise<Partial<Settings>> = async () => ({})): TwoHubs => {
  const started: { -readonly [K in keyof TwoHubs]?: TwoHubs[K] } = {}
  beforeAll(async () => {
    started.redis = await startRedis()
    const database = await freshDatabase()
    started.database = database
    const settings = { redisUrl: started.redis.url, ...(await more()) }
    started.one = await startHub({ database, settings })
    started.other = await startHub({ database, settings })
  })
  afterAll(async () => {
    await started.one?.close()
    await started.other?.close()
    await started.database?.close()
    await started.redis?.close()
  })
  return {
    get redis() {
      return started.redis!
    },
    get database() {
      return started.database!
    },
    get one() {
      return started.one!
    },
    get other() {
      return started.other!
    }
  }
}
