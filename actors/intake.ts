/**
 * How many new connections a second a node takes. Owns the bucket, and the line of those it put off: each is told a time of its
 * own, the later the longer the line, so that a crowd comes back spread. Pure; is told the time.
 */
import { intakeAwayMillisMax, intakeBurstShare, intakeFirstMillis } from "../src/limits/drain.ts"

/** The intake of one node. */
export class Intake {
  readonly #perMilli: number
  readonly #burst: number
  #tokens: number
  #at: number
  /** The place in time of the last one who was put off. */
  #lastPlace = 0

  constructor(perSecond: number, now: number) {
    this.#perMilli = perSecond / 1_000
    this.#burst = Math.max(1, perSecond * intakeBurstShare)
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
    const last = now + intakeAwayMillisMax
    this.#lastPlace = Math.min(last, Math.max(this.#lastPlace, now + intakeFirstMillis) + 1 / this.#perMilli)
    return Math.ceil(this.#lastPlace - now)
  }
}
