/**
 * The signals that end a hub. Owns the waiting for the first, after which a second one ends the process as the system does;
 * and the hearing of all, for whoever decides what each means.
 */
import { Effect, Queue } from "effect"
import { signalsWaitingMax } from "../limits/workers.ts"

const ending = ["SIGTERM", "SIGINT", "SIGHUP"] as const

/** Waits for a signal that asks the process to end. */
export const signalled: Effect.Effect<NodeJS.Signals> = Effect.callback((resume) => {
  const heard = (name: NodeJS.Signals): void => {
    forget()
    resume(Effect.succeed(name))
  }
  const forget = (): void => {
    for (const name of ending) process.off(name, heard)
  }
  for (const name of ending) process.on(name, heard)
  return Effect.sync(forget)
})

/** Every signal of these kinds from now on, until the scope closes. */
export const heardSignals = Effect.gen(function* () {
  const heard = yield* Queue.sliding<NodeJS.Signals>(signalsWaitingMax)
  const hear = (name: NodeJS.Signals): void => void Queue.offerUnsafe(heard, name)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      for (const name of ending) process.on(name, hear)
    }),
    () =>
      Effect.sync(() => {
        for (const name of ending) process.off(name, hear)
      })
  )
  return heard
})
