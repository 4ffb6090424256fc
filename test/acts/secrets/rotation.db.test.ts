/** `hub secret rotate` on a hub that works, killed in the middle, started again, and at last without the old key. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import pg from "pg"
import { afterAll, expect, it } from "vitest"
import { makeSeal } from "../../../src/auth/secret-box.ts"
import { databaseKind } from "../../support/database.ts"
import { command, type RunningHub, runHub } from "../../support/hub-command.ts"
import { until } from "../../support/until.ts"
import { useDatabase } from "../../support/use-started.ts"

const [older, newer] = [1, 2].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer]
const text = (...keys: ReadonlyArray<Buffer>): string => keys.map((key) => key.toString("base64")).join(",")
const rows = 20_000

const database = useDatabase()
let hub: RunningHub
const env = (...keys: ReadonlyArray<Buffer>): Record<string, string> => {
  const { databaseUrl, dataDir } = database.settings
  return { HUB_DATA_DIR: dataDir, HUB_SECRET_KEY: text(...keys), ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
}
const sql = <A>(work: (client: SqlClient.SqlClient) => Effect.Effect<A, unknown>): Promise<A> =>
  Effect.runPromise(
    Effect.orDie(Effect.provide(Effect.flatMap(SqlClient.SqlClient, work), database.layer, { local: true }))
  )
afterAll(async () => {
  await hub?.end("SIGKILL")
})

/** Secrets under the new key, as a Postgres shows them. */
const sealedAnew = async (): Promise<number> => {
  const [row] = await sql(
    (client) => client<{ count: number }>`select count(*) as count from webhooks
        where split_part(secret, '.', 2) = ${makeSeal(newer).keyId}`
  )
  return row!.count
}

/** Keeps a secret behind the first half of them as it is, and so the rotation from its end, until this is called. */
const holdRotation = async (): Promise<() => Promise<void>> => {
  const client = new pg.Client({ connectionString: database.settings.databaseUrl })
  client.on("error", () => {})
  await client.connect()
  await client.query("begin")
  await client.query("select from webhooks where id = 'whk_many5' for update")
  return () => client.end()
}

/** Calls with the dashboard session of a person. */
const session = async (password: string) => {
  const call = async (path: string, token?: string, body: object = {}) => {
    const response = await fetch(`${hub.url}/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body)
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const { body } = await call("/auth/login", undefined, { email: "owner@localhost", password })
  return (path: string, given?: object) => call(path, body["token"] as string, given)
}

it("hub secret rotate seals all anew under load, goes on after a kill, and then the old key may be dropped", async () => {
  hub = await runHub(env(older))
  const password = /password +(\S+)/u.exec(hub.greeting)![1]!
  const made = await (await session(password))("/webhooks", { url: "https://example.com/", events: ["*"] })
  expect(made.status).toBe(201)
  const id = made.body["id"] as string
  await hub.end("SIGTERM")
  const seal = makeSeal(older)
  const ids = Array.from({ length: rows }, (_, at) => `whk_many${at}`)
  await sql((client) =>
    client.unsafe(
      `insert into webhooks (id, account_id, url, events, active, secret, created_at, updated_at)
         select t.id, (select account_id from webhooks limit 1), 'https://example.com/', '{daemon:connect}', false, t.secret, 1, 1
         from unnest($1::text[], $2::text[]) as t (id, secret)`,
      [ids, ids.map((one) => seal.seal(`secret ${one}`, one))]
    )
  )

  hub = await runHub(env(newer, older))
  let replaced = ""
  const call = await session(password)
  const letGo = databaseKind === "postgres" ? await holdRotation() : undefined
  const rotation = command(["secret", "rotate", "--json"], env(newer, older))
  const replace = async (): Promise<void> => {
    const { status, body } = await call(`/webhooks/${id}/rotate-secret`)
    if (status === 200) replaced = body["secret"] as string
  }
  // Of the embedded database nothing can be read beside the hub: it is killed after so much load.
  if (databaseKind === "embedded") for (let round = 0; round < 60; round++) await replace()
  else {
    await until("some secrets are sealed anew", async () => {
      await replace()
      return (await sealedAnew()) > rows / 20
    })
  }
  await hub.end("SIGKILL")
  expect(replaced).not.toBe("")
  if (databaseKind === "postgres") expect(await sealedAnew()).toBeLessThan(rows)
  await letGo?.()
  await rotation

  hub = await runHub(env(newer, older))
  const again = await command(["secret", "rotate", "--json"], env(newer, older))
  expect(again).toMatchObject({ code: 0, stderr: "" })
  expect(JSON.parse(again.stdout)).toMatchObject({ sealedUnder: makeSeal(newer).keyId, mayBeDropped: [seal.keyId] })
  await hub.end("SIGTERM")

  hub = await runHub(env(newer))
  const refused = await (await session(password))(`/webhooks/${id}/rotate-secret`)
  expect(refused.status).toBe(200)
  await hub.end("SIGTERM")
  const all = await sql(
    (client) =>
      client<{ id: string; secret: string; old: string | null }>`select id, secret, old_secret as old from webhooks`
  )
  expect(all).toHaveLength(rows + 1)
  const opened = new Map(all.map((row) => [row.id, makeSeal(newer).open(row.secret, row.id)]))
  for (const one of ids) expect(opened.get(one)).toBe(`secret ${one}`)
  const mine = all.find((row) => row.id === id)!
  expect(opened.get(id)).toBe(refused.body["secret"])
  expect(makeSeal(newer).open(mine.old!, id)).toBe(replaced)
  const old = await command(["start"], { ...env(older), HUB_PORT: "0" })
  expect(old).toMatchObject({ code: 1, stderr: expect.stringContaining(`sealed under key ${makeSeal(newer).keyId}`) })
})
