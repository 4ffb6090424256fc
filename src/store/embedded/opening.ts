/**
 * Opens the embedded database of a data folder: a first start is told from a next one, and a failure names what is
 * wrong. Owns the order of files and thread; `hub start` begins with it while the modules of the hub are still being
 * loaded, which takes as long. Speaks no SQL.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect } from "effect"
import { embeddedCloseMillisMax } from "../../limits/store.ts"
import { codeOf, fileFault } from "../../runtime/file-fault.ts"
import { newestExport } from "../backup/export-files.ts"
import { type EmbeddedThread, makeThread } from "./thread.ts"

/** Where in the data folder the database lives. */
export const databaseFolder = (dataDir: string): string => join(dataDir, "database")

/** Where a restore makes its database before it takes the place of that one. */
export const restoringFolder = (dataDir: string): string => `${databaseFolder(dataDir)}.restoring`

const begunMark = (dataDir: string): string => join(dataDir, "database.begun")

/**
 * Starts in this folder. An interrupted first start (a full disk, a kill) leaves a folder that holds nothing and looks
 * like a database: a mark file stands beside it until the start is complete.
 */
const firstOrNext = async (dataDir: string, thread: EmbeddedThread): Promise<void> => {
  const [folder, mark] = [databaseFolder(dataDir), begunMark(dataDir)]
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
    rmSync(mark, { force: true })
  }
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (existsSync(mark)) remove()
    const first = !existsSync(folder)
    // killed when it had moved the one before away: an empty one would look like the loss of everything
    if (first && existsSync(restoringFolder(dataDir)))
      throw new Error(`a restore of ${folder} did not come to its end: call hub restore once more`)
    if (first) writeFileSync(mark, "", { mode: 0o600 })
    await thread.start().catch((cause) => {
      if (first) remove()
      throw cause
    })
    if (first) rmSync(mark, { force: true })
  } catch (cause) {
    const reason = codeOf(cause) === "" ? (cause as Error).message : fileFault(`the data folder ${dataDir}`, cause)
    throw new Error(`${reason}${wayBack(dataDir, folder)}`, { cause })
  }
}

const wayBack = (dataDir: string, folder: string): string => {
  const newest = newestExport(dataDir)
  if (newest === undefined || !existsSync(folder)) return ""
  return `; the newest export of ${folder} is ${newest}, and \`hub restore ${newest}\` puts it in its place`
}

/** A database that is being opened. */
export interface Opening {
  readonly thread: EmbeddedThread
  /** Ends when it is open; fails with a sentence. */
  readonly opened: Promise<void>
}

/** Begins to open the database of this data folder, or one in memory. */
export const beginOpening = (dataDir: string | undefined): Opening => {
  const thread = makeThread(dataDir === undefined ? undefined : databaseFolder(dataDir))
  const opened = dataDir === undefined ? thread.start().then(() => undefined) : firstOrNext(dataDir, thread)
  // the store waits for it and hears why; a failure before that is no unhandled one
  opened.catch(() => undefined)
  return { thread, opened }
}

/** The database that was begun to be opened before the store is made; undefined: the store begins with it. */
export const BegunOpening = Context.Reference<Opening | undefined>("hub/BegunOpening", {
  defaultValue: () => undefined
})

/** Closes the database cleanly, and ends its thread in any case; what is closed stays so. */
export const closeOpened = ({ thread }: Opening): Effect.Effect<void> =>
  Effect.promise(thread.close).pipe(
    Effect.timeoutOrElse({ duration: embeddedCloseMillisMax, orElse: () => Effect.promise(thread.kill) })
  )
