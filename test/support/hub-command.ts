/**
 * The command line as a real process, with nothing of this process's environment but the path. Owns its start and end.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { credentialsFile } from "../../src/cli/first-credentials.ts"
import { hubProgram } from "./hub-program.ts"
import { root } from "./root.ts"

/** What a command leaves behind. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

const launch = (args: ReadonlyArray<string>, env: Environment, uid?: number, descriptors?: number): ChildProcess => {
  const words = [process.execPath, hubProgram, ...args]
  const [file, ...rest] = descriptors === undefined ? words : ["prlimit", `--nofile=${descriptors}`, ...words]
  return spawn(file!, rest, {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...env },
    stdio: ["pipe", "pipe", "pipe"],
    ...(uid !== undefined && { uid, gid: uid })
  })
}

/** Runs a command to its end; `uid`: as another user. */
export const command = async (
  args: ReadonlyArray<string>,
  env: Environment,
  input = "",
  uid?: number
): Promise<Outcome> => {
  const child = launch(args, env, uid)
  child.stdin!.on("error", () => {}) // it may end without reading
  child.stdin!.end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, "close")])
  return { code: code as number | null, stdout, stderr }
}

/** Runs a command whose reader stops after the first chunk of its answer until `meanwhile` is over. */
export const slowlyRead = async (
  args: ReadonlyArray<string>,
  env: Environment,
  meanwhile: () => Promise<unknown>
): Promise<Outcome> => {
  const child = launch(args, env)
  child.stdin!.end()
  const ended = once(child, "close")
  const stderr = text(child.stderr!)
  let stdout = ""
  child.stdout!.setEncoding("utf8")
  for await (const chunk of child.stdout!) {
    if (stdout === "") await meanwhile()
    stdout += chunk
  }
  const [code] = await ended
  return { code: code as number | null, stdout, stderr: await stderr }
}

/** A hub that serves. */
export interface RunningHub {
  readonly url: string
  /** All it has written to stdout before it served, and what its first start shows once in a file. */
  readonly greeting: string
  /** All it has written to stdout until now. */
  readonly said: () => string
  /** And to stderr. */
  readonly complained: () => string
  /** The id of the process. */
  readonly pid: number
  /** Whether it has not ended yet. */
  readonly runs: () => boolean
  /** Ends it with a signal and gives what it ended with. */
  readonly end: (signal: NodeJS.Signals) => Promise<{ readonly code: number | null; readonly signal: string | null }>
}

/** Starts a hub on a port of the system's choice and waits until it serves; it may open so many descriptors. */
export const runHub = async (env: Environment, descriptors?: number): Promise<RunningHub> => {
  const child = launch(["start"], { HUB_PORT: "0", ...env }, undefined, descriptors)
  const shownOnce = join(env["HUB_DATA_DIR"] ?? join(root, ".hub"), credentialsFile)
  const wasShown = existsSync(shownOnce)
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  let said = ""
  let complaints = ""
  child.stderr!.on("data", (chunk) => {
    complaints += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on("data", (chunk) => {
      said += chunk
      const found = /"address":"([^"]+)"/u.exec(said)
      if (found !== null) resolve(found[1]!)
    })
    void ended.then(([code]) => reject(new Error(`the hub ended with ${code}: ${complaints}${said}`)))
  })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [code, by] = await ended
    return { code, signal: by }
  }
  const runs = (): boolean => child.exitCode === null && child.signalCode === null
  const greeting = wasShown || !existsSync(shownOnce) ? said : `${said}${readFileSync(shownOnce, "utf8")}`
  return { url, greeting, said: () => said, complained: () => complaints, pid: child.pid!, runs, end }
}
