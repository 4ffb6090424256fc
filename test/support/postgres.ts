/**
 * One throwaway Postgres for a run of the tests. Owns its start, its end and a migrated template database; gives its URL
 * to the tests. Without the binaries the tests on Postgres are skipped, in CI that fails the run.
 */
import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { migrate } from "../../src/store/migrate.ts"
import { layerPostgres } from "../../src/store/postgres.ts"
import { until } from "./until.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The server's URL without a database, or "" where there is no Postgres. */
    postgresUrl: string
  }
}

/** The migrated database that each test's own is copied from. */
export const templateName = "hub_template"

const folders = [
  "/usr/lib/postgresql/15/bin",
  "/usr/lib/postgresql/16/bin",
  "/usr/lib/postgresql/17/bin",
  "/usr/lib/postgresql/18/bin"
]
const superuser = "postgres"

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

// Postgres refuses to run as root.
const unprivileged = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string): number => Number(execFileSync("id", [flag, superuser], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

const unsafeButFast = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "max_connections=300",
  "log_min_messages=panic"
]

const start = async (bin: string): Promise<{ url: string; stop: () => Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), "hub-pg-"))
  const user = unprivileged()
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!)
  const cluster = join(folder, "data")
  execFileSync(
    join(bin, "initdb"),
    ["-D", cluster, "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    { ...user, cwd: folder, stdio: "pipe" }
  )
  const port = await freePort()
  const settings = [...unsafeButFast, `port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`]
  const child = spawn(join(bin, "postgres"), ["-D", cluster, ...settings.flatMap((one) => ["-c", one])], {
    ...user,
    cwd: folder,
    stdio: "ignore"
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const url = `postgres://${superuser}@127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    // SIGINT is the fast shutdown: open connections are cut off.
    child.kill("SIGINT")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  process.once("exit", () => child.kill("SIGQUIT"))
  await until("Postgres takes connections", async () => {
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`)
    await ask(`${url}/postgres`, "select 1")
    return true
  })
  return { url, stop }
}

/** Runs one statement on a connection of its own. */
export const ask = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => {})
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Vitest's global set-up. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const bin = folders.find((folder) => existsSync(join(folder, "postgres")))
  if (bin === undefined) {
    if (process.env["CI"] === "true") throw new Error(`the tests need Postgres: none of ${folders.join(", ")} is there`)
    process.stderr.write("No Postgres on this machine: its tests are skipped.\n")
    project.provide("postgresUrl", "")
    return undefined
  }
  const server = await start(bin)
  try {
    await ask(`${server.url}/postgres`, `create database ${templateName}`)
    await Effect.runPromise(Effect.provide(migrate(), layerPostgres(`${server.url}/${templateName}`, { max: 1 })))
  } catch (cause) {
    await server.stop()
    throw cause
  }
  project.provide("postgresUrl", server.url)
  return server.stop
}
