/**
 * Checks that the store takes writes. Owns the checks, cheapest first: writing a row, and, after a failure by the
 * store's state, a write that needs room; and reopening an embedded database when only that heals it.
 */
import { randomBytes } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { StoreFailed } from "../../errors.ts"
import { storeReopenMillisMin, storeRoomBytes } from "../../limits/edge.ts"
import { fileFault } from "../../runtime/file-fault.ts"
import { monotonicMillis } from "../../runtime/monotonic.ts"
import { DatabaseHome } from "./database-home.ts"
import * as query from "./query.ts"

const operation = "take a write"

/** The data folder takes a file: its disk has room, and may be written. */
const fileIn = (dataDir: string): Effect.Effect<void, StoreFailed> =>
  Effect.tryPromise({
    try: async () => {
      const file = join(dataDir, "room.probe")
      try {
        await writeFile(file, new Uint8Array(storeRoomBytes), { mode: 0o600 })
      } finally {
        await rm(file, { force: true })
      }
    },
    catch: (fault) => new StoreFailed({ operation, cause: new Error(fileFault(`the data folder ${dataDir}`, fault)) })
  })

/** Makes the check: it fails when the store takes no write. */
export const makeWriteLook: Effect.Effect<
  Effect.Effect<void, StoreFailed>,
  never,
  SqlClient.SqlClient | DatabaseHome
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { embedded, suspicion } = yield* DatabaseHome
  const clock = yield* Clock.Clock
  let reopenedAt: number | undefined

  const row = query.run(operation, sql`update store_probe set nth = nth + 1 where id = 1`)
  // A row of no more than is free in some page needs no room: emptied, the table needs a new file and new pages.
  const room = query.attempt(
    operation,
    sql.withTransaction(
      Effect.andThen(
        sql`truncate store_probe`,
        sql`insert into store_probe (id, nth, room) values (1, 0, ${randomBytes(storeRoomBytes)})`
      )
    )
  )

  const reopen = Effect.gen(function* () {
    const now = monotonicMillis(clock)
    if (embedded?.dataDir === undefined) return
    if (reopenedAt !== undefined && now - reopenedAt < storeReopenMillisMin) return
    reopenedAt = now
    yield* Effect.logWarning("the embedded database failed though its disk has room, and is opened again")
    yield* Effect.promise(embedded.thread.kill)
  })

  return Effect.gen(function* () {
    if (embedded?.dataDir !== undefined) yield* fileIn(embedded.dataDir)
    if (!suspicion.held) return yield* row
    yield* reopen
    yield* room
    suspicion.clear()
  })
})
