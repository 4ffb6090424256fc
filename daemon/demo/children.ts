/**
 * The child programs of a demonstration: starts them with an environment of their own, writes their output to a file,
 * ends them. Owns these processes; knows nothing of what is demonstrated.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"

/** The program that runs: as it was built, or the sources. */
const main = process.argv[1]!

/** How long a program may take to end after SIGTERM; longer: SIGKILL. */
const endMillisMax = 15_000
/** Last characters of a program's log that a failure shows. */
const tailCharacters = 4_000

/**
 * Settings of the hub that a demonstration runs. Nothing else of our own environment reaches it: it must not touch a
 * real database.
 */
export type Environment = Readonly<Record<string, string>>

/** A running program. */
export interface Running {
  readonly name: string
  readonly pid: number
  /** Its exit code, or the signal that ended it; undefined while it runs. */
  readonly ended: () => string | undefined
  /** The end of what it has said. */
  readonly tail: () => string
  /** Asks it to end, and sees to it that it does. */
  readonly end: () => Promise<void>
  /** Lets it live on without us. */
  readonly release: () => void
}

const fate = (child: ChildProcess): string | undefined =>
  child.exitCode !== null ? `code ${child.exitCode}` : (child.signalCode ?? undefined)

/** Starts `hub <args>`. */
export const startHubProgram = (
  name: string,
  args: ReadonlyArray<string>,
  env: Environment,
  logFile: string
): Running => {
  const log = openSync(logFile, "a")
  const child = spawn(process.execPath, [main, ...args], { env, detached: true, stdio: ["ignore", log, log] })
  closeSync(log)
  child.on("error", () => undefined)
  return {
    name,
    pid: child.pid ?? 0,
    ended: () => (child.pid === undefined ? "no start" : fate(child)),
    tail: () => readFileSync(logFile, "utf8").slice(-tailCharacters),
    end: async () => {
      if (child.pid === undefined || fate(child) !== undefined) return
      const gone = once(child, "exit")
      child.kill("SIGTERM")
      const late = setTimeout(() => child.kill("SIGKILL"), endMillisMax)
      await gone
      clearTimeout(late)
    },
    release: () => child.unref()
  }
}

/** Runs `hub <args> --json` to its end and gives back the object it printed. Throws with what it said when it fails. */
export const askHubProgram = async (
  args: ReadonlyArray<string>,
  env: Environment
): Promise<Record<string, unknown>> => {
  const child = spawn(process.execPath, [main, ...args, "--json"], { env, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  let complained = ""
  child.stdout.on("data", (chunk) => {
    said += chunk
  })
  child.stderr.on("data", (chunk) => {
    complained += chunk
  })
  const [code] = await once(child, "close")
  // its words only: a password may be among the rest
  if (code !== 0)
    throw new Error(`hub ${args.slice(0, 2).join(" ")} ended with ${code}: ${complained.slice(-tailCharacters)}`)
  return JSON.parse(said) as Record<string, unknown>
}
