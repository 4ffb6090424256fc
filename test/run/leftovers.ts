/**
 * What a run of the tests leaves on the machine. Owns the run's folder, in which every temporary folder of it lies, and
 * ends the processes that bear its name: in their words, their environment or their working directory. Also those of an
 * earlier run that was killed.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

const prefix = "hub-run-"

/** Makes the folder of a run: any user may pass through it, as Postgres does. */
export const makeRunFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  chmodSync(folder, 0o711)
  return folder
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const read = (path: string, how: (path: string) => string): string => {
  try {
    return how(path)
  } catch {
    return "" // it ended, or is another user's
  }
}
const textOf = (path: string): string => readFileSync(path, "latin1")

/** The processes that bear a folder's name, but for this one. Where there is no /proc: none. */
export const processesOf = (folder: string): ReadonlyArray<number> =>
  read("/proc", (path) => readdirSync(path).join(" "))
    .split(" ")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 0 && pid !== process.pid)
    .filter((pid) =>
      [
        read(`/proc/${pid}/cmdline`, textOf),
        read(`/proc/${pid}/environ`, textOf),
        read(`/proc/${pid}/cwd`, readlinkSync)
      ].some((text) => text.includes(folder))
    )

/** A disk that a test mounted, and did not live to unmount. */
const unmountBelow = (folder: string): void => {
  for (const line of read("/proc/mounts", textOf).split("\n")) {
    const path = line.split(" ")[1]
    if (path?.startsWith(`${folder}/`) === true) spawnSync("umount", ["--lazy", path], { stdio: "ignore" })
  }
}

/** The words of a process, as far as one line shows them. */
const wordsOf = (pid: number): string => read(`/proc/${pid}/cmdline`, textOf).replaceAll("\0", " ").slice(0, 200).trim()

/** Ends what bears the folder's name, and removes it. Gives the words of the processes that it had to end. */
export const sweep = (folder: string): ReadonlyArray<string> => {
  const ended = new Map<number, string>()
  // who is ended may just have started another
  for (let pids = processesOf(folder), tries = 0; pids.length > 0 && tries < 20; pids = processesOf(folder), tries++) {
    for (const pid of pids) {
      try {
        const words = wordsOf(pid)
        process.kill(pid, "SIGKILL")
        ended.set(pid, words)
      } catch {
        // it ended by itself
      }
    }
  }
  unmountBelow(folder)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  return [...ended.values()]
}

/** Sweeps what earlier runs left whose process is gone. */
export const sweepAbandoned = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`, "u").exec(basename(name))?.[1] ?? Number.NaN)
    if (Number.isInteger(pid) && !isAlive(pid)) sweep(join(tmpdir(), name))
  }
}
