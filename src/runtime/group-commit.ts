/**
 * Group commit without timers: entries that arrive while one write runs form the next. Owns the queue and its bounds;
 * knows nothing of what is written. A failed write is reported to its owner or repeated, as the owner says.
 */
import { Effect, type Exit, Latch } from "effect"
import type { QueueName } from "./metric-labels.ts"
import { queueMetrics } from "./queue-metrics.ts"

/** How a queue is written. */
export interface GroupCommitOptions<A, E, B = unknown> {
  /** Its name in the metrics. */
  readonly name: QueueName
  /** Rows per write; a single entry may have more. */
  readonly rowsMax: number
  /** Rows of an entry; one when absent. */
  readonly rowsOf?: (entry: A) => number
  /** Bytes per write; a single entry may have more. */
  readonly bytesMax: number
  readonly bytesOf: (entry: A) => number
  /** Entries that may wait. */
  readonly waitingMax: number
  /** Their bytes, but for a single entry; any when absent. */
  readonly waitingBytesMax?: number
  /** Awaited before a write gathers its entries; nothing when absent. */
  readonly turn?: Effect.Effect<void>
  readonly write: (entries: ReadonlyArray<A>) => Effect.Effect<B, E>
  /** Called after each write, in order; must not throw. */
  readonly written: (entries: ReadonlyArray<A>, exit: Exit.Exit<B, E>) => void
}

/** A queue of entries to write. */
export interface GroupCommit<A> {
  /** Adds an entry; false when too many wait. */
  readonly add: (entry: A) => boolean
  /** Entries waiting or being written. */
  readonly waiting: () => number
  /** Ends when nothing waits and nothing is being written. */
  readonly empty: Effect.Effect<void>
}

/** Makes a queue whose writes run in the given way (`Effect.runForkWith(context)`). */
export const makeGroupCommit = <A, E, B = unknown>(
  run: (effect: Effect.Effect<unknown>) => unknown,
  writing: GroupCommitOptions<A, E, B>
): GroupCommit<A> => {
  const metrics = queueMetrics(writing.name)
  const { waitingBytesMax = Number.POSITIVE_INFINITY } = writing
  let line: Array<A> = []
  /** Of all in the line. */
  let waitingBytes = 0
  let underway = 0
  let running = false
  const idle = Latch.makeUnsafe(true)

  const next = (): ReadonlyArray<A> => {
    let bytes = 0
    let rows = 0
    let taken = 0
    while (taken < line.length) {
      const more = writing.bytesOf(line[taken]!)
      bytes += more
      rows += writing.rowsOf?.(line[taken]!) ?? 1
      if (taken > 0 && (bytes > writing.bytesMax || rows > writing.rowsMax)) break
      waitingBytes -= more
      taken++
    }
    if (taken === line.length) {
      const all = line
      line = []
      return all
    }
    return line.splice(0, taken)
  }

  const write = Effect.suspend(() => {
    const entries = next()
    underway = entries.length
    metrics.waiting.sum -= underway
    return Effect.map(Effect.exit(metrics.batch(underway, writing.write(entries))), (exit) => {
      underway = 0
      writing.written(entries, exit)
    })
  })

  const once = writing.turn === undefined ? write : Effect.andThen(writing.turn, write)

  // The yield lets the rest of this tick's entries join the first write.
  const loop = Effect.andThen(
    Effect.yieldNow,
    Effect.whileLoop({ while: () => line.length > 0, body: () => once, step: () => undefined })
  ).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        running = false
        idle.openUnsafe()
      })
    )
  )

  return {
    add: (entry) => {
      const bytes = writing.bytesOf(entry)
      if (line.length >= writing.waitingMax) return false
      if (line.length > 0 && waitingBytes + bytes > waitingBytesMax) return false
      waitingBytes += bytes
      line.push(entry)
      metrics.waiting.sum++
      if (!running) {
        running = true
        idle.closeUnsafe()
        run(loop)
      }
      return true
    },
    waiting: () => line.length + underway,
    empty: idle.await
  }
}
