/**
 * The account, key and token commands. Owns the way to the hub: the one that runs in the data folder, else the store
 * itself; and what is printed of the answer.
 */
import { createInterface } from "node:readline"
import { Clock, Effect } from "effect"
import { ask } from "../admin/client.ts"
import { lockDataFolder } from "../admin/data-folder-lock.ts"
import { databaseFingerprint } from "../admin/database-fingerprint.ts"
import type { AdminAnswer, AdminRequest } from "../admin/requests.ts"
import type { Settings } from "../config.ts"
import { adminRetryMillis, adminWaitMillisMax } from "../limits/admin.ts"
import { plain } from "../runtime/escape.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { sayFailure } from "./failure-sentence.ts"
import { handOver, printError } from "./print.ts"
import { asJson, asJsonLines, asTable, type Rendering } from "./render.ts"

/** Empty where the input ends without a line. */
const firstLine: Effect.Effect<string> = Effect.callback((resume) => {
  const lines = createInterface({ input: process.stdin, terminal: false })
  lines.once("line", (line) => resume(Effect.succeed(line)))
  lines.once("close", () => resume(Effect.succeed("")))
  return Effect.sync(() => lines.close())
})

/**
 * The request with the first line of stdin as its password, when it asks for that with `-`: on the command line every
 * user of the computer could read it.
 */
const passwordFromInput = (request: AdminRequest): Effect.Effect<AdminRequest> =>
  "password" in request && request.password === "-"
    ? Effect.map(firstLine, (password) => ({ ...request, password }))
    : Effect.succeed(request)

/** Takes an answer; gives what is to be asked next, if anything is. */
type Told = (request: AdminRequest, answer: AdminAnswer) => Effect.Effect<AdminRequest | undefined>

const nextOf = (request: AdminRequest, answer: AdminAnswer): AdminRequest | undefined =>
  answer.ok && answer.after !== undefined ? ({ ...request, after: answer.after } as AdminRequest) : undefined

// Loaded when no hub runs: a database driver is half of this process's start.
const directly = (settings: Settings, first: AdminRequest, told: Told) =>
  Effect.gen(function* () {
    // Of a database that is not open the folder is exported: this version need not open it, let alone change it.
    if (first.op === "backup") {
      yield* told(first, yield* exportedFolder(settings.dataDir, first.file))
      return
    }
    const { perform } = yield* Effect.promise(() => import("../admin/operations.ts"))
    const { storeLayer } = yield* Effect.promise(() => import("../admin/services.ts"))
    const all = Effect.gen(function* () {
      let request: AdminRequest | undefined = first
      while (request !== undefined) request = yield* told(request, yield* perform(request))
    })
    if (settings.redisUrl === undefined || settings.secretKey === undefined)
      return yield* Effect.provide(all, storeLayer(settings), { local: true })
    const { notifyHubs } = yield* Effect.promise(() => import("../admin/notify-hubs.ts"))
    const notifications = yield* notifyHubs(settings.redisUrl, settings.secretKey)
    yield* Effect.provide(all, storeLayer(settings, notifications.bus), { local: true })
    if (!(yield* notifications.delivered)) printError(`hub: ${notTold}`)
  }).pipe(Effect.scoped)

const exportedFolder = Effect.fnUntraced(function* (dataDir: string, file: string) {
  const { exportDatabase } = yield* Effect.promise(() => import("../store/backup/write.ts"))
  const at = yield* Clock.currentTimeMillis
  const exported = yield* exportDatabase({ dataDir, file, at, copyLive: undefined })
  return { ok: true, answer: { ...exported } } satisfies AdminAnswer
})

const notTold =
  "the hubs that run could not be told (Redis did not answer): what they remember of this may hold until it does"

/** All answers of the embedded store. They are printed later: a slow reader must not keep a hub from starting. */
const locked = Effect.fnUntraced(function* (settings: Settings, request: AdminRequest) {
  const answers: Array<readonly [AdminRequest, AdminAnswer]> = []
  const keep: Told = (asked, answer) =>
    Effect.sync(() => {
      answers.push([asked, answer])
      return nextOf(asked, answer)
    })
  yield* lockDataFolder(settings.dataDir)
  yield* directly(settings, request, keep)
  return answers
}, Effect.scoped)

/** A holder of the folder that does not answer is starting, closing, or a command like this one: it is asked again. */
const reach = (settings: Settings, first: AdminRequest, told: Told): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const database = settings.databaseUrl === undefined ? {} : { database: databaseFingerprint(settings.databaseUrl) }
    const clock = yield* Clock.Clock
    let deadline = monotonicMillis(clock) + adminWaitMillisMax
    let request: AdminRequest = first
    for (;;) {
      const answer = yield* ask(settings.dataDir, { ...database, request })
      if (answer !== undefined && !(answer.ok === false && answer.elsewhere === true)) {
        const next: AdminRequest | undefined = yield* told(request, answer)
        if (next === undefined) return
        request = next
        deadline = monotonicMillis(clock) + adminWaitMillisMax
        continue
      }
      if (settings.databaseUrl !== undefined) return yield* directly(settings, request, told)
      const answers = yield* locked(settings, request).pipe(
        Effect.catchTag("DataFolderInUse", (inUse) =>
          Effect.gen(function* () {
            if (monotonicMillis(clock) >= deadline) return yield* Effect.fail(inUse)
            yield* Effect.sleep(adminRetryMillis)
            return undefined
          })
        )
      )
      if (answers === undefined) continue
      for (const [asked, answer] of answers) yield* told(asked, answer)
      return
    }
  })

/** Prints each page as it comes, and asks for the next as long as the output has a reader. */
const printing = (render: Rendering, refused: (sentence: string) => void): Told =>
  Effect.fnUntraced(function* (request, answer) {
    if (!answer.ok) {
      refused(answer.refusal)
      return undefined
    }
    const next = nextOf(request, answer)
    const read = yield* handOver(render(answer.answer, next === undefined))
    // what changes something goes on to its end, also without a reader
    return read || !request.op.endsWith(" list") ? next : undefined
  })

const jsonOf = ({ op }: AdminRequest): Rendering => (op === "audit list" ? asJsonLines() : asJson())

/** Asks, prints what comes back, and gives the exit code. */
export const askAndPrint = (settings: Settings, request: AdminRequest, json: boolean): Effect.Effect<number> =>
  Effect.flatMap(passwordFromInput(request), (whole) => {
    let code = 0
    const told = printing(json ? jsonOf(request) : asTable(), (sentence) => {
      printError(`hub: ${plain(sentence)}`)
      code = 1
    })
    return Effect.map(reach(settings, whole, told), () => code)
  }).pipe(Effect.catchCause(sayFailure))
