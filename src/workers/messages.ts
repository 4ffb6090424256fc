/**
 * The messages between a worker and its supervisor, over the channel between their processes. Owns the messages and the
 * worker's side: it drains on an order and when the channel breaks, tells its metrics, and asks for those of all.
 */
import { Effect, Option, Schema } from "effect"
import { Overloaded } from "../errors.ts"
import { workersMetricsMillisMax } from "../limits/workers.ts"
import { overloadRetrySeconds } from "../limits.ts"
import { prometheus } from "../runtime/metrics.ts"

/** A worker serves at this address. */
export const Serving = Schema.Struct({ serving: Schema.String })

/** A worker is to drain and end. `replaced`: another one has taken its place, and the port is served as before. */
export const End = Schema.Struct({ order: Schema.Literal("end"), replaced: Schema.Boolean })

/** Asks for metrics: a supervisor for those of the worker, a worker for those of all. */
export const Ask = Schema.Struct({ ask: Schema.Literal("metrics"), id: Schema.Number })

/** The answer to an `Ask` of this id. */
export const Told = Schema.Struct({ metrics: Schema.String, id: Schema.Number })

const isEnd = Schema.is(End)
const isAsk = Schema.is(Ask)
const isTold = Schema.is(Told)

/** What a channel carries, both ways. */
export type Message = typeof Serving.Type | typeof End.Type | typeof Ask.Type | typeof Told.Type

const tell = (message: Message): void => void process.send?.(message, undefined, undefined, () => undefined)

/** Tells the supervisor that this worker serves. One that is gone is not told: `orderedToEnd` notices. */
export const tellServing = (serving: string): Effect.Effect<void> => Effect.sync(() => tell({ serving }))

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

/** Answers whenever the supervisor asks for the metrics of this worker. */
export const tellMetrics: Effect.Effect<void> = Effect.sync(() => {
  process.on("message", (message) => {
    if (isAsk(message)) tell({ metrics: prometheus(), id: message.id })
  })
})

let asked = 0

/** The metrics of all workers, from the supervisor. Too busy: Overloaded, so that a scrape fails rather than lies. */
export const metricsOfAll: Effect.Effect<string, Overloaded> = Effect.callback<string>((resume) => {
  const id = ++asked
  const hear = (message: unknown): void => {
    if (!isTold(message) || message.id !== id) return
    process.off("message", hear)
    resume(Effect.succeed(message.metrics))
  }
  process.on("message", hear)
  tell({ ask: "metrics", id })
  return Effect.sync(() => process.off("message", hear))
}).pipe(
  Effect.timeoutOption(workersMetricsMillisMax),
  Effect.flatMap((told) =>
    Option.isSome(told) ? Effect.succeed(told.value) : Effect.fail(new Overloaded({ retryAfter: overloadRetrySeconds }))
  )
)
