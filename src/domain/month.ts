/** Calendar months in UTC, as quotas count them. Owns the arithmetic; knows no clock. */

/** The month of an instant, as `2026-07`. */
export const monthOf = (millis: number): string => new Date(millis).toISOString().slice(0, -17)

/** When the month after that of an instant begins. */
export const nextMonthAt = (millis: number): number => {
  const date = new Date(millis)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** Whole seconds to the next month, rounded up, so that whoever waits so long is not too early. At least 1. */
export const secondsToNextMonth = (millis: number): number =>
  Math.max(1, Math.ceil((nextMonthAt(millis) - millis) / 1_000))
