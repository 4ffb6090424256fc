/** Everything that passes through a Redis, as its MONITOR shows it, and what it holds. Owns both; judges nothing. */
import { Redis } from "ioredis"

/** A watch. */
export interface RedisWatch {
  /** Every command since the watch began, a line each. */
  readonly passed: () => string
  /** Every key and its value. */
  readonly held: () => Promise<string>
  readonly close: () => void
}

/** Begins one. */
export const watchRedis = async (url: string): Promise<RedisWatch> => {
  const client = new Redis(url)
  const monitor = await client.monitor()
  const lines: Array<string> = []
  monitor.on("monitor", (_time: string, args: ReadonlyArray<string>) => lines.push(args.join(" ")))
  const valueOf = async (key: string): Promise<string> => {
    const dump = await client.dumpBuffer(key)
    return dump?.toString("latin1") ?? ""
  }
  return {
    passed: () => lines.join("\n"),
    held: async () => {
      const keys = await client.keys("*")
      return (await Promise.all(keys.map(async (key) => `${key} ${await valueOf(key)}`))).join("\n")
    },
    close: () => {
      monitor.disconnect()
      client.disconnect()
    }
  }
}
