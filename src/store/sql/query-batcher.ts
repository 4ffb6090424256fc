/**
 * Batches queries: calls that arrive while one statement runs form the next. It uses no timers and delays no lone call.
 * Owns the queue, its bounds and which caller gets which answer; knows no SQL.
 */
import { Cause, Effect, Exit, Option, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { Overloaded, StoreFailed } from "../../errors.ts"
import { batchMax, batchWaitersMax, overloadRetrySeconds } from "../../limits.ts"
import type { QueueName } from "../../runtime/metric-labels.ts"
import { queueMetrics } from "../../runtime/queue-metrics.ts"
import { inParts } from "./in-parts.ts"
import { attempt } from "./query.ts"

/** How one kind of query is answered in batches. */
export interface QueryBatch<A, B> {
  /** The operation, for failures, also for those of `run`. */
  readonly name: string
  /** The queue's name in the metrics. */
  readonly queue: QueueName
  /** Entries in one statement; more: the next statement takes them. */
  readonly maxBatch?: number
  /** Entries that wait; more: Overloaded. */
  readonly maxWaiting?: number
  /** Answers all entries, in their order. */
  readonly run: (entries: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, SqlError.SqlError | StoreFailed>
}

interface Asker<A, B> {
  readonly entry: A
  readonly resume: (answer: Effect.Effect<B, StoreFailed>) => void
}

/** A query function whose concurrent calls share statements. Ends with the scope. */
export const makeQueryBatcher = <A, B>(
  batching: QueryBatch<A, B>
): Effect.Effect<(entry: A) => Effect.Effect<B, Overloaded | StoreFailed>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { name, queue, run, maxBatch = batchMax, maxWaiting = batchWaitersMax } = batching
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const metrics = queueMetrics(queue)
    const failureOf = (cause: Cause.Cause<StoreFailed>): StoreFailed =>
      Option.getOrElse(
        Cause.findErrorOption(cause),
        () => new StoreFailed({ operation: name, cause: Cause.squash(cause) })
      )
    const line = new Set<Asker<A, B>>()
    let running = false
    let closed = false

    const refuse = (askers: Iterable<Asker<A, B>>, failure: StoreFailed): void => {
      for (const { resume } of askers) resume(Effect.fail(failure))
    }

    // One entry that the database refuses must not fail the others; a database that is down fails all at once.
    const answer = (askers: ReadonlyArray<Asker<A, B>>): Effect.Effect<void> =>
      inParts(
        askers,
        (part) =>
          Effect.suspend(() => attempt(name, run(part.map(({ entry }) => entry)))).pipe((ran) =>
            metrics.batch(part.length, ran)
          ),
        (part, exit) => {
          if (Exit.isFailure(exit)) return refuse(part, failureOf(exit.cause))
          part.forEach(({ resume }, at) => {
            resume(Effect.succeed(exit.value[at]!))
          })
        }
      )

    const next = (): ReadonlyArray<Asker<A, B>> => {
      const askers: Array<Asker<A, B>> = []
      for (const asker of line) {
        if (askers.length === maxBatch) break
        line.delete(asker)
        askers.push(asker)
      }
      metrics.waiting.sum -= askers.length
      return askers
    }

    // The yield lets the rest of this tick's entries join the first statement.
    const loop = Effect.gen(function* () {
      yield* Effect.yieldNow
      while (line.size > 0) yield* answer(next())
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          running = false
        })
      )
    )

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        closed = true
        refuse(line, new StoreFailed({ operation: name, cause: new Error("the hub is closing") }))
        metrics.waiting.sum -= line.size
        line.clear()
      })
    )

    return (entry) =>
      Effect.callback<B, Overloaded | StoreFailed>((resume) => {
        if (closed)
          return resume(Effect.fail(new StoreFailed({ operation: name, cause: new Error("the hub is closing") })))
        if (line.size >= maxWaiting) return resume(Effect.fail(new Overloaded({ retryAfter: overloadRetrySeconds })))
        const asker: Asker<A, B> = { entry, resume }
        line.add(asker)
        metrics.waiting.sum++
        if (!running) {
          running = true
          fork(loop)
        }
        return Effect.sync(() => {
          if (line.delete(asker)) metrics.waiting.sum--
        })
      })
  })
