/**
 * Queues by key: what waits under one key waits for that key alone. Owns how many keys there may be, of an account and
 * in all, and how much waits and is worked on under each; what is beyond is refused and waits for nothing.
 */
import { Effect, FiberSet, type Scope } from "effect"
import { makeSlotLimit } from "../../src/domain/limits/slot-limit.ts"
import { shareOfFree } from "../../src/limits/edge.ts"

interface Queue<A> {
  readonly waiting: Array<A>
  readonly end: () => void
  workers: number
}

/** `waitingMax`, `atOnce`: of one key. The account of a key is its first word; it has a share of `keysMax`. */
export interface QueueBounds {
  readonly keysMax: number
  readonly waitingMax: number
  readonly atOnce: number
}

/** Builds them, until the scope closes. */
export const makeQueues = Effect.fnUntraced(function* <A>(
  { keysMax, waitingMax, atOnce }: QueueBounds,
  work: (item: A) => Effect.Effect<void>
): Effect.fn.Return<
  { readonly offer: (key: string, item: A) => boolean; readonly size: () => number },
  never,
  Scope.Scope
> {
  const run = yield* FiberSet.makeRuntime<never>()
  const queues = new Map<string, Queue<A>>()
  const keys = makeSlotLimit(keysMax, keysMax * shareOfFree)

  const worker = (key: string, queue: Queue<A>) =>
    Effect.whileLoop({
      while: () => {
        if (queue.waiting.length > 0) return true
        if (--queue.workers > 0) return false
        queues.delete(key)
        queue.end()
        return false
      },
      body: () => work(queue.waiting.shift()!),
      step: () => undefined
    })

  return {
    /** False: there is no room. */
    offer: (key, item) => {
      let queue = queues.get(key)
      if (queue === undefined) {
        const end = keys.acquire(key.split(" ", 1)[0]!)
        if (end === undefined) return false
        queue = { waiting: [], end, workers: 0 }
        queues.set(key, queue)
      } else if (queue.waiting.length >= waitingMax) return false
      queue.waiting.push(item)
      if (queue.workers < atOnce) {
        queue.workers++
        run(worker(key, queue))
      }
      return true
    },
    /** Keys that something waits under, or is worked on. */
    size: () => queues.size
  }
})
