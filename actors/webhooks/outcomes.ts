/**
 * Records the outcomes of attempts in batches. Owns the queue before the store: an outcome is kept and tried again
 * while the store is away, since forgetting it would repeat the delivery. Only an outcome that the store refuses as
 * such is dropped.
 */
import { Context, Effect, Exit, Layer, Schedule } from "effect"
import { Config } from "../../src/config.ts"
import { noVolume, type Volume } from "../../src/domain/account/volume.ts"
import type { StoreFailed } from "../../src/errors.ts"
import {
  deliveryBatchBytesMax,
  deliveryBatchMax,
  embeddedDeliveryBatchMax,
  healthWriteMillis,
  outcomesWaitingMax,
  outcomeYieldsMax
} from "../../src/limits/delivery.ts"
import { makeGroupCommit } from "../../src/runtime/group-commit.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { inParts } from "../../src/store/sql/in-parts.ts"
import { rowsFault } from "../../src/store/sql/sql-errors.ts"
import { Deliveries, type HealthRow, type OutcomeRow } from "../../src/store/webhooks/deliveries.ts"
import type { VolumeBudget } from "../limits/volume-budgets.ts"

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

/** Records the outcome of an attempt for an account's webhook. */
export type RecordAnswer = (accountId: string, recording: Recording) => void

/**
 * Records the outcome without the answer's body where the account has no room for it. An answer to an attempt that will
 * be retried is stored with its pending delivery, so it counts as pending too; one that ends its delivery is left as it
 * is.
 */
export const recordWithinBudget =
  (held: Pick<VolumeBudget, "of" | "besides">, record: Outcomes["Service"]["record"]): RecordAnswer =>
  (accountId, recording) => {
    const { outcome, done } = recording
    if (outcome.state !== "retry" || outcome.body === "") return record(recording)
    const account = held.of(accountId)
    const volume: Volume = { number: 0, bytes: Buffer.byteLength(outcome.body) }
    if (!held.besides(account, volume.bytes)) {
      return record({ ...recording, outcome: { ...outcome, body: "", truncated: true } })
    }
    const { webhookId } = outcome
    account.begin(webhookId, volume)
    record({
      ...recording,
      done: (recorded) => {
        account.end(webhookId, volume, recorded ? volume : noVolume)
        done(recorded)
      }
    })
  }

interface Recent {
  readonly written: HealthRow
  readonly waiting: HealthRow | undefined
}

const isSame = (one: HealthRow, other: HealthRow): boolean =>
  one.failures === other.failures && one.failingSince === other.failingSince

/**
 * Which health of a webhook is written with a batch of outcomes, and which waits for the next turn. A busy webhook
 * would have its one row written many times a second, for the time of its last delivery alone: as long as Postgres may
 * clean nothing up (an old snapshot), every write would read all earlier versions of that row. As many are kept as had
 * an outcome in two turns.
 */
export class HealthWrites {
  #recent = new Map<string, Recent>()

  /** Those of a batch, in the order of their attempts, that are written now: the last of each webhook at most. */
  due(rows: Iterable<HealthRow>): ReadonlyArray<HealthRow> {
    const due: Array<HealthRow> = []
    for (const row of new Map(Array.from(rows, (row) => [row.webhookId, row])).values()) {
      const written = this.#recent.get(row.webhookId)?.written
      if (written !== undefined && isSame(written, row)) {
        this.#recent.set(row.webhookId, { written, waiting: row })
        continue
      }
      this.#recent.set(row.webhookId, { written: row, waiting: undefined })
      due.push(row)
    }
    return due
  }

  /** Whether any waits. */
  get waits(): boolean {
    for (const { waiting } of this.#recent.values()) if (waiting !== undefined) return true
    return false
  }

  /** A turn: those that waited, to be written now. */
  turn(): ReadonlyArray<HealthRow> {
    const rows = [...this.#recent.values()].flatMap(({ waiting }) => waiting ?? [])
    this.#recent = new Map(rows.map((row) => [row.webhookId, { written: row, waiting: undefined }]))
    return rows
  }
}

/** The turn of health that waited, in line with the outcomes, so that no older one overwrites a newer. */
const turn = "turn"
type Entry = Recording | typeof turn
const recordings = (batch: ReadonlyArray<Entry>): ReadonlyArray<Recording> =>
  batch.filter((one): one is Recording => one !== turn)

const again = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

const isRecording = (one: Recording | HealthRow): one is Recording => "outcome" in one

const make = Effect.gen(function* () {
  const { databaseUrl } = yield* Config
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
    rowsMax: databaseUrl === undefined ? embeddedDeliveryBatchMax : deliveryBatchMax,
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
