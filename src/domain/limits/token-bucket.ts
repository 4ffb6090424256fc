/** A budget that fills up with time. Owns that arithmetic; pure, knows no clock. */

/** So much a second, and so much at once. */
export class TokenBucket {
  private left: number
  private at: number
  private readonly perSecond: number
  private readonly burst: number

  constructor(perSecond: number, burst: number, now: number) {
    this.perSecond = perSecond
    this.burst = burst
    this.left = burst
    this.at = now
  }

  /** Whether there is so much. */
  has(amount: number, now: number): boolean {
    this.fill(now)
    return this.left >= amount
  }

  /** False, and nothing is taken, where there is not so much. A clock that was set back gives nothing. */
  take(amount: number, now: number): boolean {
    if (!this.has(amount, now)) return false
    this.left -= amount
    return true
  }

  /** Takes what was used already: what comes next waits for it, a burst's worth at most. */
  owe(amount: number, now: number): void {
    this.fill(now)
    this.left = Math.max(-this.burst, this.left - amount)
  }

  /** Milliseconds until nothing is owed. */
  untilPaid(now: number): number {
    this.fill(now)
    return Math.max(0, Math.ceil((-this.left * 1_000) / this.perSecond))
  }

  private fill(now: number): void {
    this.left = Math.min(this.burst, this.left + (Math.max(0, now - this.at) * this.perSecond) / 1_000)
    this.at = now
  }
}
