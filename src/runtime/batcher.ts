/**
 * Batches without timers: what arrives while one write commits forms the next. Owns the waiting line and its bounds;
 * knows nothing of what is written. A write that fails is told to its entries, or tried again, as its owner says.
 */
import { Effect, type Exit } from "effect"

/** How a line is written. */
export interface Writing<A, E> {
  /** Rows in one write, as soon as there is more than one entry. */
  readonly rowsMax: number
  /** Rows of an entry; one when absent. */
  readonly rowsOf?: (entry: A) => number
  /** Bytes in one write, as soon as there is more than one entry. */
  readonly bytesMax: number
  readonly bytesOf: (entry: A) => number
  /** Entries that may wait. */
  readonly waitingMax: number
  /** Waited for before a write gathers its entries; nothing when absent. */
  readonly turn?: Effect.Effect<void>
  readonly write: (entries: ReadonlyArray<A>) => Effect.Effect<unknown, E>
  /** Told after each write, in order; must not throw. */
  readonly written: (entries: ReadonlyArray<A>, exit: Exit.Exit<unknown, E>) => void
}

/** A waiting line. */
export interface Line<A> {
  /** Adds an entry; false when too many wait. */
  readonly add: (entry: A) => boolean
  /** Entries waiting or being written. */
  readonly waiting: () => number
  /** Ends when nothing waits and nothing is being written. */
  readonly empty: Effect.Effect<void>
}

/** A line whose writes run in the given way (`Effect.runForkWith(context)`). */
export const makeLine = <A, E>(run: (effect: Effect.Effect<unknown>) => unknown, writing: Writing<A, E>): Line<A> => {
  let line: Array<A> = []
  let underway = 0
  let running = false
  const idle = new Set<() => void>()

  const next = (): ReadonlyArray<A> => {
    let bytes = 0
    let rows = 0
    let taken = 0
    while (taken < line.length) {
      bytes += writing.bytesOf(line[taken]!)
      rows += writing.rowsOf?.(line[taken]!) ?? 1
      if (taken > 0 && (bytes > writing.bytesMax || rows > writing.rowsMax)) break
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
    return Effect.map(Effect.exit(writing.write(entries)), (exit) => {
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
        for (const wake of [...idle]) wake()
      })
    )
  )

  return {
    add: (entry) => {
      if (line.length >= writing.waitingMax) return false
      line.push(entry)
      if (!running) {
        running = true
        run(loop)
      }
      return true
    },
    waiting: () => line.length + underway,
    empty: Effect.callback<void>((resume) => {
      const look = (): void => {
        if (running) return
        idle.delete(look)
        resume(Effect.void)
      }
      idle.add(look)
      look()
      return Effect.sync(() => idle.delete(look))
    })
  }
}
