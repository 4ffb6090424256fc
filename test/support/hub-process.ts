/**
 * A hub as a process of its own, that can be killed. Owns the process and its data folder's control socket; judges
 * nothing.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { freePort } from "../../bench/servers/free-port.ts"
import { ask } from "../../src/admin/client.ts"
import { databaseFingerprint } from "../../src/admin/database-fingerprint.ts"
import type { AdminRequest } from "../../src/admin/requests.ts"
import { hubProgram } from "./hub-program.ts"
import { root } from "./root.ts"
import { longPatienceMillis, until } from "./until.ts"

/** A hub that can be killed and started again, always on the same port and data. */
export interface HubProcess {
  readonly url: string
  /** Starts it, and waits until it is ready. `tree`: the folder of another version of the hub. */
  readonly start: (tree?: string) => Promise<void>
  /** kill -9, and waits until the process is gone. */
  readonly kill: () => Promise<void>
  /** SIGTERM, and waits for the end; gives the exit code. */
  readonly stop: () => Promise<number | null>
  /** The id of the process. */
  readonly pid: () => number
  /** Whether it runs: it has neither been ended nor ended by itself. */
  readonly runs: () => boolean
  /** The last it printed. */
  readonly said: () => string
  /** What an administrator asks on the command line. */
  readonly operate: (request: AdminRequest) => Promise<Record<string, unknown>>
}

// a test that ends early leaves no hub behind
const orphans = new Set<ChildProcess>()
process.once("exit", () => {
  for (const orphan of orphans) orphan.kill("SIGKILL")
})

/** Waits for so many milliseconds of real time. Only for chaos: no outcome may depend on it. */
export const wait = (millis: number): Promise<void> => pause(millis)

/** Where a hub runs, if not simply on this machine's loopback. */
export interface Where {
  /** The words of a command that runs another. */
  readonly inside: ReadonlyArray<string>
  readonly host: string
  /** Told all that it prints. */
  readonly heard?: (text: string) => void
}

/** What an administrator asks of the hub that runs in a data folder, and a Postgres if its address is given. */
export const operateHub = async (
  dataDir: string,
  databaseUrl: string | undefined,
  request: AdminRequest
): Promise<Record<string, unknown>> => {
  const answer = await Effect.runPromise(ask(dataDir, { request, database: databaseFingerprint(databaseUrl) }))
  if (answer === undefined) throw new Error("no hub runs in the data folder")
  if (!answer.ok) throw new Error(answer.refusal)
  return answer.answer
}

/** A hub over a data folder, and a Postgres if its address is given. */
export const hubProcess = async (
  dataDir: string,
  databaseUrl: string | undefined,
  more: Record<string, string>,
  where: Where = { inside: [], host: "127.0.0.1" }
): Promise<HubProcess> => {
  const port = await freePort()
  const url = `http://${where.host}:${port}`
  let child: ChildProcess | undefined
  let said = ""

  const start = async (tree = root): Promise<void> => {
    // of another tree, such as the version before, there is no build
    const program = tree === root ? hubProgram : "src/main.ts"
    const [command, ...words] = [...where.inside, process.execPath, program, "start"]
    const started = spawn(command!, words, {
      cwd: tree,
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HUB_HOST: where.host,
        HUB_PORT: String(port),
        HUB_DATA_DIR: dataDir,
        HUB_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
        HUB_LOG_LEVEL: "error",
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
        ...more
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    child = started
    orphans.add(started)
    started.once("exit", () => orphans.delete(started))
    said = ""
    for (const stream of [started.stdout, started.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        const text = chunk.toString()
        said = (said + text).slice(-4_000)
        where.heard?.(text)
      })
    }
    // on a machine that is busy with other tests a start takes longer than anything else that is waited for
    const isReady = async () => started.exitCode !== null || (await fetch(`${url}/readyz`)).ok
    await until("the hub is ready", isReady, longPatienceMillis)
    if (started.exitCode !== null) throw new Error(`the hub ended with ${started.exitCode}: ${said}`)
  }

  const kill = async (): Promise<void> => {
    const ended = child
    if (ended === undefined) return
    child = undefined
    if (ended.exitCode !== null || ended.signalCode !== null) throw new Error(`the hub ended by itself: ${said}`)
    const gone = once(ended, "exit")
    ended.kill("SIGKILL")
    await gone
  }

  const stop = async (): Promise<number | null> => {
    const ended = child
    if (ended === undefined) return null
    child = undefined
    if (ended.exitCode === null && ended.signalCode === null) {
      const gone = once(ended, "exit")
      ended.kill("SIGTERM")
      await gone
    }
    return ended.exitCode
  }

  return {
    url,
    start,
    kill,
    stop,
    pid: () => child?.pid ?? 0,
    runs: () => child !== undefined && child.exitCode === null && child.signalCode === null,
    said: () => said,
    operate: (request) => operateHub(dataDir, databaseUrl, request)
  }
}
