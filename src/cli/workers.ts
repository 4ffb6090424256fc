/**
 * `hub start --workers N`: several hubs of this machine on one port. Owns what it needs, what each signal means and the
 * exit code; the workers are kept by workers/supervisor.ts.
 */
import { Cause, Effect, Exit, FiberHandle, Queue } from "effect"
import type { Settings } from "../config.ts"
import { workerEndMarginMillis } from "../limits/workers.ts"
import { closeMillisMax } from "../limits.ts"
import { layerLog } from "../runtime/log.ts"
import { freePort, launchOn } from "../workers/process.ts"
import { makeWorkerSupervisor, type WorkerSupervisor } from "../workers/supervisor.ts"
import { sayFailure, sentence } from "./failure-sentence.ts"
import { printError } from "./print.ts"
import { heardSignals } from "./signals.ts"

const rollOn = (signals: Queue.Queue<NodeJS.Signals>, wanted: Queue.Queue<void>) =>
  Effect.gen(function* () {
    for (;;) {
      const name = yield* Queue.take(signals)
      if (name !== "SIGHUP") return name
      Queue.offerUnsafe(wanted, undefined)
    }
  })

const roll = (supervisor: WorkerSupervisor, wanted: Queue.Queue<void>) =>
  Effect.gen(function* () {
    yield* Queue.take(wanted)
    yield* Effect.logInfo("SIGHUP: the workers are replaced, one after another")
    const rolled = yield* Effect.result(supervisor.roll)
    yield* rolled._tag === "Success"
      ? Effect.logInfo("all workers are replaced")
      : Effect.logError(`the replacement stopped: ${rolled.failure.sentence}`)
  }).pipe(Effect.forever)

/** Ends all; a second signal kills them. Gives what is to be said of those that did not end well. */
const endAll = (supervisor: WorkerSupervisor, signals: Queue.Queue<NodeJS.Signals>) =>
  Effect.gen(function* () {
    yield* Queue.clear(signals)
    const hurry = yield* FiberHandle.make()
    yield* FiberHandle.run(
      hurry,
      Effect.gen(function* () {
        for (;;) if ((yield* Queue.take(signals)) !== "SIGHUP") yield* supervisor.kill
      })
    )
    return yield* supervisor.end
  })

/** Runs this many workers until a signal; gives the exit code: 0 when all of them ended well. */
export const startWorkers = (settings: Settings, count: number): Effect.Effect<number> =>
  Effect.gen(function* () {
    if (settings.redisUrl === undefined || settings.databaseUrl === undefined) {
      printError(`hub: --workers ${count} needs REDIS_URL and DATABASE_URL: through them ${count} nodes are one hub`)
      return 2
    }
    const signals = yield* heardSignals
    // One more roll may be wanted while one is under way.
    const wanted = yield* Queue.sliding<void>(1)
    const port = yield* freePort(settings.host, settings.port)
    const endMillisMax = settings.drainMillis + closeMillisMax + workerEndMarginMillis
    const launch = launchOn(
      port,
      Effect.suspend(() => supervisor.metrics)
    )
    const supervisor: WorkerSupervisor = yield* makeWorkerSupervisor({ count, launch, endMillisMax })
    const serve = Effect.gen(function* () {
      const address = yield* supervisor.start
      yield* Effect.logInfo("serving", { address, workers: count, database: "postgres" })
      return yield* Effect.raceFirst(supervisor.failed, roll(supervisor, wanted))
    })
    const exit = yield* Effect.exit(Effect.raceFirst(serve, rollOn(signals, wanted)))
    const complaints = [
      ...(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? [sentence(exit.cause)] : []),
      ...(yield* endAll(supervisor, signals))
    ]
    for (const complaint of complaints) printError(`hub: ${complaint}`)
    return complaints.length === 0 ? 0 : 1
  }).pipe(Effect.scoped, Effect.provide(layerLog(settings)), Effect.catchCause(sayFailure))
