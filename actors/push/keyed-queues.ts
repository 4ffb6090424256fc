/**
 * Queues by key: what waits under one key waits for that key alone. Owns how many keys there may be, and how much waits
 * and is worked on under each; what is beyond is refused and waits for nothing.
 */
import { Effect, FiberSet, type Scope } from "effect"

interface Queue<A> {
  readonly waiting: Array<A>
  workers: number
}

/** `waitingMax`, `atOnce`: of one key. */
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

  const worker = (key: string, queue: Queue<A>) =>
    Effect.whileLoop({
      while: () => {
        if (queue.waiting.length > 0) return true
        if (--queue.workers === 0) queues.delete(key)
        return false
      },
      body: () => work(queue.waiting.shift()!),
      step: () => undefined
    })

  return {
    /** False: there is no room. */
    offer: (key, item) => {
      const known = queues.get(key)
      if (known === undefined && queues.size >= keysMax) return false
      const queue = known ?? { waiting: [], workers: 0 }
      if (queue.waiting.length >= waitingMax) return false
      queues.set(key, queue)
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
