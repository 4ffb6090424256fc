/** What a check of `hub doctor` finds, and what is to be done. Owns the shape; judges nothing. */

/** `ok`: as it should be; `skipped`: it could not be looked at, which is no fault. */
export type Severity = "ok" | "skipped" | "warning" | "error"

export interface Finding {
  /** What was looked at, in a word or two: `postgres version`. */
  readonly check: string
  readonly severity: Severity
  readonly found: string
  /** What to do; null where nothing is. */
  readonly remedy: string | null
}

/** Nothing is to be done. */
export const ok = (check: string, found: string): Finding => ({ check, severity: "ok", found, remedy: null })

/** It could not be looked at. */
export const skipped = (check: string, found: string): Finding => ({ check, severity: "skipped", found, remedy: null })

/** The hub runs, less well than it could. */
export const warning = (check: string, found: string, remedy: string): Finding => ({
  check,
  severity: "warning",
  found,
  remedy
})

/** The hub does not run so, or not for long. */
export const error = (check: string, found: string, remedy: string): Finding => ({
  check,
  severity: "error",
  found,
  remedy
})

const thousands = /\B(?=(?:\d{3})+$)/gu

/** A whole number with its thousands apart. Node's own words for it load a locale: 70 ms of each start. */
export const grouped = (count: number): string => String(Math.round(count)).replace(thousands, ",")
