/**
 * Children and folders of a bench end with it, also when it is interrupted or fails. Owns the lists of both; starts
 * nobody.
 */
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const alive = new Set<ChildProcess>()
const folders = new Set<string>()
let watching = false

/** A process that was just killed may still be writing: so often its folder is tried again. */
const removalTries = 20
const removalPauseMillis = 25

const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: removalTries, retryDelay: removalPauseMillis })

const watch = (): void => {
  if (watching) return
  watching = true
  process.once("exit", () => {
    for (const child of alive) child.kill("SIGKILL")
    for (const folder of folders) remove(folder)
  })
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
