/** The signals that end a hub. Owns the waiting for the first; a second one ends the process as the system does. */
import { Effect } from "effect"

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
