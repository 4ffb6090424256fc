/** Monotonic time, for durations. Owns its one reading; dates come from the system clock instead. */
import type { Clock } from "effect"

/** Milliseconds of a clock that never goes back or jumps. Its origin is arbitrary: only differences mean anything. */
export const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
