/**
 * The hub's limit on frames, kept on the daemon's side. Owns the count of the last 10 s, and the part of it that the
 * frames of logs may take; sends nothing.
 */
import { logBurstShare, logFrameUnitBytes, logPaceShare, paceShare } from "./limits.ts"

const spanMillis = 10_000

/** Keeps what we send below our share of the hub's limit in every 10 s. */
export class Pace {
  readonly #most: number
  readonly #times: Array<number> = []

  constructor(framesPer10s: number) {
    this.#most = Math.max(1, Math.floor(framesPer10s * paceShare))
  }

  /** Takes a place; false when none is free. */
  take(now: number): boolean {
    while (this.#times.length > 0 && this.#times[0]! <= now - spanMillis) this.#times.shift()
    if (this.#times.length >= this.#most) return false
    this.#times.push(now)
    return true
  }

  /** Whether more than half of the places are free: for what would be nice to send now, and can wait. */
  spare(now: number): boolean {
    return this.#times.filter((time) => time > now - spanMillis).length < this.#most / 2
  }

  /** How long until a place is free. */
  wait(now: number): number {
    return this.#times.length < this.#most ? 0 : Math.max(1, this.#times[0]! + spanMillis - now)
  }
}

/**
 * The part of the pace that is for logs: some frames at once after a quiet time, then evenly spread, so that what an
 * agent says arrives steadily and not in bursts. A large frame counts as several.
 */
export class LogPace {
  readonly #pace: Pace
  readonly #burst: number
  readonly #perMilli: number
  #tokens: number
  #at: number

  constructor(pace: Pace, framesPer10s: number, now: number) {
    this.#pace = pace
    this.#burst = Math.max(1, framesPer10s * logBurstShare)
    this.#perMilli = (framesPer10s * logPaceShare) / spanMillis
    this.#tokens = this.#burst
    this.#at = now
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMilli)
    this.#at = now
  }

  /** Whether a frame of a log may go out now. */
  isFree(now: number): boolean {
    return this.wait(now) === 0
  }

  /** A frame of a log goes out. */
  take(now: number, bytes: number): void {
    this.#refill(now)
    this.#tokens -= Math.ceil(bytes / logFrameUnitBytes)
    this.#pace.take(now)
  }

  /** Takes a place for what the hub asked for, which waits for no other frame of a log; false when none is free. */
  takeAnswer(now: number): boolean {
    return this.#pace.take(now)
  }

  /** How long until a place may be free. */
  wait(now: number): number {
    this.#refill(now)
    const millis = this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#perMilli)
    return Math.max(millis, this.#pace.wait(now))
  }
}
