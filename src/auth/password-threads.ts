/**
 * The threads that compare passwords: one is started when all are busy, and kept. Owns their life; how many are asked
 * at a time is its caller's to bound (password.ts).
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { Comparison } from "./password-thread.ts"

/** Compares in a thread. A comparison that has begun is waited for, so that a caller who hangs up frees no place. */
export type Compare = (asked: Comparison) => Effect.Effect<boolean>

/** The threads end with the scope. */
export const makeCompare = Effect.gen(function* () {
  const idle: Array<Worker> = []
  const all = new Set<Worker>()
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...all].map((thread) => thread.terminate()))))
  const start = (): Worker => {
    const thread = new Worker(new URL("./password-thread.ts", import.meta.url), { stdin: false })
    all.add(thread)
    // one that breaks while it is idle is forgotten: a question to it would have no answer
    thread.on("error", () => undefined)
    thread.once("exit", () => {
      all.delete(thread)
      const at = idle.indexOf(thread)
      if (at >= 0) idle.splice(at, 1)
    })
    return thread
  }
  const compare: Compare = (asked) =>
    Effect.uninterruptible(
      Effect.callback<boolean>((resume) => {
        const thread = idle.pop() ?? start()
        const broke = (cause: unknown): void => resume(Effect.die(cause))
        const ended = (): void => broke("the thread ended")
        // a process that waits for its answer does not end before it
        thread.ref()
        thread.once("error", broke).once("exit", ended)
        thread.once("message", (matches: boolean) => {
          thread.off("error", broke).off("exit", ended).unref()
          idle.push(thread)
          resume(Effect.succeed(matches))
        })
        thread.postMessage(asked)
      })
    )
  return compare
})
