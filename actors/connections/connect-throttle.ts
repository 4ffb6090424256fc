/**
 * The number of new connections per second that a node takes. Owns the token bucket, and the schedule of retries: each
 * refused connection gets a time of its own, later the more there are, so that a crowd comes back spread. Pure; is told
 * the time.
 */
import { connectBurstShare, connectRetryMillisMax, connectRetryMillisMin } from "../../src/limits/drain.ts"

/** When refused connections come back: so many per second, none before `minMillis` nor after `maxMillis`. */
export class RetrySchedule {
  readonly #stepMillis: number
  readonly #minMillis: number
  readonly #maxMillis: number
  /** When the last of them comes back. */
  #lastAt = 0

  constructor(perSecond: number, minMillis: number, maxMillis: number) {
    this.#stepMillis = 1_000 / perSecond
    this.#minMillis = minMillis
    this.#maxMillis = maxMillis
  }

  /** Refuses one more at this time. Returns after how many milliseconds to come back. */
  next(now: number): number {
    const at = Math.max(this.#lastAt, now + this.#minMillis) + this.#stepMillis
    this.#lastAt = Math.min(now + this.#maxMillis, at)
    return Math.ceil(this.#lastAt - now)
  }
}

/** The connect throttle of one node. */
export class ConnectThrottle {
  readonly #perMilli: number
  readonly #burst: number
  readonly #retries: RetrySchedule
  #tokens: number
  #at: number

  constructor(perSecond: number, now: number) {
    this.#perMilli = perSecond / 1_000
    this.#burst = Math.max(1, perSecond * connectBurstShare)
    this.#retries = new RetrySchedule(perSecond, connectRetryMillisMin, connectRetryMillisMax)
    this.#tokens = this.#burst
    this.#at = now
  }

  /** Takes one more at this time: undefined. For one too many, after how many milliseconds to come back. */
  take(now: number): number | undefined {
    const passed = Math.max(0, now - this.#at)
    this.#tokens = Math.min(this.#burst, this.#tokens + passed * this.#perMilli)
    this.#at = now
    if (this.#tokens >= 1) {
      this.#tokens--
      return undefined
    }
    return this.#retries.next(now)
  }
}
