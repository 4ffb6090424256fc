/**
 * What is measured of a queue whose entries are written, or answered, in batches: how many wait, how many go together,
 * how long that takes. Owns the three series of each queue; queues nothing.
 */
import { Clock, Effect } from "effect"
import { observe, type Series, seriesOf } from "./histograms.ts"
import { labels, type QueueName } from "./metric-labels.ts"
import { levelOf, type Sum } from "./metrics.ts"

const nanosPerSecond = 1e9

interface QueueSeries {
  readonly entries: Series
  readonly duration: Series
}

const seriesOfQueues = new Map<string, QueueSeries>()
for (const queue of labels.queue.values) {
  seriesOfQueues.set(queue, {
    entries: seriesOf("hub_batch_entries", { queue }),
    duration: seriesOf("hub_batch_duration_seconds", { queue })
  })
}

/** What is measured of one queue. */
export interface QueueMetrics {
  /** The entries that wait: the queue adds those that come and takes away those that go. */
  readonly waiting: Sum
  /** Measures one batch of this many entries. */
  readonly batch: <A, E, R>(entries: number, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The metrics of the queue of this name. */
export const queueMetrics = (name: QueueName): QueueMetrics => {
  const { entries, duration } = seriesOfQueues.get(name)!
  return {
    waiting: levelOf("hub_queue_entries", name),
    batch: (size, work) =>
      Effect.flatMap(Clock.Clock, (clock) => {
        const begun = clock.monotonicTimeNanosUnsafe()
        observe(entries, size)
        return Effect.onExit(work, () =>
          Effect.sync(() => observe(duration, Number(clock.monotonicTimeNanosUnsafe() - begun) / nanosPerSecond))
        )
      })
  }
}
