/**
 * The messages between a worker and its supervisor, over the channel between their processes. Owns the two messages and
 * the worker's side: it drains on an order, and when the channel breaks.
 */
import { Effect, Schema } from "effect"

/** A worker serves at this address. */
export const Serving = Schema.Struct({ serving: Schema.String })

/** A worker is to drain and end. `replaced`: another one has taken its place, and the port is served as before. */
export const End = Schema.Struct({ order: Schema.Literal("end"), replaced: Schema.Boolean })

const isEnd = Schema.is(End)

/** Tells the supervisor that this worker serves. One that is gone is not told: `orderedToEnd` notices. */
export const tellServing = (serving: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.send?.({ serving } satisfies typeof Serving.Type, undefined, undefined, () => undefined)
  })

/**
 * Ends when this worker is to drain: ordered, its supervisor gone (also by kill -9), or SIGTERM; says whether it was
 * replaced. What a terminal sends to all its processes is the supervisor's to hear; a second SIGTERM changes nothing.
 */
export const orderedToEnd: Effect.Effect<Pick<typeof End.Type, "replaced">> = Effect.callback((resume) => {
  const drain = (): void => resume(Effect.succeed({ replaced: false }))
  for (const name of ["SIGINT", "SIGHUP"] as const) process.on(name, () => undefined)
  process.on("SIGTERM", drain)
  process.on("message", (message) => {
    if (isEnd(message)) resume(Effect.succeed(message))
  })
  process.on("disconnect", drain)
  if (process.connected !== true) drain()
})
