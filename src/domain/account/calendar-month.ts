/** Calendar months in UTC, as quotas count them. Owns the arithmetic; knows no clock. */

// The last month asked for: it is asked for with every counted call.
let known = { from: 0, to: 0, name: "" }

const monthAt = (millis: number): typeof known => {
  if (millis < known.from || millis >= known.to) {
    const date = new Date(millis)
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
    known = { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1), name: date.toISOString().slice(0, -17) }
  }
  return known
}

/** The month of an instant, as `2026-07`. */
export const monthOf = (millis: number): string => monthAt(millis).name

/** When the month after that of an instant begins. */
export const nextMonthAt = (millis: number): number => monthAt(millis).to

/** Whole seconds to the next month, rounded up, so that a wait of this length does not end too early. At least 1. */
export const secondsToNextMonth = (millis: number): number =>
  Math.max(1, Math.ceil((nextMonthAt(millis) - millis) / 1_000))
