/** What tests share. Owns when it starts and ends: with the block that calls for it, or with each of its tests. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest"
import { type FreshDatabase, freshDatabase } from "./database.ts"
import { startRedis, type TestRedis } from "./redis-server.ts"
import { type Receiver, startReceiver } from "./webhook-receiver.ts"

/**
 * Registers the start with the block that calls it, and the end where it has one. Its members are there once the
 * block's tests run.
 */
export const useStarted = <A extends object>(start: () => Promise<A>, per: "block" | "test" = "block"): A => {
  const [before, after] = per === "block" ? [beforeAll, afterAll] : [beforeEach, afterEach]
  let started: A | undefined
  before(async () => {
    started = await start()
  })
  after(async () => {
    await (started as { readonly close?: () => unknown } | undefined)?.close?.()
    started = undefined
  })
  return new Proxy({} as A, {
    get: (_, member) => {
      if (started === undefined) throw new Error(`not started: ${String(member)}`)
      return started[member as keyof A]
    }
  })
}

/**
 * A receiver of webhooks; with `test` one for each, to which nothing comes that another had sent there. Named after a
 * hub it ends before it: what hangs there holds no hub up.
 */
export const useReceiver = (per: "block" | "test" = "block"): Receiver => useStarted(() => startReceiver(), per)

/** A database. */
export const useDatabase = (per: "block" | "test" = "block"): FreshDatabase => useStarted(freshDatabase, per)

/** The environment of a hub on a database: its data folder, and on a Postgres its address and the secret key. */
export const environmentOf = ({ settings: { databaseUrl, dataDir } }: FreshDatabase): Record<string, string> => ({
  HUB_DATA_DIR: dataDir,
  ...(databaseUrl && { DATABASE_URL: databaseUrl, HUB_SECRET_KEY: Buffer.alloc(32, 1).toString("base64") })
})

/** A Redis. */
export const useRedis = (options: Parameters<typeof startRedis>[0] = {}): TestRedis =>
  useStarted(() => startRedis(options))
