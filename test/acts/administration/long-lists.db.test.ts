/** Lists of the command line that are longer than a page and a pipe, read to their end by real processes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { command, type Outcome, type RunningHub, runHub, slowlyRead } from "../../support/hub-command.ts"
import { idOfRow, insertMany } from "../../support/many-rows.ts"
import { environmentOf, useDatabase } from "../../support/use-started.ts"

const count = 10_500
const revoked = 3_000
const accountId = `acc_${"a".repeat(20)}`
const email = "many@example.com"

const making = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into accounts (id, email, plan, created_at) values (${accountId}, ${email}, 'pro', 0)`
  yield* insertMany(
    count - 1,
    `insert into accounts (id, email, plan, created_at)
     select ${idOfRow("acc")}, 'n' || n || '@example.com', 'free', 1 + n / 7`
  )
  yield* insertMany(
    count + revoked,
    `insert into api_keys (id, account_id, name, prefix, hash, scopes, created_at, revoked_at)
     select ${idOfRow("key")}, '${accountId}', 'k' || n, 'hub_', sha256(n::text::bytea), '{ide:read}', n / 7,
       case when n > ${count} then 1 end`
  )
  yield* insertMany(
    count,
    `insert into daemons (id, account_id, hostname, revoked, created_at)
     select ${idOfRow("dmn")}, '${accountId}', 'host-' || n, n % 3 = 0, n`
  )
})

describe("a long list of the command line", () => {
  const database = useDatabase()
  let env: Record<string, string>
  let hub: RunningHub | undefined

  beforeAll(async () => {
    env = environmentOf(database)
    await Effect.runPromise(Effect.provide(making, database.layer, { local: true }))
  })
  afterAll(() => hub?.end("SIGKILL"))

  const lists = [
    { args: ["account", "list"], name: "accounts", id: "accountId" },
    { args: ["key", "list", email], name: "apiKeys", id: "id" },
    { args: ["token", "list", email], name: "daemons", id: "daemonId" }
  ] as const

  const idsOf = ({ code, stdout, stderr }: Outcome, { name, id }: (typeof lists)[number]): ReadonlyArray<string> => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout.indexOf("\n")).toBe(stdout.length - 1)
    return (JSON.parse(stdout) as Record<string, ReadonlyArray<Record<string, string>>>)[name]!.map((row) => row[id]!)
  }

  it("is whole where no hub runs, as one JSON object and as a table, each row once", async () => {
    const ids = idsOf(await command(["account", "list", "--json"], env), lists[0])
    expect([ids.length, new Set(ids).size]).toEqual([count, count])
    const { code, stdout } = await command(["token", "list", email], env)
    expect([code, stdout.trimEnd().split("\n").length]).toEqual([0, count + 1])
  })

  it("is whole where a hub runs, though its reader is slow", async () => {
    hub = await runHub(env)
    for (const list of lists) {
      // by the time it reads on, the command has filled the pipe and waits
      const ids = idsOf(await slowlyRead([...list.args, "--json"], env, () => command(["version"], {})), list)
      expect([ids.length, new Set(ids).size]).toEqual([count, count])
    }
  })

  it("holds each row once though others are made and revoked meanwhile", async () => {
    const before = new Set(idsOf(await command(["key", "list", email, "--json"], env), lists[1]))
    const during = slowlyRead(["key", "list", email, "--json"], env, () =>
      command(["key", "create", "--account", email, "--scopes", "ide:read"], env)
    )
    const ids = idsOf(await during, lists[1])
    expect(new Set(ids).size).toBe(ids.length)
    expect([...before].filter((id) => !ids.includes(id))).toEqual([])
  })
})
