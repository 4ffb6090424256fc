/**
 * The signals that end a hub. Owns the wait for the first one, after which a second one ends the process as the system
 * does; the queue of all signals, for a command that decides what each means; and that the interruption of the main
 * fiber, by which the runtime reports SIGINT and SIGTERM, does not reach a command that handles signals itself.
 */
import { constants } from "node:os"
import { Effect, Queue } from "effect"
import { signalsWaitingMax } from "../limits/workers.ts"

const ending = ["SIGTERM", "SIGINT", "SIGHUP"] as const

/** A shell says so of what a signal ended. */
const endedBySignal = 128

/**
 * Whatever else listens for it, the process ends of this signal. Process 1 of a container does not end of one that it
 * does not hear: the kernel keeps it alive, so it says the same as an exit code.
 */
const endOf = (name: NodeJS.Signals): void => {
  process.removeAllListeners(name)
  if (process.pid === 1) process.exit(endedBySignal + constants.signals[name])
  process.kill(process.pid, name)
}

/** The runtime's listener and the one below. */
const listenersOfNobody = 2

/** While the command does not listen yet, or no longer, a signal ends the process as it would without the runtime. */
const unheard = (name: NodeJS.Signals): void => {
  if (process.listenerCount(name) <= listenersOfNobody) endOf(name)
}

let own: number | undefined

/** The exit code of a command that handles signals itself, once it has one. */
export const ownExitCode = (): number | undefined => own

/**
 * Runs such a command on a fiber of its own, to its end; the main fiber, interrupted meanwhile, is not asked for the
 * code.
 */
export const hearsSignalsItself = (command: Effect.Effect<number>): Effect.Effect<number> =>
  Effect.promise(async () => {
    for (const name of ending) if (name !== "SIGHUP") process.on(name, unheard)
    own = await Effect.runPromise(command)
    return own
  }).pipe(Effect.uninterruptible)

/** Waits for a signal that asks the process to end. */
export const signalled: Effect.Effect<NodeJS.Signals> = Effect.callback((resume) => {
  const heard = (name: NodeJS.Signals): void => {
    forget()
    for (const again of ending) process.once(again, endOf)
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
