/** Several nodes on a Postgres database and a Redis of their own. Owns all three: none outlives the others. */
import { freshDatabase } from "./database.ts"
import { type Nodes, type NodesOptions, startNodes } from "./node-processes.ts"
import { startRedis } from "./redis-server.ts"

/** Starts them; one entry of environment a node. */
export const startOwnNodes = async (nodes: NodesOptions["nodes"]): Promise<Nodes> => {
  const redis = await startRedis()
  const database = await freshDatabase()
  const close = async (): Promise<void> => {
    await database.close()
    await redis.close()
  }
  try {
    const hub = await startNodes({ databaseUrl: database.settings.databaseUrl!, redisUrl: redis.url, nodes })
    return { ...hub, close: () => hub.close().finally(close) }
  } catch (error) {
    await close()
    throw error
  }
}
