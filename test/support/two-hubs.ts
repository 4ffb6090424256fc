/** Two hubs that are one: a Postgres and a Redis of their own, for the tests of a block. Asserts nothing. */
import type { Settings } from "../../src/config.ts"
import { type FreshDatabase, freshDatabase } from "./database.ts"
import { type HubOptions, type TestHub, useHub } from "./hub.ts"
import type { TestRedis } from "./redis-server.ts"
import { useRedis, useStarted } from "./use-started.ts"

/** Both, once the tests run. */
export interface TwoHubs {
  readonly redis: TestRedis
  readonly database: FreshDatabase
  readonly one: TestHub
  readonly other: TestHub
}

/** Starts them, with these settings, before the tests of the block that calls this, and ends them after. */
export const useTwoHubs = (
  more: () => Partial<Settings> = () => ({}),
  also: Pick<HubOptions, "documents"> = {}
): TwoHubs => {
  const redis = useRedis()
  const database = useStarted(freshDatabase)
  const options = () => ({ ...also, database, settings: { redisUrl: redis.url, ...more() } })
  return { redis, database, one: useHub(options), other: useHub(options) }
}
