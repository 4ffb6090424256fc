/**
 * Reads points in time from flags: a date, a time, or a span from now or until now. Owns their forms and the sentences
 * that refuse one.
 */
import { ArgumentError } from "./arguments.ts"

const spans: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/u

/** A day that does not exist (31 February) is read by Date as one in the next month: the text must come back. */
const existingDay = (text: string): boolean => {
  const [year, month, day] = text.slice(0, 10).split("-").map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

const read = (flag: string, text: string, ofSpan: (span: number) => number): number => {
  const span = /^(\d{1,5})([mhdw])$/u.exec(text)
  const at = span !== null ? ofSpan(Number(span[1]) * spans[span[2]!]!) : Date.parse(text)
  if (span === null && (!iso.test(text) || Number.isNaN(at) || !existingDay(text)))
    throw new ArgumentError(`--${flag} is not a date: ${text} (write 2030-01-31, 2030-01-31T12:00:00Z or 90d)`)
  return at
}

/** Epoch milliseconds of a time to come; `90d`: in 90 days. */
export const readTimeToCome = (flag: string, text: string, now: number): number => {
  const at = read(flag, text, (span) => now + span)
  if (at <= now) throw new ArgumentError(`--${flag} lies in the past: ${text}`)
  return at
}

/** Epoch milliseconds of a time that is over; `90d`: 90 days ago. */
export const readTimePast = (flag: string, text: string, now: number): number => {
  const at = read(flag, text, (span) => now - span)
  if (at > now) throw new ArgumentError(`--${flag} lies in the future: ${text}`)
  return at
}
