/** A wall clock that somebody sets, over the one of the test: spans and sleeps go on as before. Owns the difference. */
import { Clock, Effect } from "effect"
import { type Body, effectOf } from "../../support/effect-test.ts"

/** A clock, and how to set it by so many milliseconds. */
const setClock: Effect.Effect<{ readonly clock: Clock.Clock; readonly set: (millis: number) => void }> = Effect.map(
  Clock.Clock,
  (under) => {
    let shift = 0
    const millis = (): number => under.currentTimeMillisUnsafe() + shift
    const nanos = (): bigint => BigInt(millis()) * 1_000_000n
    const clock: Clock.Clock = Object.assign(Object.create(under) as Clock.Clock, {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos)
    })
    return {
      clock,
      set: (by) => {
        shift += by
      }
    }
  }
)

/** Runs what builds with such a clock; it is set with what is passed. */
export const withSetClock = <R>(work: Body<[set: (millis: number) => void], R>) =>
  Effect.flatMap(setClock, ({ clock, set }) => Effect.provideService(effectOf(work)(set), Clock.Clock, clock))
