/**
 * `hub start`, alone or as one of several workers. Owns the order of a start: the data folder's lock, the secret key,
 * the stores, then listening, the first credentials (not shown by a hub that does not listen) and the control
 * socket; and its end: the first signal drains, the process ends with 0, and with 1 where a defect cut the drain short.
 */
import { existsSync } from "node:fs"
import { Cause, Effect, Exit, Fiber, References } from "effect"
import { serveControl } from "../admin/control-socket.ts"
import { lockDataFolder } from "../admin/data-folder-lock.ts"
import { databaseFingerprint } from "../admin/database-fingerprint.ts"
import { perform } from "../admin/operations.ts"
import { checkTls } from "../config/tls-files.ts"
import { type Settings, withSecretKey } from "../config.ts"
import { MetricsText } from "../runtime/metrics-text.ts"
import { Exports } from "../store/backup/exports.ts"
import { BegunOpening, beginOpening, closeOpened, databaseFolder } from "../store/embedded/opening.ts"
import { metricsOfAll, orderedToEnd, tellMetrics, tellServing } from "../workers/messages.ts"
import { sayFailure } from "./failure-sentence.ts"
import { showFirst } from "./first-credentials.ts"
import { callable, firstStart, laterStart } from "./first-start.ts"
import { isTerminal, print, printError } from "./print.ts"
import type { Parts, StartupHook } from "./programs.ts"
import { signalled } from "./signals.ts"

/**
 * On Postgres a second hub in the same folder is none of our business: it only goes without a control socket. The
 * embedded database has one owner.
 */
const own = (settings: Settings) =>
  lockDataFolder(settings.dataDir).pipe(
    Effect.as(true),
    Effect.catchTag("DataFolderInUse", (inUse) =>
      settings.databaseUrl === undefined ? Effect.fail(inUse) : Effect.succeed(false)
    )
  )

/** The embedded database is opened while the hub's modules are loaded, on another core where there is one. */
const opening = ({ databaseUrl, dataDir }: Settings) =>
  databaseUrl === undefined
    ? Effect.acquireRelease(
        Effect.sync(() => {
          if (isTerminal() && !existsSync(databaseFolder(dataDir))) printError("hub: making the database (once)")
          return beginOpening(dataDir)
        }),
        closeOpened
      )
    : Effect.succeed(undefined)

/** Serves until the other ends; the defect of a drain is its own. A race would forget how its loser ended. */
const servedUntil = <E, A, F>(serving: Effect.Effect<never, E>, end: Effect.Effect<A, F>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(serving, { startImmediately: true })
    yield* Effect.raceFirst(Fiber.join(fiber), end)
    yield* Fiber.interrupt(fiber)
    const exit = yield* Fiber.await(fiber)
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) yield* Effect.failCause(exit.cause)
  })

/** Runs a hub until a signal; gives the exit code. */
export const start = (settings: Settings, serve: Parts["serve"]): Effect.Effect<number> =>
  run(settings, (complete, beside) => servedUntil(serve(complete, beside), signalled))

/** Runs one of several hubs on one port until its supervisor wants no more of it; gives the exit code. */
export const startWorker = (settings: Settings, serve: Parts["serve"], worker: number): Effect.Effect<number> =>
  run(settings, (complete, beside) => {
    let replaced = false
    const ordered = Effect.tap(orderedToEnd, (order) =>
      Effect.sync(() => {
        replaced = order.replaced
      })
    )
    const serving = serve(complete, beside, { sharedPort: true, told: tellServing, replaced: () => replaced })
    return Effect.andThen(tellMetrics, servedUntil(serving, ordered)).pipe(
      Effect.provideService(MetricsText, metricsOfAll),
      Effect.annotateLogs({ worker })
    )
  })

/** At a terminal the log says nothing of what the first start makes: its lines would hide what is shown once. */
const greet = Effect.fnUntraced(function* ({ dataDir }: Settings, url: string) {
  const first = firstStart(url, showFirst(dataDir))
  if (!isTerminal()) return void (yield* first)
  const isFirst = yield* Effect.provideService(first, References.MinimumLogLevel, "None")
  if (!isFirst) print(laterStart(url))
})

type Until = (settings: Settings, beside: StartupHook) => Effect.Effect<unknown, unknown>

const run = (settings: Settings, until: Until): Effect.Effect<number> =>
  Effect.gen(function* () {
    const owned = yield* own(settings)
    const complete = yield* withSecretKey(settings)
    // before anything is opened: a setting that is wrong leaves no database behind, and is said at once
    yield* checkTls(settings)
    const begun = yield* opening(settings)
    const serving = until(complete, (address) =>
      Effect.gen(function* () {
        yield* greet(settings, settings.publicUrl ?? callable(address))
        if (owned) yield* serveControl(settings.dataDir, databaseFingerprint(settings.databaseUrl), perform)
        yield* Effect.forkScoped((yield* Exports).hourly)
      })
    )
    yield* Effect.provideService(serving, BegunOpening, begun)
  }).pipe(
    Effect.scoped,
    Effect.as(0),
    Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.succeed(0) : sayFailure(cause)))
  )
