/**
 * Records the outcomes of attempts in batches. Owns the queue before the store: an outcome is kept and tried again
 * while the store is away, since forgetting it would repeat the delivery. Only an outcome that the store refuses as
 * such is dropped.
 */
import { Context, Effect, Exit, Layer, Schedule } from "effect"
import type { StoreFailed } from "../../src/errors.ts"
import {
  deliveryBatchBytesMax,
  deliveryBatchMax,
  healthWriteMillis,
  outcomesWaitingMax,
  outcomeYieldsMax
} from "../../src/limits/delivery.ts"
import { makeGroupCommit } from "../../src/runtime/group-commit.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { inParts } from "../../src/store/sql/in-parts.ts"
import { rowsFault } from "../../src/store/sql/sql-errors.ts"
import { Deliveries, type HealthRow, type OutcomeRow } from "../../src/store/webhooks/deliveries.ts"
import { HealthWrites } from "./health-writes.ts"

/** One attempt's outcome, its webhook's health after it, and who wants to know that it is recorded. */
export interface Recording {
  readonly outcome: OutcomeRow
  readonly health: HealthRow | undefined
  readonly done: (recorded: boolean) => void
}

export class Outcomes extends Context.Service<
  Outcomes,
  {
    /** Takes an outcome; `done` is called once, later. */
    readonly record: (recording: Recording) => void
    /** Outcomes not yet recorded. */
    readonly waiting: () => number
    /** Ends when all are recorded. */
    readonly empty: Effect.Effect<void>
  }
>()("hub/Outcomes") {
  static readonly layer = Layer.effect(Outcomes)(Effect.suspend(() => make))
}

/** The turn of health that waited, in line with the outcomes, so that no older one overwrites a newer. */
const turn = "turn"
type Entry = Recording | typeof turn
const recordings = (batch: ReadonlyArray<Entry>): ReadonlyArray<Recording> =>
  batch.filter((one): one is Recording => one !== turn)

const again = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

const isRecording = (one: Recording | HealthRow): one is Recording => "outcome" in one

const make = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const healths = new HealthWrites()

  const settle = (part: ReadonlyArray<Recording | HealthRow>): Effect.Effect<void, StoreFailed> => {
    const outcomes = part.flatMap((one) => (isRecording(one) ? [one.outcome] : []))
    const rows = part.flatMap((one) => (isRecording(one) ? [] : [one]))
    return part.length === 0
      ? Effect.void
      : Effect.retry(deliveries.settle(outcomes, rows), { schedule: again, while: (failure) => !rowsFault(failure) })
  }

  const settled = (part: ReadonlyArray<Recording | HealthRow>, exit: Exit.Exit<void, StoreFailed>): void => {
    for (const one of part) {
      if (Exit.isFailure(exit)) {
        const what = isRecording(one)
          ? ["an outcome", one.outcome.deliveryId]
          : ["the health of a webhook", one.webhookId]
        run(Effect.logError(`${what[0]} cannot be stored`, what[1], exit.cause))
      }
      if (isRecording(one)) one.done(Exit.isSuccess(exit))
    }
  }

  /** The health that a batch writes. What waited is older than what comes with the outcomes. */
  const healthOf = (batch: ReadonlyArray<Entry>): ReadonlyArray<HealthRow> => {
    const waited = batch.includes(turn) ? healths.turn() : []
    const rows = new Map(waited.map((row) => [row.webhookId, row]))
    for (const row of healths.due(recordings(batch).flatMap(({ health }) => health ?? []))) rows.set(row.webhookId, row)
    return [...rows.values()]
  }

  const line = makeGroupCommit<Entry, never>(run, {
    name: "outcomes",
    rowsMax: deliveryBatchMax,
    bytesMax: deliveryBatchBytesMax,
    bytesOf: (one) => (one === turn ? 0 : one.outcome.body.length),
    waitingMax: outcomesWaitingMax,
    // no caller waits for them: at low load they share what would be a commit each
    turn: deliveries.unhurried(outcomeYieldsMax),
    write: (batch) => inParts([...recordings(batch), ...healthOf(batch)], settle, settled),
    written: () => undefined
  })

  // one that finds no room among the outcomes is due again at the next
  const takeTurn = Effect.sync(() => void (healths.waits && line.add(turn)))
  yield* repeatEvery(healthWriteMillis, "the health of webhooks could not be written", takeTurn)

  return Outcomes.of({
    record: (recording) => {
      if (!line.add(recording)) recording.done(false)
    },
    waiting: line.waiting,
    empty: Effect.andThen(takeTurn, line.empty)
  })
})
