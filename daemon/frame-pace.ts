/** The hub's limit on frames, kept on the daemon's side. Owns the count of the last 10 s; sends nothing. */
import { paceShare } from "./limits.ts"

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
