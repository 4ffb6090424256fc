/**
 * How many new connections a second a node takes. Owns the bucket, and the line of those who are put off: each is told
 * a time of its own, the later the longer the line, so that a crowd comes back spread. Pure; is told the time.
 */
import { intakeAwayMillisMax, intakeBurstShare, intakeFirstMillis } from "../../src/limits/drain.ts"

/** Those who are put off: so many of them a second come back, none before `firstMillis` nor after `lastMillis`. */
export class RetrySchedule {
  readonly #stepMillis: number
  readonly #firstMillis: number
  readonly #lastMillis: number
  /** The place in time of the last one. */
  #place = 0

  constructor(perSecond: number, firstMillis: number, lastMillis: number) {
    this.#stepMillis = 1_000 / perSecond
    this.#firstMillis = firstMillis
    this.#lastMillis = lastMillis
  }

  /** Puts one more off at this time: after how many milliseconds to come back. */
  next(now: number): number {
    const place = Math.max(this.#place, now + this.#firstMillis) + this.#stepMillis
    this.#place = Math.min(now + this.#lastMillis, place)
    return Math.ceil(this.#place - now)
  }
}

/** The intake of one node. */
export class ConnectThrottle {
  readonly #perMilli: number
  readonly #burst: number
  readonly #line: RetrySchedule
  #tokens: number
  #at: number

  constructor(perSecond: number, now: number) {
    this.#perMilli = perSecond / 1_000
    this.#burst = Math.max(1, perSecond * intakeBurstShare)
    this.#line = new RetrySchedule(perSecond, intakeFirstMillis, intakeAwayMillisMax)
    this.#tokens = this.#burst
    this.#at = now
  }

  /** Takes one more at this time: undefined. One too many is told after how many milliseconds to come back. */
  take(now: number): number | undefined {
    const passed = Math.max(0, now - this.#at)
    this.#tokens = Math.min(this.#burst, this.#tokens + passed * this.#perMilli)
    this.#at = now
    if (this.#tokens >= 1) {
      this.#tokens--
      return undefined
    }
    return this.#line.next(now)
  }
}
