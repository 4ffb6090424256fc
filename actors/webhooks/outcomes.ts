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
  outcomesWaitingMax,
  outcomeYieldsMax
} from "../../src/limits/delivery.ts"
import { makeGroupCommit } from "../../src/runtime/group-commit.ts"
import { Deliveries, type HealthRow, type OutcomeRow } from "../../src/store/webhooks/deliveries.ts"

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
  static readonly layer: Layer.Layer<Outcomes, never, Deliveries> = Layer.effect(
    Outcomes,
    Effect.suspend(() => make)
  )
}

// A batch is refused as such when one of its rows cannot be stored; everything else passes with time.
const refused = (error: StoreFailed): boolean =>
  SqlError.isSqlError(error.cause) &&
  ["UnknownError", "ConstraintError", "SqlSyntaxError", "UniqueViolation"].includes(error.cause.reason._tag)

const again = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

const make = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const settle = (batch: ReadonlyArray<Recording>): Effect.Effect<void, StoreFailed> => {
    const health = new Map<string, HealthRow>()
    for (const one of batch) if (one.health !== undefined) health.set(one.health.webhookId, one.health)
    return Effect.retry(
      deliveries.settle(
        batch.map((one) => one.outcome),
        [...health.values()]
      ),
      { schedule: again, while: (error) => !refused(error) }
    )
  }

  const apart = (batch: ReadonlyArray<Recording>): Effect.Effect<ReadonlySet<Recording>> => {
    const lost = new Set<Recording>()
    return Effect.as(
      Effect.forEach(
        batch,
        (one) =>
          Effect.catch(settle([one]), (error) => {
            lost.add(one)
            return Effect.logError("an outcome cannot be stored", one.outcome.deliveryId, error.cause)
          }),
        { discard: true }
      ),
      lost
    )
  }

  const none: ReadonlySet<Recording> = new Set()
  let lost: ReadonlySet<Recording> = none
  const line = makeGroupCommit<Recording, never>(run, {
    name: "outcomes",
    rowsMax: deliveryBatchMax,
    bytesMax: deliveryBatchBytesMax,
    bytesOf: (one) => one.outcome.body.length,
    waitingMax: outcomesWaitingMax,
    // no caller waits for them: at low load they share what would be a commit each
    turn: deliveries.unhurried(outcomeYieldsMax),
    write: (batch) =>
      Effect.catch(Effect.as(settle(batch), none), () => apart(batch)).pipe(
        Effect.tap((unstored) =>
          Effect.sync(() => {
            lost = unstored
          })
        )
      ),
    written: (batch, exit) => {
      for (const one of batch) one.done(Exit.isSuccess(exit) && !lost.has(one))
    }
  })

  return Outcomes.of({
    record: (recording) => {
      if (!line.add(recording)) recording.done(false)
    },
    waiting: line.waiting,
    empty: line.empty
  })
})
