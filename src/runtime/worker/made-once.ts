/**
 * What a thread makes at the first call, because making it would hold the event loop, and what is kept from then on.
 * Owns the thread's life and who waits for it; the thread posts one message.
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { singleFlight } from "../single-flight.ts"

/** A thread that breaks is a defect of this call; the next one starts another. */
const makeInThread = <A>(thread: URL, workerData: unknown): Effect.Effect<A> =>
  Effect.callback((resume) => {
    const worker = new Worker(thread, { workerData, stdin: false })
    worker.once("message", (made: A) => resume(Effect.succeed(made)))
    worker.once("error", (cause) => resume(Effect.die(cause)))
    worker.once("exit", () => resume(Effect.die(new Error("the thread ended"))))
    return Effect.promise(() => worker.terminate())
  })

/** Gives what this thread posts, at once from the second call on. */
export const madeOnce = <A>(thread: URL, workerData: unknown): Effect.Effect<A> => {
  const flight = singleFlight<Effect.Success<Effect.Effect<A>>, never>()
  let known: Effect.Effect<A> | undefined
  const made = Effect.tap(makeInThread<A>(thread, workerData), (all) =>
    Effect.sync(() => {
      known = Effect.succeed(all)
    })
  )
  return Effect.suspend(() => known ?? flight.ask("", made))
}
