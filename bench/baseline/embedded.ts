/**
 * The least program on the hub's embedded database: opens the folder it is given, asks one thing, says that it is open
 * (one line, `{openMillis}`), and closes it. A process of its own.
 */
import { PGlite } from "@electric-sql/pglite"

const began = performance.now()
const database = await PGlite.create(process.argv[2]!)
await database.exec("select 1")
process.stdout.write(`${JSON.stringify({ openMillis: performance.now() - began })}\n`)
await database.close()
