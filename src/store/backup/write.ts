/**
 * Makes an export: copies the database's folder while nothing writes to it, exports the copy in a thread, and names the
 * file only when the disk has all of it. Owns that order, and that a failed export leaves nothing.
 */
import { constants, cpSync, mkdirSync } from "node:fs"
import { access, open, readdir, rename, rm, stat, statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Worker } from "node:worker_threads"
import { Clock, Data, Effect } from "effect"
import { exportLiveBytesMax, exportMillisMax, exportSpareBytes } from "../../limits/backup.ts"
import { fileFault } from "../../runtime/file-fault.ts"
import { monotonicMillis } from "../../runtime/monotonic.ts"
import { errorOf } from "../embedded/instance-fault.ts"
import { databaseFolder } from "../embedded/opening.ts"
import { copyFolder, draftOf, exportsFolder, removeUnfinished } from "./export-files.ts"
import type { ExportEnd, ExportOrder } from "./export-worker.ts"

/** No export was made, and why. */
export class ExportFailed extends Data.TaggedError("ExportFailed")<{ readonly sentence: string }> {}

/** An export that the disk has. */
export interface Exported {
  readonly file: string
  readonly rows: number
  readonly bytes: number
  /** How long the database took no statement, while it was copied. */
  readonly pausedMillis: number
}

/** What to export, and where to. */
export interface ExportOptions {
  readonly dataDir: string
  readonly file: string
  readonly at: number
  /** Copies the folder of an open database; undefined: it is not open. */
  readonly copyLive: ((to: string) => Promise<void>) | undefined
}

const failedAt = (what: string) => (fault: unknown) => new ExportFailed({ sentence: fileFault(what, fault) })
const tried = <A>(what: string, work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: failedAt(what) })

const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // A file that the database removes meanwhile takes no room.
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}

const checkRoom = Effect.fnUntraced(function* ({ dataDir, copyLive }: ExportOptions) {
  const folder = databaseFolder(dataDir)
  const bytes = yield* tried(`the embedded database ${folder}`, () => bytesIn(folder))
  if (copyLive !== undefined && bytes > exportLiveBytesMax) {
    const sentence = `the embedded database ${folder} is larger than ${exportLiveBytesMax} bytes: stop the hub for its export`
    return yield* new ExportFailed({ sentence })
  }
  const disk = yield* tried(`the data folder ${dataDir}`, () => statfs(dataDir))
  const needed = 2 * bytes + exportSpareBytes
  if (disk.bavail * disk.bsize >= needed) return
  return yield* new ExportFailed({ sentence: `the disk of ${dataDir} has no room for an export (${needed} bytes)` })
})

/** Checks the target of the export before the database pauses for it. */
const checkTarget = Effect.fnUntraced(function* (file: string) {
  const folder = dirname(file)
  yield* tried(`the folder ${folder}`, () => access(join(folder, "."), constants.W_OK))
  const there = yield* Effect.promise(() => stat(file).catch(() => undefined))
  if (there?.isDirectory() === true)
    return yield* new ExportFailed({ sentence: `the export ${file} is a folder, where a file is needed` })
})

const threadOf = (order: ExportOrder): Worker =>
  new Worker(new URL("./export-worker.ts", import.meta.url), { workerData: order, stdin: false })

/**
 * Runs the thread and ends it, however the export came out: with a database of some size open it does not end by
 * itself, and each one that stays keeps more than 200 MB.
 */
const written = (order: ExportOrder, file: string): Effect.Effect<number, ExportFailed> =>
  Effect.acquireUseRelease(
    Effect.sync(() => threadOf(order)),
    (worker) =>
      Effect.callback<number, ExportFailed>((resume) => {
        const fail = (fault: unknown): void => resume(Effect.fail(failedAt(`the export ${file}`)(fault)))
        worker.once("error", fail)
        worker.once("exit", () => fail(new Error("its thread ended")))
        worker.once("message", (end: ExportEnd) => {
          if ("rows" in end) resume(Effect.succeed(end.rows))
          else fail(errorOf(end))
        })
      }),
    (worker) => Effect.promise(() => worker.terminate())
  )

const synced = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const gone = (path: string) => Effect.promise(() => rm(path, { recursive: true, force: true }).catch(() => undefined))

/**
 * Exports the embedded database of a data folder into a file, which is replaced as a whole or not at all. One at a
 * time.
 */
export const exportDatabase = (options: ExportOptions): Effect.Effect<Exported, ExportFailed> =>
  Effect.gen(function* () {
    const { dataDir, file, at } = options
    const folder = exportsFolder(dataDir)
    const [copy, draft] = [copyFolder(dataDir), draftOf(file)]
    yield* Effect.try({
      try: () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        removeUnfinished(dataDir)
      },
      catch: failedAt(`the folder ${folder}`)
    })
    yield* checkTarget(file)
    yield* checkRoom(options)
    yield* Effect.addFinalizer(() => gone(copy))
    const clock = yield* Clock.Clock
    const before = monotonicMillis(clock)
    yield* tried(`the copy ${copy} of the database`, async () => {
      if (options.copyLive !== undefined) return options.copyLive(copy)
      cpSync(databaseFolder(dataDir), copy, { recursive: true, mode: constants.COPYFILE_FICLONE })
    })
    const pausedMillis = Math.round(monotonicMillis(clock) - before)
    yield* gone(draft)
    yield* Effect.addFinalizer(() => gone(draft))
    const rows = yield* written({ folder: copy, file: draft, at }, file)
    return yield* tried(`the export ${file}`, async () => {
      const { size } = await stat(draft)
      await rename(draft, file)
      await synced(dirname(file))
      return { file, rows, bytes: size, pausedMillis }
    })
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: exportMillisMax,
      orElse: () => Effect.fail(new ExportFailed({ sentence: `the export ${options.file} took too long` }))
    })
  )
