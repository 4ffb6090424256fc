/**
 * Time for spans. Owns the one reading of it: what lasts is measured by a clock that nobody sets, what has a date is
 * not.
 */
import type { Clock } from "effect"

/**
 * Milliseconds of a clock that never goes back nor jumps, since some moment of its own: only differences mean anything.
 */
export const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
