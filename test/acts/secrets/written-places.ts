/**
 * Every place in which a hub leaves text behind: its output, the tables, files, Redis, traces, the audit log, an
 * export. Owns where these are and what each is there to hold; judges nothing.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { RunningHub } from "../../support/hub-command.ts"
import { ask } from "../../support/postgres-server.ts"
import { run } from "./account-calls.ts"
import type { Place, SecretsWorld } from "./planted-hub.ts"

const firstStart = ["the first start's password", "the first start's key", "the first start's token"]
const addresses = ["a webhook's address", "a password in a webhook's address"]

/** What a table holds of what was planted, as docs/threat-model.md and docs/sessions-and-turns.md say. */
const held: Readonly<Record<string, ReadonlyArray<string>>> = {
  webhooks: addresses,
  daemons: ["what an agent asks"],
  commands: ["what a kept command prints"]
}

/** What nodes tell each other of a command in passing. */
const inPassing = [
  "what a command asks",
  "what a command prints",
  "what a kept command prints",
  "what an agent says",
  "what an agent asks",
  "a secret in a debug bundle",
  "what a tool is called with"
]

const table = (name: string, text: string): Place => ({ name: `the table ${name}`, text, shows: held[name] ?? [] })

const outputOf = (node: RunningHub, at: number): Place => ({
  name: `what node ${at} prints`,
  text: node.said() + node.complained(),
  shows: at === 0 ? firstStart : []
})

const tablesOfPostgres = async (url: string): Promise<ReadonlyArray<Place>> => {
  const names = (await ask(url, "select tablename from pg_tables where schemaname = 'public'")) as ReadonlyArray<{
    tablename: string
  }>
  const rowsOf = async (query: string): Promise<string> =>
    (await ask(url, query)).map((row) => JSON.stringify(row)).join("\n")
  return Promise.all([
    ...names.map(async ({ tablename }) => table(tablename, await rowsOf(`select t::text from "${tablename}" t`))),
    rowsOf("select query from pg_stat_activity").then((text) => ({ name: "running statements", text, shows: [] }))
  ])
}

/** The tables of an export, which has lines of JSON. */
const tablesOfExport = (file: string): ReadonlyArray<Place> =>
  gunzipSync(readFileSync(file))
    .toString()
    .split('{"table":')
    .slice(1)
    .map((part) => table(/"([^"]+)"/u.exec(part)![1]!, part))

/** The texts in a file that holds other things too. */
const textsIn = (path: string): string => (readFileSync(path, "latin1").match(/[\x20-\x7e]{8,}/gu) ?? []).join("\n")

const filesIn = (folder: string): ReadonlyArray<Place> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: `the file ${path}`, text: textsIn(path), shows: Object.values(held).flat() }))

const sentTo = ({ receiver }: SecretsWorld): ReadonlyArray<Place> => {
  const bodies = (name: string, begin: string) => ({
    name,
    shows: [],
    text: receiver
      .at()
      .filter(({ path }) => path.startsWith(begin))
      .map(({ text }) => text)
      .join("\n")
  })
  return [bodies("the traces", "/v1/traces"), bodies("the audit sink", "/audit"), bodies("the deliveries", "/hook")]
}

/** What is there while the hub runs. */
const ofRunning = async (world: SecretsWorld): Promise<ReadonlyArray<Place>> => {
  const { database, redis, folder } = world
  const { databaseUrl } = database.settings
  const file = join(folder, "export")
  if (databaseUrl === undefined) await run(world, ["backup", file])
  return [
    ...(databaseUrl === undefined ? tablesOfExport(file) : await tablesOfPostgres(databaseUrl)),
    ...(redis === undefined
      ? []
      : [
          { name: "what passed through Redis", text: redis.passed(), shows: inPassing },
          { name: "what Redis holds", text: await redis.held(), shows: [] }
        ])
  ]
}

/** All of it; ends the nodes. */
export const allPlaces = async (world: SecretsWorld): Promise<ReadonlyArray<Place>> => {
  const { nodes, database, auditFile, seen } = world
  const running = await ofRunning(world)
  for (const node of nodes) await node.end("SIGTERM")
  const embedded = database.settings.databaseUrl === undefined
  return [
    ...seen,
    ...running,
    ...sentTo(world),
    ...nodes.map(outputOf),
    ...(embedded ? [{ name: "the audit sink", text: readFileSync(auditFile, "utf8"), shows: [] }] : []),
    ...(embedded ? filesIn(database.settings.dataDir) : [])
  ]
}
