/**
 * Children and folders of a bench end with it, also when it is interrupted or fails. Owns the lists of both; starts
 * none of them.
 */
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { reasonOf } from "../usage-error.ts"

const alive = new Set<ChildProcess>()
const folders = new Set<string>()
let watching = false

/** A process that was just killed may still be writing: its folder is tried again, from the start, for five seconds. */
const removalTries = 100
const removalPauseMillis = 50
const pause = new Int32Array(new SharedArrayBuffer(4))

// Not rmSync's own retries: they do not look again for what was written after the folder was read.
const remove = (folder: string): void => {
  for (let tries = 1; ; tries++) {
    try {
      return rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (tries === removalTries) throw error
      Atomics.wait(pause, 0, 0, removalPauseMillis)
    }
  }
}

const endAll = (): void => {
  for (const child of alive) child.kill("SIGKILL")
  for (const folder of folders) {
    try {
      remove(folder)
    } catch (error) {
      process.stderr.write(`hub bench: ${folder} is left: ${reasonOf(error)}\n`)
    }
  }
}

const watch = (): void => {
  if (watching) return
  watching = true
  process.once("exit", endAll)
}

/** Resolves when a child has ended. A child that could not be started has ended too. */
export const whenEnded = (child: ChildProcess): Promise<void> => {
  watch()
  alive.add(child)
  return new Promise((resolve) => {
    const gone = (): void => {
      alive.delete(child)
      resolve()
    }
    child.once("exit", gone).once("error", gone)
  })
}

/** Ends a child: asked first, killed once patience is over. */
export const endChild = async (
  child: ChildProcess,
  ended: Promise<void>,
  signal: "SIGTERM" | "SIGINT",
  patienceMillis: number
): Promise<void> => {
  child.kill(signal)
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMillis)
  await ended
  clearTimeout(timer)
}

/** A new folder for what is thrown away. */
export const scratchFolder = (prefix: string): string => {
  watch()
  const folder = mkdtempSync(join(tmpdir(), prefix))
  folders.add(folder)
  return folder
}

/** Removes one. */
export const removeFolder = (folder: string): void => {
  remove(folder)
  folders.delete(folder)
}
