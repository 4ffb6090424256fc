/**
 * `hub start --workers` as a real process tree. Owns its start, what it says, and which process is which worker; ends
 * what it started, also when a test fails.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { freePort } from "../../bench/servers/free-port.ts"
import { hubProgram } from "./hub-program.ts"
import { isAlive } from "./reference-daemon.ts"
import { until } from "./until.ts"

/** A hub of several workers. */
export interface RunningWorkers {
  readonly pid: number
  /** Everything written to stdout and stderr until now. */
  readonly said: () => string
  /** The processes that serve or served, in the order in which they began to, by worker. */
  readonly pids: (worker: number) => ReadonlyArray<number>
  readonly signal: (name: NodeJS.Signals) => void
  /** Waits until it has ended and all it said has been read. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Waits until it serves as a whole; gives the address. */
  readonly serving: () => Promise<string>
  /** Kills all of it. */
  readonly close: () => Promise<void>
}

/** As `until`, for what takes a start or an end of a process: on a busy machine longer than anything else. */
export const patiently = <A>(what: string, probe: () => A | Promise<A>) => {
  const look = () => until(what, probe)
  return look().catch(look)
}

const kill = (pid: number): void => {
  if (isAlive(pid)) process.kill(pid, "SIGKILL")
}

/** Starts one with nothing of this process's environment but the path. */
export const startWorkers = async (count: number, env: Readonly<Record<string, string>>): Promise<RunningWorkers> => {
  const port = String(await freePort())
  const child = spawn(process.execPath, [hubProgram, "start", "--workers", String(count)], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], HUB_PORT: port, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const gone = once(child, "exit")
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }) as Awaited<RunningWorkers["ended"]>)
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8")
    stream.on("data", (text: string) => {
      said += text
    })
  }
  const pids = (worker: number): Array<number> =>
    [...said.matchAll(/"message":"a worker serves","worker":(\d+),"pid":(\d+)/gu)]
      .filter((match) => Number(match[1]) === worker)
      .map((match) => Number(match[2]))
  const serving = async (): Promise<string> => {
    const found = await patiently("the workers serve", () => {
      if (child.exitCode !== null) return "ended"
      return /"message":"serving","address":"([^"]+)"/u.exec(said)?.[1]
    })
    if (found === "ended") throw new Error(`it ended with ${child.exitCode}: ${said}`)
    return found
  }
  return {
    pid: child.pid!,
    said: () => said,
    pids,
    signal: (name) => void child.kill(name),
    ended,
    serving,
    close: async () => {
      child.kill("SIGKILL")
      for (let worker = 1; worker <= count; worker++) for (const pid of pids(worker)) kill(pid)
      await gone
    }
  }
}
