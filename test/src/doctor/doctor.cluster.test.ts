/** `hub doctor` against a real Postgres and a real Redis, each of which is harmed. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeSeal } from "../../../src/auth/secret-box.ts"
import { defaultSettings } from "../../../src/config.ts"
import { diagnose } from "../../../src/doctor/doctor.ts"
import { deadRowsMany } from "../../../src/limits/doctor.ts"
import { ask } from "../../support/postgres-server.ts"
import { until } from "../../support/until.ts"
import { useDatabase, useRedis } from "../../support/use-started.ts"

const secretKey = new Uint8Array(32).fill(3)
const password = "hunter2hunter2"

describe("the doctor", () => {
  const database = useDatabase()
  const redis = useRedis()

  const run = (more: object = {}) =>
    Effect.runPromise(
      diagnose({ ...defaultSettings, ...database.settings, redisUrl: redis.url, secretKey, port: 0, ...more })
    )
  const severity = async (check: string, more: object = {}): Promise<string | undefined> =>
    (await run(more)).find((one) => one.check === check)?.severity
  const url = () => database.settings.databaseUrl!
  const name = () => new URL(url()).pathname.slice(1)

  it("looks at each subject of a Postgres and a Redis that are well", async () => {
    const found = await run()
    const of = (subject: string) => found.filter(({ check }) => check.toLowerCase().includes(subject))
    expect(of("redis")).toHaveLength(7)
    expect(of("redis").filter(({ severity: is }) => is !== "ok")).toEqual([])
    // the throwaway server of the tests does not wait for its disk
    expect(of("postgres").filter(({ severity: is }) => is !== "ok")).toMatchObject([{ check: "postgres settings" }])
    expect(of("postgres")).toHaveLength(9)
  })

  it("finds a database that only reads", async () => {
    const another = `${new URL("/postgres", url())}`
    await ask(another, `alter database ${name()} set default_transaction_read_only = on`)
    expect(await severity("postgres writes")).toBe("error")
    await ask(another, `alter database ${name()} reset default_transaction_read_only`)
    expect(await severity("postgres writes")).toBe("ok")
  })

  it("finds secrets that are sealed under another key", async () => {
    await ask(url(), `insert into secret_key (id, key_id) values (1, '00000000')`)
    expect(await severity("secret key of postgres")).toBe("error")
    await ask(url(), `update secret_key set key_id = '${makeSeal(secretKey).keyId}'`)
    expect(await severity("secret key of postgres")).toBe("ok")
  })

  it("finds a schema of a newer version", async () => {
    await ask(url(), "insert into hub_migrations (id, name, applied_at) values (9999, 'newer', 0)")
    expect(await severity("postgres schema")).toBe("error")
    await ask(url(), "delete from hub_migrations where id = 9999")
  })

  it("finds a table that vacuum does not follow", async () => {
    await ask(
      url(),
      `create table bloated (id integer) with (autovacuum_enabled = off);
       insert into bloated select generate_series(1, ${deadRowsMany + 1}); delete from bloated`
    )
    const bloat = await until("the statistics say so", async () => {
      const one = (await run()).find(({ check }) => check === "postgres bloat")
      return one?.severity === "warning" && one
    })
    expect(bloat.found).toContain("bloated (10,001 dead rows")
    await ask(url(), "drop table bloated")
  })

  it("finds a Redis that evicts, that is full, and that is a replica", async () => {
    await redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    expect(await severity("redis policy")).toBe("warning")
    await redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction")
    await redis.call("CONFIG", "SET", "maxmemory", 1)
    expect(await severity("redis memory")).toBe("error")
    await redis.call("CONFIG", "SET", "maxmemory", 0)
    await redis.call("REPLICAOF", "127.0.0.1", 1)
    expect(await severity("redis writes")).toBe("error")
    await redis.call("REPLICAOF", "NO", "ONE")
    expect(await severity("redis writes")).toBe("ok")
  })

  it("finds servers that do not answer, and shows no password", async () => {
    const found = await run({
      databaseUrl: `postgres://hub:${password}@127.0.0.1:1/hub`,
      redisUrl: `redis://:${password}@127.0.0.1:1`
    })
    const errors = found.filter(({ severity: is }) => is === "error")
    expect(errors.map(({ check }) => check)).toEqual(["postgres", "redis"])
    expect(errors.every(({ found: words }) => words.includes("ECONNREFUSED"))).toBe(true)
    expect(JSON.stringify(found)).not.toContain(password)
  })

  it("gives up on a Redis that hangs", async () => {
    redis.pause()
    expect(await severity("redis")).toBe("error")
    redis.resume()
  })
})
