/**
 * One throwaway Postgres for a run of the tests. Owns its start, its end and a migrated template database; gives its
 * URL to the tests. Without the programs the tests on Postgres are left out.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chownSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { freePort } from "../../bench/servers/free-port.ts"
import { migrate } from "../../src/store/sql/migrate.ts"
import { layerPostgres } from "../../src/store/sql/postgres.ts"
import { postgresPrograms } from "./machine.ts"
import { until } from "./until.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The server's URL without a database, or "" where there is no Postgres. */
    postgresUrl: string
  }
}

/** The migrated database that each test's own is copied from. */
export const templateName = "hub_template"

const superuser = "postgres"

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

/** A server of a test's own. */
export interface TestPostgres {
  /** Its URL without a database. */
  readonly url: string
  /** Ends it as a crash does: every connection is cut, and what was committed is recovered at the next start. */
  readonly crash: () => Promise<void>
  /** Starts it again on the same port and data; by a command that runs it, if its words are given. */
  readonly start: (inside?: ReadonlyArray<string>) => Promise<void>
  /** The id of the process that the others come from; undefined once it ended, by itself too. */
  readonly pid: () => number | undefined
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>
}

/** Where and how a server runs, if not simply. */
export interface PostgresOptions {
  /** Where its folder is made; the system's temporary folder otherwise. */
  readonly parent?: string
  /** Settings, of which the last of a name counts. */
  readonly settings?: ReadonlyArray<string>
}

const begin = async (
  bin: string,
  common: ReadonlyArray<string>,
  { parent = tmpdir() }: PostgresOptions = {}
): Promise<TestPostgres> => {
  const folder = mkdtempSync(join(parent, "hub-pg-"))
  const user = unprivileged()
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!)
  const cluster = join(folder, "data")
  execFileSync(
    join(bin, "initdb"),
    ["-D", cluster, "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    { ...user, cwd: folder, stdio: "pipe" }
  )
  const port = await freePort()
  const settings = [...common, `port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`]
  const url = `postgres://${superuser}@127.0.0.1:${port}`
  let child: ChildProcess
  let ended: Promise<void>
  const runs = (): boolean => child.exitCode === null && child.signalCode === null
  const orphaned = (): void => void child.kill("SIGQUIT")
  const run = async (inside: ReadonlyArray<string> = []): Promise<void> => {
    const words = [...inside, join(bin, "postgres"), "-D", cluster, ...settings.flatMap((one) => ["-c", one])]
    const started = spawn(words[0]!, words.slice(1), { ...user, cwd: folder, stdio: "ignore" })
    child = started
    ended = new Promise<void>((resolve) => started.once("exit", () => resolve()))
    await until("Postgres takes connections", async () => {
      if (runs()) await ask(`${url}/postgres`, "select 1")
      return true
    })
    if (!runs()) throw new Error(`postgres ended with ${child.exitCode}`)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await ended
  }
  process.once("exit", orphaned)
  await run()
  return {
    url,
    pid: () => (runs() ? child.pid : undefined),
    // SIGQUIT is the immediate shutdown
    crash: () => end("SIGQUIT"),
    start: run,
    stop: async () => {
      // SIGINT is the fast shutdown: open connections are cut off.
      await end("SIGINT")
      process.off("exit", orphaned)
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/**
 * Starts a server of a test's own that keeps what it committed through a crash; undefined where there is no Postgres.
 */
export const startPostgres = async (options: PostgresOptions = {}): Promise<TestPostgres | undefined> => {
  const settings = ["fsync=off", "max_connections=100", "log_min_messages=panic", ...(options.settings ?? [])]
  return postgresPrograms === undefined ? undefined : begin(postgresPrograms, settings, options)
}

/** Runs one statement on a connection of its own; gives its rows. */
export const ask = async (url: string, statement: string): Promise<ReadonlyArray<unknown>> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Vitest's global set-up. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  if (postgresPrograms === undefined) {
    project.provide("postgresUrl", "")
    return undefined
  }
  const server = await begin(postgresPrograms, unsafeButFast)
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
