/**
 * A hub under measurement: a process of its own with a throwaway data folder, and what a bench needs of it: an account,
 * a key, a dashboard session, daemon tokens. Owns the process; measures nothing.
 */

import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, openSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { createClient, type HubClient } from "../../client/src/index.ts"
import { type Enrolled, Enrolments } from "../fleet/enrolments.ts"
import { onOneCore } from "./child.ts"
import { endChild, removeFolder, scratchFolder, whenEnded } from "./child-process.ts"
import { freePort } from "./free-port.ts"

/** The folder of this checkout. */
export const hubRoot = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)
const password = "correct horse battery staple"
/** A drain takes up to 25 s and is followed by the stores' own end. */
const stopMillisMax = 40_000
/** A call that is not measured; longer: it has failed. */
const callMillisMax = 120_000

/** What a command prints: the bench reads what it knows to be there. */
export interface Printed extends Readonly<Record<string, string | undefined>> {
  readonly accountId: string
  readonly key: string
}

/** How a bench wants its hub. `settings` are environment names. */
export interface HubOptions {
  readonly settings?: Record<string, string>
  readonly nodeArguments?: ReadonlyArray<string>
  /** Pin the process to this core. */
  readonly core?: number
  /** Another checkout of this project, whose hub it is. */
  readonly checkout?: string
  /** The program that runs Node, with its words: a profiler. */
  readonly under?: ReadonlyArray<string>
  /** How many descriptors the process may have. */
  readonly descriptors?: number
  /** What it says on standard error goes nowhere. */
  readonly silent?: boolean
  /** What it logs, and says on standard error, goes here; without it the log goes nowhere. */
  readonly logFile?: string
}

/** A running hub. */
export interface BenchHub {
  readonly url: string
  /** 0 where it runs on another machine. */
  readonly pid: number
  /** Where it keeps its data, where it was started for the bench. */
  readonly dataFolder?: string
  /** The account to measure with, where the hub was not started for the bench. */
  readonly owner?: BenchAccount
  /** What the bench enrols there and takes back, where the hub was not started for the bench. */
  readonly enrolments?: Enrolments
  /** A client of it: with a key or a session, or without either. */
  readonly client: (credential?: string) => HubClient
  /** Runs a command of the hub's command line with `--json`. */
  readonly command: (...words: ReadonlyArray<string>) => Promise<Printed>
  readonly stop: () => Promise<void>
}

/** Clients of a hub as `BenchHub` has them: what fails is the bench's to see, at once. */
export const clientsOf =
  (url: string): BenchHub["client"] =>
  (credential) =>
    createClient({ url, ...(credential !== undefined && { credential }), retries: 0, timeoutMillis: callMillisMax })

/** One account with all that a scenario needs. */
export interface BenchAccount {
  readonly accountId: string
  readonly key: string
  readonly session: string
}

/** What this process was told is not what the hub under measurement is told. */
export const cleanEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(HUB_|OTEL_|DATABASE_URL$|REDIS_URL$)/u.test(name))
  )

/** Limits far above what any scenario reaches: the checks run, they only never refuse. */
const raised = {
  HUB_RATE_KEY_PER_MINUTE: "100000000",
  HUB_RATE_IP_PER_MINUTE: "100000000",
  HUB_CONNECTS_PER_SECOND: "100000000"
}

const built = "build/dist/hub.mjs"

/** What `./hub start` runs there: the built hub, or the sources. Of this checkout: as the bench or its test is run. */
export const programOf = (checkout?: string): string => {
  if (checkout === undefined && process.env["HUB_TEST_PROGRAM"] !== undefined) return process.env["HUB_TEST_PROGRAM"]
  const isBuilt = checkout === undefined ? process.argv[1]?.endsWith(built) === true : existsSync(join(checkout, built))
  return join(checkout ?? hubRoot, isBuilt ? built : "src/main.ts")
}

