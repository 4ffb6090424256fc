/**
 * Keeps this many workers serving: starts them, restarts one that ended, replaces them one by one, ends them all.
 * Owns when and how often; how a worker is started and ordered is the port's (worker.ts).
 */
import { Clock, Data, Deferred, Effect, FiberSet, Option, type Scope, Semaphore } from "effect"
import {
  workerFailuresMax,
  workerPauseMillis,
  workerPauseMillisMax,
  workerReadyMillisMax,
  workerSoundMillis
} from "../limits/workers.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { gatherMetrics, type NamedWorker } from "./metrics.ts"
import { endedWell, endInWords, type Launch, type Worker, type WorkerEnd } from "./worker.ts"

/** The workers cannot be kept serving. */
class WorkersFailed extends Data.TaggedError("WorkersFailed")<{ readonly sentence: string }> {}

/** What a supervisor needs. */
export interface SupervisorOptions {
  readonly count: number
  readonly launch: Launch
  /** How long a worker may take to end once it is told; then it is killed. */
  readonly endMillisMax: number
}

/** The supervisor of some workers. */
export interface WorkerSupervisor {
  /** Starts them, the first alone: it brings the database to this version. Ends when all serve; gives the address. */
  readonly start: Effect.Effect<string, WorkersFailed>
  /** Fails when no worker serves and none can be started. */
  readonly failed: Effect.Effect<never, WorkersFailed>
  /** Replaces each by a new one, one after another, each serving before its predecessor is ended. */
  readonly roll: Effect.Effect<void, WorkersFailed>
  /** Ends all of them at once; gives a sentence for each that did not end well. Nothing is started afterwards. */
  readonly end: Effect.Effect<ReadonlyArray<string>>
  /** The metrics of all of them, one text. */
  readonly metrics: Effect.Effect<string>
  /** Kills whatever is left. */
  readonly kill: Effect.Effect<void>
}

interface Slot {
  readonly number: number
  /** One at a time: a start again, or a replacement. */
  readonly turn: Semaphore.Semaphore
  worker: Worker | undefined
  servingSince: number | undefined
  /** Short lives in a row. */
  short: number
}

/** The pause before a start, after this many short lives in a row. */
export const pauseAfter = (short: number): number =>
  Math.min(workerPauseMillisMax, workerPauseMillis * 2 ** Math.min(short, 20))

const named = (number: number): string => `worker ${number}`

/** Tells a worker to end and waits for it; killed when that takes too long. A sentence when it did not end well. */
const retire = (worker: Worker, millis: number, replaced: boolean): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    yield* worker.end(replaced)
    const ended = yield* Effect.timeoutOption(worker.ended, millis)
    if (Option.isSome(ended))
      return endedWell(ended.value) ? undefined : `${named(worker.number)} ${endInWords(ended.value)}`
    yield* worker.kill
    yield* worker.ended
    return `${named(worker.number)} had not ended after ${millis / 1_000} s and was killed`
  })

/** What the workers of one supervisor have in common. */
interface Crew extends SupervisorOptions {
  readonly clock: Clock.Clock
  /** Every worker that has not ended. */
  readonly live: Set<Worker>
  readonly slots: Array<Slot>
  /** Those that were replaced and have not ended: their last counts are theirs still. */
  readonly replaced: Set<Worker>
  readonly watching: FiberSet.FiberSet<void>
  readonly gaveUp: Deferred.Deferred<never, WorkersFailed>
  /** Starts in a row that failed, of any worker. */
  failures: number
  /** No more may be started. */
  ending: boolean
}

/** Starts a worker and waits until it serves. The sentence of a failure says why it does not. */
const begin = (crew: Crew, number: number) =>
  Effect.gen(function* () {
    const started = Effect.tap(crew.launch(number), (made) => Effect.sync(() => crew.live.add(made)))
    // Uninterrupted: a worker that is not recorded would not be ended.
    const worker = yield* Effect.suspend(() => (crew.ending ? Effect.never : Effect.uninterruptible(started)))
    const served = Effect.map(worker.serving, (address) => ({ worker, address }))
    const failed = Effect.flatMap(worker.ended, (end) =>
      Effect.fail(`${named(number)} ${endInWords(end)} before it served`)
    )
    const late = Effect.gen(function* () {
      yield* worker.kill
      yield* worker.ended
      return yield* Effect.fail(`${named(number)} did not serve after ${workerReadyMillisMax / 1_000} s and was killed`)
    })
    return yield* Effect.raceFirst(served, failed).pipe(
      Effect.timeoutOrElse({ duration: workerReadyMillisMax, orElse: () => late }),
      Effect.tapError(() => Effect.sync(() => crew.live.delete(worker)))
    )
  })

const put = (crew: Crew, slot: Slot, worker: Worker) =>
  Effect.suspend(() => {
    crew.failures = 0
    slot.worker = worker
    slot.servingSince = monotonicMillis(crew.clock)
    return Effect.logInfo("a worker serves", { worker: slot.number, pid: worker.pid })
  })

