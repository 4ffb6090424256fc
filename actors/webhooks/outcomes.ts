/**
 * Records the outcomes of attempts in batches. Owns the queue before the store: an outcome is kept and tried again
 * while the store is away, since forgetting it would repeat the delivery. Only an outcome that the store refuses as
 * such is dropped.
 */
import { Context, Effect, Exit, Layer, Schedule } from "effect"
import { SqlError } from "effect/sql"
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
import { Deliveries, type HealthRow, type OutcomeRow } from "../../src/store/webhooks/deliveries.ts"
import { HealthWrites } from "./health-writes.ts"

/** One attempt's outcome, its webhook's health after it, and who wants to know that it is recorded. */
export interface Recording {
  readonly outcome: OutcomeRow
  readonly health: HealthRow | undefined
  readonly done: (recorded: boolean) => void
}

/** The recorder. */
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

// A batch is refused as such when one of its rows cannot be stored; everything else passes with time.
const refused = (error: StoreFailed): boolean =>
  SqlError.isSqlError(error.cause) &&
  ["UnknownError", "ConstraintError", "SqlSyntaxError", "UniqueViolation"].includes(error.cause.reason._tag)

/** The turn of health that waited, in line with the outcomes, so that no older one overwrites a newer. */
const turn = "turn"
type Entry = Recording | typeof turn
const recordings = (batch: ReadonlyArray<Entry>): ReadonlyArray<Recording> =>
  batch.filter((one): one is Recording => one !== turn)

const again = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

const make = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const healths = new HealthWrites()

  const write = (
    outcomes: ReadonlyArray<OutcomeRow>,
    rows: ReadonlyArray<HealthRow>
  ): Effect.Effect<void, StoreFailed> =>
    outcomes.length === 0 && rows.length === 0
      ? Effect.void
      : Effect.retry(deliveries.settle(outcomes, rows), { schedule: again, while: (error) => !refused(error) })

  /** The health that a batch writes. What waited is older than what comes with the outcomes. */
  const healthOf = (batch: ReadonlyArray<Entry>): ReadonlyArray<HealthRow> => {
    const waited = batch.includes(turn) ? healths.turn() : []
    const rows = new Map(waited.map((row) => [row.webhookId, row]))
    for (const row of healths.due(recordings(batch).flatMap(({ health }) => health ?? []))) rows.set(row.webhookId, row)
    return [...rows.values()]
  }

  const apart = (
    batch: ReadonlyArray<Recording>,
    rows: ReadonlyArray<HealthRow>
  ): Effect.Effect<ReadonlySet<Recording>> => {
    const lost = new Set<Recording>()
    const each = Effect.forEach(
      batch,
      (one) =>
        Effect.catch(write([one.outcome], []), (error) => {
          lost.add(one)
          return Effect.logError("an outcome cannot be stored", one.outcome.deliveryId, error.cause)
        }),
      { discard: true }
    )
    const health = Effect.catch(write([], rows), (error) =>
      Effect.logError("the health of webhooks cannot be stored", error.cause)
    )
    return Effect.as(Effect.andThen(each, health), lost)
  }

  const none: ReadonlySet<Recording> = new Set()
  let lost: ReadonlySet<Recording> = none
  const line = makeGroupCommit<Entry, never>(run, {
    name: "outcomes",
    rowsMax: deliveryBatchMax,
    bytesMax: deliveryBatchBytesMax,
    bytesOf: (one) => (one === turn ? 0 : one.outcome.body.length),
    waitingMax: outcomesWaitingMax,
    // no caller waits for them: at low load they share what would be a commit each
    turn: deliveries.unhurried(outcomeYieldsMax),
    write: (batch) => {
      const [some, rows] = [recordings(batch), healthOf(batch)]
      const together = write(
        some.map(({ outcome }) => outcome),
        rows
      )
      return Effect.catch(Effect.as(together, none), () => apart(some, rows)).pipe(
        Effect.tap((unstored) =>
          Effect.sync(() => {
            lost = unstored
          })
        )
      )
    },
    written: (batch, exit) => {
      for (const one of recordings(batch)) one.done(Exit.isSuccess(exit) && !lost.has(one))
    }
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
