/**
 * The one deadline of a closing node. Owns when it is and what is said of a step that did not make it; takes no step
 * itself. It starts to run with the first who asks for it.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Config } from "../config.ts"
import { monotonicMillis } from "./monotonic.ts"

/** The deadline. */
export class DrainDeadline extends Context.Service<
  DrainDeadline,
  {
    /** Milliseconds to the deadline, or to where this share of the whole time is over. */
    readonly left: (share?: number) => number
    /** Gives a step the time that is left. What is cut off is logged with what remains of it. */
    readonly step: <A, E>(
      name: string,
      effect: Effect.Effect<A, E>,
      options?: { readonly share?: number; readonly remains?: () => unknown }
    ) => Effect.Effect<Option.Option<A>, E>
  }
>()("hub/DrainDeadline") {
  static readonly layer: Layer.Layer<DrainDeadline, never, Config> = Layer.effect(
    DrainDeadline,
    Effect.gen(function* () {
      const { drainMillis } = yield* Config
      const clock = yield* Clock.Clock
      let startedAt: number | undefined
      const left = (share = 1): number => {
        const now = monotonicMillis(clock)
        startedAt ??= now
        return Math.max(0, startedAt + drainMillis * share - now)
      }
      return DrainDeadline.of({
        left,
        step: (name, effect, options = {}) =>
          Effect.suspend(() => Effect.timeoutOption(Effect.interruptible(effect), left(options.share))).pipe(
            Effect.tap((done) =>
              Option.isSome(done)
                ? Effect.void
                : Effect.logWarning("the drain ran out of time", { step: name, left: options.remains?.() })
            )
          )
      })
    })
  )
}
