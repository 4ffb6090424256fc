/**
 * The one deadline of a node that shuts down. Owns when it is, and logs a step that missed it; takes no step itself.
 * The time starts with the first question for it.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Config } from "../config.ts"
import { monotonicMillis } from "./monotonic.ts"

const make = Effect.gen(function* () {
  const { drainMillis } = yield* Config
  const clock = yield* Clock.Clock
  let startedAt: number | undefined
  /** Milliseconds to the deadline, or to the end of this share of the whole time. */
  const left = (share = 1): number => {
    const now = monotonicMillis(clock)
    startedAt ??= now
    return Math.max(0, startedAt + drainMillis * share - now)
  }
  /** Runs a step within the time left. A step that is cut off is logged with what remains of it. */
  const step = <A, E>(
    name: string,
    effect: Effect.Effect<A, E>,
    options: { readonly share?: number; readonly remains?: () => unknown } = {}
  ): Effect.Effect<Option.Option<A>, E> =>
    Effect.suspend(() => Effect.timeoutOption(Effect.interruptible(effect), left(options.share))).pipe(
      Effect.tap((done) =>
        Option.isSome(done)
          ? Effect.void
          : Effect.logWarning("the drain ran out of time", { step: name, left: options.remains?.() })
      )
    )
  return { left, step }
})

export class DrainDeadline extends Context.Service<DrainDeadline, Effect.Success<typeof make>>()("hub/DrainDeadline") {
  static readonly layer = Layer.effect(DrainDeadline, make)
}
