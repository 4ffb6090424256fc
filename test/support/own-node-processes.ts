/**
 * Several nodes on a Postgres database and a Redis of their own. Owns all three: none outlives the others; and the
 * block of tests that they are started for.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest"
import { freshDatabase } from "./database.ts"
import { type Nodes, type NodesOptions, startNodes } from "./node-processes.ts"
import { startRedis, type TestRedis } from "./redis-server.ts"

/** The nodes, and what they run on. */
export interface OwnNodes extends Nodes {
  readonly redis: TestRedis
  readonly databaseUrl: string
}

type OwnNodesOptions = Pick<NodesOptions, "nodes" | "tree" | "within">

/** Starts them; one entry of environment a node. */
const startOwnNodes = async (options: OwnNodesOptions): Promise<OwnNodes> => {
  const redis = await startRedis()
  const database = await freshDatabase()
  const databaseUrl = database.settings.databaseUrl!
  const close = async (): Promise<void> => {
    await database.close()
    await redis.close()
  }
  try {
    const hub = await startNodes({ databaseUrl, redisUrl: redis.url, ...options })
    return { ...hub, redis, databaseUrl, close: () => hub.close().finally(close) }
  } catch (error) {
    await close()
    throw error
  }
}

/** A block of tests on such nodes, started once for all of them or anew for each. Only inside tests they are there. */
export const onNodes = (
  name: string,
  { when = "once", ...options }: OwnNodesOptions & { readonly when?: "once" | "each test" },
  tests: (hub: OwnNodes) => void
): void => {
  describe(name, () => {
    let started: OwnNodes | undefined
    const start = async (): Promise<void> => {
      started = await startOwnNodes(options)
    }
    const end = async (): Promise<void> => {
      await started?.close()
      started = undefined
    }
    const [before, after] = when === "once" ? [beforeAll, afterAll] : [beforeEach, afterEach]
    before(start)
    after(end)
    tests(new Proxy({} as OwnNodes, { get: (_, key) => Reflect.get(started!, key) }))
  })
}
