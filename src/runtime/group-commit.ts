/**
 * Group commit without timers: entries that arrive while one write runs form the next, those of each owner in their
 * order, the owners in turns. Owns the queue and its bounds; knows nothing of what is written. A failed write is
 * reported to its owner or repeated, as the owner says.
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
  /** Whose an entry is, so that a crowd of one delays no other; one owner has all when absent. */
  readonly ownerOf?: (entry: A) => string
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

interface Link<A> {
  readonly entry: A
  next: Link<A> | undefined
}

/** What waits: the entries of each owner in their order. */
class OwnersInTurn<A> {
  /** Whose turn is next stands first. */
  readonly #lines = new Map<string, { first: Link<A>; last: Link<A> }>()
  size = 0

  add(owner: string, entry: A): void {
    this.size++
    const link: Link<A> = { entry, next: undefined }
    const line = this.#lines.get(owner)
    if (line === undefined) this.#lines.set(owner, { first: link, last: link })
    else {
      line.last.next = link
      line.last = link
    }
  }

  /** Takes one of each owner in turn, as long as the next fits. */
  take(fits: (entry: A) => boolean): ReadonlyArray<A> {
    const taken: Array<A> = []
    // who is served moves behind the others, and is met again
    for (const [owner, line] of this.#lines) {
      const { entry, next } = line.first
      if (!fits(entry)) break
      taken.push(entry)
      this.#lines.delete(owner)
      if (next === undefined) continue
      line.first = next
      this.#lines.set(owner, line)
    }
    this.size -= taken.length
    return taken
  }
}

/** Makes a queue whose writes run in the given way (`Effect.runForkWith(context)`). */
export const makeGroupCommit = <A, E, B = unknown>(
  run: (effect: Effect.Effect<unknown>) => unknown,
  writing: GroupCommitOptions<A, E, B>
): GroupCommit<A> => {
  const metrics = queueMetrics(writing.name)
  const { waitingBytesMax = Number.POSITIVE_INFINITY } = writing
  const line = new OwnersInTurn<A>()
  /** Of all that wait. */
  let waitingBytes = 0
  let underway = 0
  let running = false
  const idle = Latch.makeUnsafe(true)

  const next = (): ReadonlyArray<A> => {
    let bytes = 0
    let rows = 0
    return line.take((entry) => {
      const isFirst = rows === 0
      const more = writing.bytesOf(entry)
      bytes += more
      rows += writing.rowsOf?.(entry) ?? 1
      if (!isFirst && (bytes > writing.bytesMax || rows > writing.rowsMax)) return false
      waitingBytes -= more
      return true
    })
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
    Effect.whileLoop({ while: () => line.size > 0, body: () => once, step: () => undefined })
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
      if (line.size >= writing.waitingMax) return false
      if (line.size > 0 && waitingBytes + bytes > waitingBytesMax) return false
      waitingBytes += bytes
      line.add(writing.ownerOf?.(entry) ?? "", entry)
      metrics.waiting.sum++
      if (!running) {
        running = true
        idle.closeUnsafe()
        run(loop)
      }
      return true
    },
    waiting: () => line.size + underway,
    empty: idle.await
  }
}