/** Starts a hub and waits until it is ready. */
export const startHub = async (options: HubOptions = {}): Promise<BenchHub> => {
  const folder = scratchFolder("hub-bench-")
  const port = await freePort()
  const environment: Record<string, string | undefined> = {
    ...cleanEnvironment(),
    ...raised,
    HUB_HOST: "127.0.0.1",
    HUB_PORT: String(port),
    HUB_DATA_DIR: join(folder, "data"),
    HUB_LOG_LEVEL: "warn",
    HUB_SECRET_KEY: randomBytes(32).toString("base64"),
    ...options.settings
  }
  const program = programOf(options.checkout)
  const [file, ...words] = [
    ...(options.descriptors === undefined ? [] : ["prlimit", `--nofile=${options.descriptors}`]),
    ...(options.core === undefined ? [] : ["taskset", "-c", String(options.core)]),
    ...(options.under ?? []),
    process.execPath,
    ...(options.core === undefined ? [] : onOneCore),
    ...(options.nodeArguments ?? []),
    program,
    "start"
  ]
  const log = options.logFile === undefined ? undefined : openSync(options.logFile, "a")
  const errors = log ?? (options.silent === true ? "ignore" : "inherit")
  const child: ChildProcess = spawn(file!, words, { stdio: ["ignore", log ?? "ignore", errors], env: environment })
  if (log !== undefined) closeSync(log)
  const ended = whenEnded(child)
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await endChild(child, ended, "SIGTERM", stopMillisMax)
    removeFolder(folder)
  }
  const url = `${options.settings?.["HUB_TLS_CERT"] === undefined ? "http" : "https"}://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const ready = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false
    )
    if (ready) break
    if (child.exitCode !== null || child.signalCode !== null || tries > 2_000) {
      const how = child.exitCode ?? child.signalCode ?? "not ended"
      await stop()
      throw new Error(`the hub did not become ready (exit ${how})`)
    }
    await pause(50)
  }
  return {
    url,
    pid: child.pid!,
    dataFolder: environment["HUB_DATA_DIR"]!,
    client: clientsOf(url),
    command: async (...words) => {
      const spoken = [program, ...words, "--json"]
      const { stdout } = await run(process.execPath, spoken, { env: environment, encoding: "utf8" })
      return JSON.parse(stdout)
    },
    stop
  }
}

/** An enterprise account with a key that may do everything and a fresh dashboard session. */
export const makeAccount = async (hub: BenchHub, email: string): Promise<BenchAccount> => {
  const { accountId } = await hub.command(
    "account",
    "create",
    "--email",
    email,
    "--password",
    password,
    "--plan",
    "enterprise"
  )
  const { key } = await hub.command(
    "key",
    "create",
    "--account",
    accountId,
    "--scopes",
    "ide:read,ide:control,agent:read,agent:control,terminal:exec,webhook:manage"
  )
  const { token } = await hub.client().auth.login({ email, password })
  return { accountId, key, session: token }
}

/** Enrols `count` daemons for an account through the API; their tokens in order. */
export const enrol = async (hub: BenchHub, account: BenchAccount, count: number): Promise<Array<Enrolled>> => {
  const signedIn = hub.client(account.session)
  const enrolments = hub.enrolments ?? new Enrolments(signedIn, () => Promise.resolve(signedIn))
  const made: Array<Enrolled> = []
  const atOnce = 16
  while (made.length < count) {
    const wave = Math.min(atOnce, count - made.length)
    made.push(...(await Promise.all(Array.from({ length: wave }, () => enrolments.enrol()))))
  }
  return made
}

/** CPU seconds a process has used so far, by the operating system's account (Linux: 100 ticks a second). */
export const cpuSeconds = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8")
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Resident memory of a process in bytes. */
export const rssBytes = async (pid: number): Promise<number> => {
  const line = /VmRSS:\s+(\d+) kB/u.exec(await readFile(`/proc/${pid}/status`, "utf8"))
  return Number(line?.[1] ?? 0) * 1_024
}
