/**
 * The pace of a job: a bucket that fills with the job's rate. Owns this rule; reads no clock. The bucket begins with
 * one command and holds little more, so that no minute has more than its rate and a twentieth.
 */
import { jobBurstMillis } from "../../limits/jobs.ts"

/** What is left to send at a time. */
export interface Pace {
  /** Commands per millisecond; undefined: any number. */
  readonly rate: number | undefined
  readonly most: number
  readonly tokens: number
  readonly at: number
}

const minuteMillis = 60_000
/** Sums of fractions fall short of a whole one by less. */
const rounding = 1e-6

/** The pace of a job that begins, or goes on under another node. */
export const startPace = (perMinute: number | undefined, now: number): Pace => {
  const rate = perMinute === undefined ? undefined : perMinute / minuteMillis
  return { rate, most: 1 + (rate ?? 0) * jobBurstMillis, tokens: 1, at: now }
}

/** The pace at a time. */
const paceAt = (pace: Pace, now: number): Pace =>
  pace.rate === undefined || now <= pace.at
    ? pace
    : { ...pace, tokens: Math.min(pace.most, pace.tokens + (now - pace.at) * pace.rate), at: now }

/** How many may be sent at a time. */
export const allowed = (pace: Pace, now: number): number =>
  pace.rate === undefined ? Number.POSITIVE_INFINITY : Math.floor(paceAt(pace, now).tokens + rounding)

/** The pace after so many were sent; a negative number gives back what was not sent after all. */
export const spend = (pace: Pace, sent: number, now: number): Pace => {
  const then = paceAt(pace, now)
  return { ...then, tokens: Math.min(then.most, then.tokens - sent) }
}

/** How long until one may be sent. */
export const untilNext = (pace: Pace, now: number): number =>
  pace.rate === undefined ? 0 : Math.max(0, (1 - rounding - paceAt(pace, now).tokens) / pace.rate)
