/**
 * Restores an export: builds a new database beside the present one, fills it and migrates it. Only then does it replace
 * the present one, which is kept. Owns that order; the caller holds the data folder's lock.
 */
import { createReadStream } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { createInterface } from "node:readline"
import { pipeline } from "node:stream"
import { finished } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { exportPieceBytes, exportPieceRowsMax } from "../../limits/backup.ts"
import { codeOf, fileFault } from "../../runtime/file-fault.ts"
import { layerThread } from "../embedded/embedded.ts"
import { databaseFolder, restoringFolder } from "../embedded/opening.ts"
import { makeThread } from "../embedded/thread.ts"
import { baseRevision, migrations, standingOf } from "../migrations/index.ts"
import { migrate } from "../sql/migrate.ts"
import { type Head, headIn, type Mark, quoted, tablesQuery } from "./format.ts"

/** Nothing was restored, and why; the database is unchanged. */
export class RestoreFailed extends Data.TaggedError("RestoreFailed")<{ readonly sentence: string }> {}

/** The result of a restore. */
export interface Restored {
  readonly rows: number
  /** When the export was begun, epoch milliseconds. */
  readonly at: number
  /** Where the database that was there before lies now. */
  readonly before: string | undefined
}

const refused = (sentence: string) => new RestoreFailed({ sentence })

const unzipped = (file: string) => pipeline(createReadStream(file), createGunzip(), () => undefined)

/** The lines of an export. */
const linesOf = (file: string) => {
  const lines = createInterface({ input: unzipped(file), crlfDelay: Number.POSITIVE_INFINITY })
  return { iterator: lines[Symbol.asyncIterator](), close: () => lines.close() }
}

type Lines = ReturnType<typeof linesOf>

const damaged = (file: string, fault?: unknown): RestoreFailed =>
  refused(
    codeOf(fault).startsWith("E")
      ? fileFault(`the export ${file}`, fault)
      : `${file} is damaged, cut short, or no export of a hub`
  )

/** Reads all of it: what is damaged in its midst may look like rows, and the checksum stands at its end. */
const check = (file: string): Effect.Effect<void, RestoreFailed> =>
  Effect.tryPromise({
    try: () => finished(unzipped(file).resume()),
    catch: (fault) => damaged(file, fault)
  })

const next = (file: string, lines: Lines): Effect.Effect<string | undefined, RestoreFailed> =>
  Effect.tryPromise({
    try: async () => {
      const { done, value } = await lines.iterator.next()
      return done === true ? undefined : value
    },
    catch: (fault) => damaged(file, fault)
  })

const stepsOf = (file: string, { migrations: ids }: Head) => {
  const { older, newer } = standingOf(
    ids,
    migrations.map(({ id }) => id)
  )
  if (older)
    return Effect.fail(refused(`${file} is of an older version: restore it with revision ${baseRevision} first`))
  if (newer === undefined) return Effect.succeed(migrations.filter(({ id }) => ids.includes(id)))
  return Effect.fail(refused(`${file} is of a newer version of the hub: restore it with that version`))
}

/** Fills the tables; gives the number of rows. */
const fill = Effect.fnUntraced(function* (file: string, lines: Lines) {
  const sql = yield* SqlClient.SqlClient
  const tables = (yield* sql.unsafe<{ name: string }>(tablesQuery).unprepared).map(({ name }) => name)
  // Rows come table by table: references to later tables hold once all are there.
  yield* sql`set local session_replication_role = replica`.unprepared
  for (const table of tables) yield* sql.unsafe(`truncate ${quoted(table)} cascade`).unprepared
  let [table, rows, chars]: [string | undefined, number, number] = [undefined, 0, 0]
  let piece: Array<string> = []
  const insert = Effect.suspend(() => {
    const [all, name] = [piece, quoted(table ?? "")]
    piece = []
    chars = 0
    rows += all.length
    if (all.length === 0) return Effect.void
    const text = `insert into ${name} select (one).* from (select r::${name} as one from unnest($1::text[]) as r offset 0) as all_rows`
    return Effect.asVoid(sql.unsafe(text, [all]).unprepared)
  })
  for (;;) {
    const line = yield* next(file, lines)
    if (line === undefined) return yield* damaged(file)
    const value = JSON.parse(line) as string | Mark
    if (typeof value === "string") {
      piece.push(value)
      chars += value.length
      if (chars >= exportPieceBytes || piece.length >= exportPieceRowsMax) yield* insert
      continue
    }
    yield* insert
    if ("end" in value) return value.end.rows === rows ? rows : yield* damaged(file)
    if (!tables.includes(value.table))
      return yield* refused(`${file} has a table that its version has not: ${value.table}`)
    table = value.table
  }
})

const opened = (folder: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const thread = makeThread(folder)
        await thread.start()
        return thread
      },
      catch: (fault) => refused(fileFault(`the new database ${folder}`, fault))
    }),
    (thread) => Effect.promise(thread.close)
  )

/** Makes the database of an export in a folder. */
const build = (file: string, folder: string) =>
  Effect.gen(function* () {
    yield* check(file)
    const lines = yield* Effect.acquireRelease(
      Effect.sync(() => linesOf(file)),
      ({ close }) => Effect.sync(close)
    )
    const head = headIn((yield* next(file, lines)) ?? "")
    if (head === undefined) return yield* damaged(file)
    const steps = yield* stepsOf(file, head)
    const thread = yield* opened(folder)
    const rows = yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(steps)
      const filled = yield* sql.withTransaction(fill(file, lines))
      yield* migrate()
      return filled
    }).pipe(Effect.provide(layerThread(thread, { patient: true }), { local: true }))
    return { rows, at: head.at }
  }).pipe(Effect.scoped)

/** Puts an export in the place of the embedded database of a data folder. `now`: epoch milliseconds. */
export const restoreDatabase = (dataDir: string, file: string, now: number) =>
  Effect.gen(function* () {
    const folder = databaseFolder(dataDir)
    const draft = restoringFolder(dataDir)
    const remove = Effect.promise(() => rm(draft, { recursive: true, force: true }))
    yield* remove // of one that was killed
    const built = yield* Effect.onError(build(file, draft), () => remove)
    const before = `${folder}.before-${new Date(now).toISOString().replace(/[:.]/gu, "-")}`
    return yield* Effect.tryPromise({
      try: async () => {
        const kept = await rename(folder, before).then(
          () => before,
          (fault) => {
            if (codeOf(fault) === "ENOENT") return undefined
            throw fault
          }
        )
        await rename(draft, folder)
        await rm(`${folder}.begun`, { force: true })
        return { ...built, before: kept } satisfies Restored
      },
      catch: (fault) => refused(fileFault(`the embedded database ${folder}`, fault))
    })
  })