const restart = Effect.fnUntraced(function* (crew: Crew, slot: Slot, how: WorkerEnd) {
  const lived = monotonicMillis(crew.clock) - (slot.servingSince ?? 0)
  slot.servingSince = undefined
  if (lived >= workerSoundMillis) slot.short = 0
  yield* Effect.logError(`${named(slot.number)} ${endInWords(how)}; it is started again`)
  for (;;) {
    yield* Effect.sleep(pauseAfter(slot.short++))
    const next = yield* Effect.result(begin(crew, slot.number))
    if (next._tag === "Success") return yield* put(crew, slot, next.success.worker)
    crew.failures++
    yield* Effect.logError(next.failure)
    const alone = crew.slots.every((one) => one.servingSince === undefined)
    if (!alone || crew.failures < workerFailuresMax) continue
    const sentence = `${next.failure}; no worker serves and ${crew.failures} starts in a row failed`
    return yield* Deferred.fail(crew.gaveUp, new WorkersFailed({ sentence }))
  }
})

const watch = Effect.fnUntraced(function* (crew: Crew, slot: Slot) {
  while (slot.worker !== undefined) {
    const { worker } = slot
    const how = yield* worker.ended
    crew.live.delete(worker)
    yield* slot.turn.withPermit(Effect.suspend(() => (slot.worker === worker ? restart(crew, slot, how) : Effect.void)))
    // The same still: it was given up.
    if (slot.worker === worker) return
  }
})

const startFirst = Effect.fnUntraced(function* (crew: Crew, number: number) {
  const turn = yield* Semaphore.make(1)
  const slot: Slot = { number, turn, worker: undefined, servingSince: undefined, short: 0 }
  const { worker, address } = yield* Effect.mapError(begin(crew, number), (sentence) => new WorkersFailed({ sentence }))
  yield* put(crew, slot, worker)
  crew.slots.push(slot)
  yield* FiberSet.run(crew.watching, watch(crew, slot))
  return address
})

const replace = (crew: Crew, slot: Slot) =>
  slot.turn.withPermit(
    Effect.gen(function* () {
      const next = yield* Effect.mapError(
        begin(crew, slot.number),
        (sentence) => new WorkersFailed({ sentence: `${sentence}; the workers that serve are left as they are` })
      )
      const old = slot.worker
      yield* put(crew, slot, next.worker)
      if (old === undefined) return
      crew.replaced.add(old)
      const retired = Effect.ensuring(
        retire(old, crew.endMillisMax, true),
        Effect.sync(() => crew.replaced.delete(old))
      )
      const complaint = yield* retired
      if (complaint !== undefined) yield* Effect.logWarning(complaint)
    })
  )

/** The workers as the metrics name them. One that was replaced counts on beside the one that has its number. */
const namedWorkers = ({ slots, replaced }: Crew): ReadonlyArray<NamedWorker> => [
  ...slots
    .toSorted((one, other) => one.number - other.number)
    .map(({ number, worker, servingSince }) => ({
      name: String(number),
      worker: servingSince === undefined ? undefined : worker
    })),
  ...[...replaced].map((worker) => ({ name: `${worker.number} replaced`, worker }))
]

/** A supervisor; nothing is started yet. Its watching ends with the scope, its workers do not: `end` them. */
export const makeWorkerSupervisor = (options: SupervisorOptions): Effect.Effect<WorkerSupervisor, never, Scope.Scope> =>
  Effect.gen(function* () {
    const crew: Crew = {
      ...options,
      clock: yield* Clock.Clock,
      watching: yield* FiberSet.make<void>(),
      gaveUp: yield* Deferred.make<never, WorkersFailed>(),
      live: new Set(),
      slots: [],
      replaced: new Set(),
      failures: 0,
      ending: false
    }
    const numbers = Array.from({ length: crew.count }, (_, index) => index + 1)
    return {
      start: Effect.gen(function* () {
        const address = yield* startFirst(crew, 1)
        yield* Effect.forEach(numbers.slice(1), (number) => startFirst(crew, number), {
          concurrency: "unbounded",
          discard: true
        })
        return address
      }),
      failed: Deferred.await(crew.gaveUp),
      roll: Effect.suspend(() =>
        Effect.forEach(
          crew.slots.toSorted((one, other) => one.number - other.number),
          (slot) => replace(crew, slot),
          { discard: true }
        )
      ),
      end: Effect.gen(function* () {
        crew.ending = true
        yield* FiberSet.clear(crew.watching)
        const said = yield* Effect.forEach([...crew.live], (worker) => retire(worker, crew.endMillisMax, false), {
          concurrency: "unbounded"
        })
        return said.filter((sentence) => sentence !== undefined)
      }),
      metrics: Effect.suspend(() => gatherMetrics(namedWorkers(crew))),
      kill: Effect.suspend(() => Effect.forEach([...crew.live], ({ kill }) => kill, { discard: true }))
    }
  })
