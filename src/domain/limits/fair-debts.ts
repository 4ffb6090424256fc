/**
 * What many owners have cost and is not worked off yet, shared fairly: it is worked off in turns (deficit round robin),
 * and an owner may owe no more than is left free (dynamic thresholds, as switches share a buffer), but one turn's worth
 * whatever the others owe. Owns that arithmetic; knows no clock.
 */

/** Debts of all owners together. */
export class FairDebts {
  /** Of each owner; whose turn is next stands first. */
  private readonly owed = new Map<string, number>()
  private sum = 0
  private at: number
  private readonly perMilli: number
  private readonly max: number
  private readonly turn: number
  private readonly now: () => number

  /**
   * Of `perSecond` worked off in a second, `turn` of an owner at a time, and `max` owed by all at most, the first turns
   * of the last apart. `now`: milliseconds of a clock that is never set. The amounts are integers.
   */
  constructor(perSecond: number, max: number, turn: number, now: () => number) {
    this.perMilli = perSecond / 1_000
    this.max = max
    this.turn = turn
    this.now = now
    this.at = now()
  }

  /** Whether an owner may owe so much more, and leave this part of what it may. Takes nothing. */
  has(owner: string, amount: number, reserve = 0): boolean {
    if (this.fits(owner, amount, reserve)) return true
    this.workOff()
    return this.fits(owner, amount, reserve)
  }

  /** Has the owner owe so much more where it may; false, and nothing is taken, where not. */
  take(owner: string, amount: number, reserve = 0): boolean {
    if (!this.has(owner, amount, reserve)) return false
    this.owe(owner, amount)
    return true
  }

  /**
   * Has it owe what was used in any case, `max` at most: more than it may, so that what was used is not forgotten, and
   * less is left free until it is worked off.
   */
  owe(owner: string, amount: number): void {
    if (amount === 0) return
    this.workOff()
    const owed = this.owed.get(owner) ?? 0
    const more = Math.min(amount, this.max - owed)
    if (more <= 0) return
    this.owed.set(owner, owed + more)
    this.sum += more
  }

  /** Milliseconds after which it is worth another look whether an owner may owe more; 0: it may. */
  wait(owner: string, reserve = 0): number {
    if (this.has(owner, 0, reserve)) return 0
    const beyond = (this.owed.get(owner) ?? 0) - this.mayOwe(reserve)
    // what it owes falls in its turns, and what is free grows meanwhile
    return Math.ceil(beyond / (this.perMilli * (1 + 1 / this.owed.size)))
  }

  /** What all owe. */
  get all(): number {
    this.workOff()
    return this.sum
  }

  private fits(owner: string, amount: number, reserve: number): boolean {
    return (this.owed.get(owner) ?? 0) + amount <= this.mayOwe(reserve)
  }

  private mayOwe(reserve: number): number {
    return Math.max(this.turn, this.max - this.sum) * (1 - reserve)
  }

  private workOff(): void {
    const now = this.now()
    let left = Math.floor((now - this.at) * this.perMilli)
    // little by little would turn to another owner for next to nothing
    if (this.sum > 0 && left < Math.min(this.turn, this.sum)) return
    this.at = now
    // what is put back stands last and is met again
    for (const [owner, owed] of this.owed) {
      if (left === 0) return
      const off = Math.min(this.turn, owed, left)
      left -= off
      this.sum -= off
      this.owed.delete(owner)
      if (off < owed) this.owed.set(owner, owed - off)
    }
  }
}
