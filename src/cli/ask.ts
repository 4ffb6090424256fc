/**
 * The account, key and token commands. Owns the way to the hub: the one that runs in the data folder, else the store
 * itself; and what is printed of the answer.
 */
import { Clock, Effect } from "effect"
import { ask } from "../admin/ask.ts"
import { lockDataFolder } from "../admin/lock.ts"
import { databaseMark } from "../admin/mark.ts"
import type { AdminAnswer, AdminRequest } from "../admin/requests.ts"
import type { Settings } from "../config.ts"
import { adminRetryMillis, adminWaitMillisMax } from "../limits/admin.ts"
import { steadyMillis } from "../steady.ts"
import { print, printError } from "./print.ts"
import { render } from "./render.ts"
import { passwordFromInput } from "./secret.ts"
import { sentence } from "./sentence.ts"

// Loaded when no hub runs: a database driver is half of this process's start.
const directly = (settings: Settings, request: AdminRequest) =>
  Effect.gen(function* () {
    // Of a database that nobody has open its folder is exported: this version need not open it, let alone change it.
    if (request.op === "backup") return yield* exportedFolder(settings.dataDir, request.file)
    const { perform } = yield* Effect.promise(() => import("../admin/operations.ts"))
    const { storeLayer } = yield* Effect.promise(() => import("../admin/services.ts"))
    if (settings.redisUrl === undefined) {
      return yield* Effect.provide(perform(request), storeLayer(settings), { local: true })
    }
    const { telling } = yield* Effect.promise(() => import("../admin/telling.ts"))
    const told = yield* telling(settings.redisUrl)
    const answer = yield* Effect.provide(perform(request), storeLayer(settings, told.bus), { local: true })
    if (!(yield* told.heard)) printError(`hub: ${notTold}`)
    return answer
  }).pipe(Effect.scoped)

const exportedFolder = Effect.fnUntraced(function* (dataDir: string, file: string) {
  const { exportDatabase } = yield* Effect.promise(() => import("../store/backup/write.ts"))
  const at = yield* Clock.currentTimeMillis
  const exported = yield* exportDatabase({ dataDir, file, at, copyLive: undefined })
  return { ok: true, answer: { ...exported } } satisfies AdminAnswer
})

const notTold =
  "the hubs that run could not be told (Redis did not answer): what they remember of this may hold until it does"

/** Whoever holds the folder without answering is starting, closing, or a command like this one: it will not be long. */
const reach = (settings: Settings, request: AdminRequest): Effect.Effect<AdminAnswer, unknown> =>
  Effect.gen(function* () {
    const database = settings.databaseUrl === undefined ? {} : { database: databaseMark(settings.databaseUrl) }
    const clock = yield* Clock.Clock
    const deadline = steadyMillis(clock) + adminWaitMillisMax
    for (;;) {
      const answer = yield* ask(settings.dataDir, { ...database, request })
      if (answer !== undefined && !(answer.ok === false && answer.elsewhere === true)) return answer
      if (settings.databaseUrl !== undefined) return yield* directly(settings, request)
      const tried = yield* Effect.scoped(
        Effect.andThen(lockDataFolder(settings.dataDir), directly(settings, request))
      ).pipe(
        Effect.catchTag("DataFolderInUse", (inUse) =>
          Effect.gen(function* () {
            if (steadyMillis(clock) >= deadline) return yield* Effect.fail(inUse)
            yield* Effect.sleep(adminRetryMillis)
            return undefined
          })
        )
      )
      if (tried !== undefined) return tried
    }
  })

/** Asks, prints what comes back, and gives the exit code. */
export const askAndPrint = (settings: Settings, request: AdminRequest, json: boolean): Effect.Effect<number> =>
  Effect.suspend(() => reach(settings, passwordFromInput(request))).pipe(
    Effect.map((answer) => {
      if (!answer.ok) {
        printError(`hub: ${answer.refusal}`)
        return 1
      }
      for (const line of json ? [JSON.stringify(answer.answer)] : render(answer.answer)) print(line)
      return 0
    }),
    Effect.catchCause((cause) => {
      printError(`hub: ${sentence(cause)}`)
      return Effect.succeed(1)
    })
  )
