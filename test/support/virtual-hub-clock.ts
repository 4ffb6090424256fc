/**
 * Time for tests of a whole hub: stands still until it is moved, and then lets what woke up do its real work before the
 * next thing wakes. Owns the order of the sleepers; nothing here waits for real time.
 */
import { Clock, Duration, Effect, Layer } from "effect"

/** A clock that is moved by hand. */
export interface HubClock {
  readonly now: () => number
  readonly layer: Layer.Layer<never>
  /** Moves on. Sleepers wake in order, each with the clock at its time; `settle` is awaited between them. */
  readonly advance: (millis: number, settle: () => Promise<void>) => Promise<void>
}

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
}

/** A clock that starts at `start` (epoch milliseconds). */
export const hubClock = (start: number): HubClock => {
  let now = start
  let order = 0
  const sleepers = new Set<Sleeper>()
  const sleep = (duration: Duration.Duration): Effect.Effect<void> => {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    return Effect.callback((resume) => {
      const sleeper: Sleeper = { at: now + millis, order: order++, wake: () => resume(Effect.void) }
      sleepers.add(sleeper)
      return Effect.sync(() => sleepers.delete(sleeper))
    })
  }
  const nanos = (): bigint => BigInt(Math.round(now)) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep
  } as Clock.Clock
  const first = (until: number): Sleeper | undefined => {
    let due: Sleeper | undefined
    for (const one of sleepers) {
      if (one.at <= until && (due === undefined || one.at < due.at || (one.at === due.at && one.order < due.order)))
        due = one
    }
    return due
  }
  return {
    now: () => now,
    layer: Layer.succeed(Clock.Clock, clock),
    advance: async (millis, settle) => {
      const end = now + millis
      await settle()
      for (let due = first(end); due !== undefined; due = first(end)) {
        sleepers.delete(due)
        now = Math.max(now, due.at)
        due.wake()
        await settle()
      }
      now = end
      await settle()
    }
  }
}

/** Lets the event loop turn a few times, so that what just woke can go as far as it can without real time. */
export const turns = async (count = 3): Promise<void> => {
  for (let at = 0; at < count; at++) await new Promise<void>((resolve) => setImmediate(resolve))
}
