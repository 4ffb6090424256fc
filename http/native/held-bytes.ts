/**
 * Bytes that are held for whoever sends or asks, bounded in all and by owner. Owns the counts; holds no byte itself.
 */

/** A share for each owner (an account, or an address where the account is not known) of what all may hold. */
export class HeldBytes {
  readonly #allMax: number
  readonly #eachMax: number
  readonly #byOwner = new Map<string, number>()
  #total = 0

  constructor(allMax: number, eachMax: number) {
    this.#allMax = allMax
    this.#eachMax = eachMax
  }

  /** How many are held. */
  get size(): number {
    return this.#total
  }

  /** Holds so many more. False, and nothing is held, when that would be too many. */
  take(owner: string, bytes: number): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes
    if (own > this.#eachMax || this.#total + bytes > this.#allMax) return false
    this.#byOwner.set(owner, own)
    this.#total += bytes
    return true
  }

  /** Lets go of so many. */
  give(owner: string, bytes: number): void {
    const left = (this.#byOwner.get(owner) ?? 0) - bytes
    if (left <= 0) this.#byOwner.delete(owner)
    else this.#byOwner.set(owner, left)
    this.#total -= bytes
  }
}
