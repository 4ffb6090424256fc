/** What `hub doctor` says of Postgres and Redis, by what they say of themselves. Facts are given; no server runs. */
import { describe, expect, it } from "vitest"
import { judgePostgres } from "../../../src/doctor/postgres.ts"
import type { PostgresFacts } from "../../../src/doctor/postgres-facts.ts"
import { judgeRedis, readInfo } from "../../../src/doctor/redis.ts"

const clock = { millis: 0, uncertain: 1 }
const postgres: PostgresFacts = {
  version: 170_005,
  settings: {
    server_encoding: "UTF8",
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    autovacuum: "on",
    default_transaction_read_only: "off",
    max_connections: "100",
    superuser_reserved_connections: "3"
  },
  inRecovery: false,
  connections: 12,
  hubConnections: 0,
  oldestTransactionMillis: 5,
  deadRows: [],
  migrations: [1, 2],
  keyIds: ["k1"],
  singleOwners: 0,
  clock
}
const wanted = { pool: 10, migrations: [1, 2], keyIds: ["k1"] }
const set = (settings: object) => ({ settings: { ...postgres.settings, ...settings } as PostgresFacts["settings"] })

describe("the doctor on Postgres", () => {
  it("finds nothing where all is well", () =>
    expect(judgePostgres(postgres, wanted).filter(({ severity }) => severity !== "ok")).toEqual([]))

  it.each<[string, string, Partial<PostgresFacts>]>([
    ["postgres version", "error", { version: 120_003 }],
    ["postgres version", "warning", { version: 140_003 }],
    ["postgres writes", "error", { inRecovery: true }],
    ["postgres writes", "error", set({ default_transaction_read_only: "on" })],
    ["postgres settings", "error", set({ server_encoding: "SQL_ASCII" })],
    ["postgres settings", "error", set({ fsync: "off" })],
    ["postgres settings", "error", set({ full_page_writes: "off" })],
    ["postgres settings", "error", set({ autovacuum: "off" })],
    ["postgres settings", "warning", set({ synchronous_commit: "off" })],
    ["postgres connections", "warning", { connections: 90 }],
    ["postgres connections", "error", { connections: 96, hubConnections: 10 }],
    ["postgres bloat", "warning", { deadRows: [{ name: "deliveries", live: 1_000, dead: 50_000 }] }],
    ["postgres transactions", "warning", { oldestTransactionMillis: 7_200_000 }],
    ["postgres schema", "error", { migrations: [1, 2, 3] }],
    ["postgres schema", "error", { migrations: [0] }],
    ["postgres schema", "warning", { migrations: [1] }],
    ["secret key of postgres", "error", { keyIds: ["k2"] }],
    ["owners", "warning", { singleOwners: 2 }],
    ["secret key of postgres", "error", { keyIds: ["k1", "k2"] }],
    ["clock of Postgres", "error", { clock: { millis: -60_000, uncertain: 5 } }]
  ])("finds by its %s an %s, and says what to do", (check, severity, more) => {
    const found = judgePostgres({ ...postgres, ...more }, wanted).filter((one) => one.severity !== "ok")
    expect(found).toMatchObject([{ check, severity, remedy: expect.stringMatching(/\w/u) }])
  })

  it("says that a rotation is under way, and when it is over", () => {
    const key = (stored: ReadonlyArray<string>) =>
      judgePostgres({ ...postgres, keyIds: stored }, { ...wanted, keyIds: ["k2", "k1"] }).find(({ check }) =>
        check.startsWith("secret key")
      )
    expect(key(["k1"])).toMatchObject({ severity: "warning", remedy: expect.stringContaining("hub secret rotate") })
    expect(key(["k1", "k2"])).toMatchObject({ severity: "warning" })
    expect(key(["k2"])).toMatchObject({ severity: "ok", found: expect.stringContaining("may be dropped") })
  })

  it("leaves a hub that runs the connections it has, and small tables their dead rows", () => {
    const facts = { connections: 90, hubConnections: 10, deadRows: [{ name: "keys", live: 5, dead: 500 }] }
    expect(judgePostgres({ ...postgres, ...facts }, wanted).every(({ severity }) => severity === "ok")).toBe(true)
  })
})

const info = {
  redis_version: "7.4.4",
  cluster_enabled: "0",
  role: "master",
  rdb_last_bgsave_status: "ok",
  aof_enabled: "0",
  aof_last_write_status: "ok",
  used_memory: "1000000",
  maxmemory: "0",
  maxmemory_policy: "noeviction"
}
const here = "redis://127.0.0.1:6379"

describe("the doctor on Redis", () => {
  it("finds nothing where all is well", () =>
    expect(judgeRedis({ info, clock }, here).filter(({ severity }) => severity !== "ok")).toEqual([]))

  it.each<[string, string, object]>([
    ["redis version", "error", { redis_version: "5.0.14" }],
    ["redis version", "error", { redis_version: "6.2.0", cluster_enabled: "1" }],
    ["redis writes", "error", { role: "slave" }],
    ["redis writes", "error", { rdb_last_bgsave_status: "err" }],
    ["redis writes", "error", { aof_last_write_status: "err" }],
    ["redis policy", "warning", { maxmemory_policy: "allkeys-lru" }],
    ["redis memory", "warning", { maxmemory: "1100000" }],
    ["redis memory", "error", { maxmemory: "900000" }],
    ["redis persistence", "warning", { aof_enabled: "1" }]
  ])("finds by its %s an %s, and says what to do", (check, severity, more) => {
    const found = judgeRedis({ info: { ...info, ...more }, clock }, here).filter((one) => one.severity !== "ok")
    expect(found).toMatchObject([{ check, severity, remedy: expect.stringMatching(/\w/u) }])
  })

  it("wants a password where Redis is on another computer, and never shows one", () => {
    const bare = judgeRedis({ info, clock }, "redis://redis:6379").filter(({ severity }) => severity !== "ok")
    expect(bare).toMatchObject([{ check: "redis password", severity: "warning" }])
    const given = judgeRedis({ info, clock }, "redis://:hunter2@redis:6379")
    expect(given.every(({ severity }) => severity === "ok")).toBe(true)
    expect(JSON.stringify(given)).not.toContain("hunter2")
  })

  it("judges its clock", () => {
    const found = judgeRedis({ info, clock: { millis: 3_000, uncertain: 1 } }, here)
    expect(found.find(({ check }) => check === "clock of Redis")).toMatchObject({ severity: "warning" })
  })

  it("reads the lines of INFO", () => {
    expect(readInfo("# Server\r\nredis_version:7.0.15\r\nexecutable:/a:b\r\n\r\n")).toEqual({
      redis_version: "7.0.15",
      executable: "/a:b"
    })
  })
})
