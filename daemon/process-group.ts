/**
 * Processes that leave nothing behind. Owns starting a program in its own process group and ending the whole group:
 * SIGTERM, then SIGKILL. Knows neither agents nor terminals.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import type { Clock } from "./clock.ts"
import { programEnvironment } from "./environment.ts"
import { killMillis } from "./limits.ts"

const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pid, name)
    return true
  } catch {
    return false
  }
}

/** Starts a program as the leader of a new process group, without the secrets of the daemon in its environment. */
export const startGroup = (command: string, args: ReadonlyArray<string>, options: SpawnOptions): ChildProcess => {
  const env = programEnvironment(process.env)
  const child = spawn(command, [...args], { ...options, env, detached: true })
  // an error without a listener would end the daemon
  child.on("error", () => undefined)
  if (child.stdout === undefined) throw new Error("there are no file descriptors left")
  return child
}

/** Whether any process of the group is left. */
const groupAlive = (child: ChildProcess): boolean => child.pid !== undefined && signal(child.pid, 0)

/** Ends the group at once. */
export const killGroup = (child: ChildProcess): void => {
  if (child.pid !== undefined) signal(child.pid, "SIGKILL")
}

const lookMillis = 20

/**
 * Asks the group to end, and kills what is left after the bound. Resolves when nothing is left. That of a leader that
 * has ended was killed with it, and its number may be another's by now.
 */
export const endGroup = (child: ChildProcess, clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (child.pid === undefined || hasEnded || !signal(child.pid, "SIGTERM")) return resolve()
    let waited = 0
    const look = (): void => {
      const alive = groupAlive(child)
      if (alive && waited >= killMillis) killGroup(child)
      if (!alive || waited >= killMillis) {
        resolve()
        return
      }
      waited += lookMillis
      clock.after(lookMillis, look)
    }
    look()
  })
