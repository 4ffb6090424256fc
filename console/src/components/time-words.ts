/** Times and amounts in words. Pure. */

/** Each unit, its milliseconds, and the least time that is said in it: 90 days are no "2 months". */
const units = [
  ["year", 31_536_000_000, 31_536_000_000],
  ["month", 2_592_000_000, 4 * 2_592_000_000],
  ["day", 86_400_000, 86_400_000],
  ["hour", 3_600_000, 3_600_000],
  ["minute", 60_000, 60_000]
] as const

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" })

/** How long before or after `now` a time is. */
export const agoWords = (at: number, now: number): string => {
  const away = at - now
  const unit = units.find(([, , least]) => Math.abs(away) >= least)
  if (unit === undefined) return away > 0 ? "in less than a minute" : "just now"
  // what was made to last 90 days does so for 90 days, and not for 89 once a second of it is over
  return relative.format(away > 0 ? Math.round(away / unit[1]) : Math.trunc(away / unit[1]), unit[0])
}

/** How long something took. */
export const durationWords = (millis: number): string => {
  const seconds = Math.round(millis / 1_000)
  if (Math.round(millis) < 1_000) return `${Math.round(millis)} ms`
  if (Math.round(millis / 100) < 600) return `${(millis / 1_000).toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const sizes = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const

/** An amount of bytes. */
export const byteWords = (bytes: number): string => {
  const step = bytes < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1_024 ** step
  return `${step === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${sizes[step]}`
}

/** A number with groups of three. */
export const countWords = (count: number): string => count.toLocaleString("en")
