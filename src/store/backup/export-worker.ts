/**
 * The thread of an export. Owns the second database instance, on a copy that is open nowhere else, and writes its rows
 * into a file that is on disk when it ends. A copy that does not open or read gives no export.
 */
import { createWriteStream } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { parentPort, workerData } from "node:worker_threads"
import { createGzip } from "node:zlib"
import type { PGlite } from "@electric-sql/pglite"
import { exportPieceBytes, exportPieceRowsMax } from "../../limits/backup.ts"
import { yieldCore } from "../../runtime/worker/yield-core.ts"
import { type Fault, faultOf } from "../embedded/instance-fault.ts"
import { openInstance } from "../embedded/open-instance.ts"
import { type Head, type Mark, quoted, stepsTable, tablesQuery } from "./format.ts"

/** What an export is made of, and where to. */
export interface ExportOrder {
  readonly folder: string
  readonly file: string
  readonly at: number
}
export type ExportEnd = { readonly rows: number } | Fault

yieldCore()
const order = workerData as ExportOrder
const line = (value: string | Head | Mark): string => `${JSON.stringify(value)}\n`

/** The rows of a table as text, a piece at a time; how many rows a piece has follows from how long they are. */
async function* piecesOf(db: PGlite, table: string): AsyncGenerator<ReadonlyArray<string>> {
  const name = quoted(table)
  await db.exec(`declare piece no scroll cursor for select ${name}::text as row from ${name}`)
  let count = 1
  for (;;) {
    const { rows } = await db.query<{ row: string }>(`fetch ${count} from piece`)
    if (rows.length === 0) break
    yield rows.map(({ row }) => row)
    const chars = rows.reduce((sum, { row }) => sum + row.length, 0)
    const wanted = Math.floor((count * exportPieceBytes) / Math.max(chars, 1))
    count = Math.max(1, Math.min(wanted, count * 2, exportPieceRowsMax))
  }
  await db.exec("close piece")
}

const exported = async (): Promise<number> => {
  const db = await openInstance(order.folder)
  let rows = 0
  const lines = async function* () {
    await db.exec("begin isolation level repeatable read read only")
    const steps = await db.query<{ id: number }>(`select id from ${stepsTable} order by id`)
    yield line({ hub: "export", form: 1, at: order.at, migrations: steps.rows.map(({ id }) => id) })
    const tables = await db.query<{ name: string }>(tablesQuery)
    for (const { name } of tables.rows) {
      yield line({ table: name })
      for await (const piece of piecesOf(db, name)) {
        rows += piece.length
        yield piece.map(line).join("")
      }
    }
    yield line({ end: { rows } })
  }
  const file = createWriteStream(order.file, { flags: "wx", mode: 0o600, flush: true })
  await pipeline(Readable.from(lines()), createGzip({ level: 3 }), file)
  return rows
}

let end: ExportEnd
try {
  end = { rows: await exported() }
} catch (cause) {
  end = faultOf(cause)
}
parentPort!.postMessage(end)
parentPort!.close()
