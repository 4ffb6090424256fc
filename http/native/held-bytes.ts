/**
 * Bytes that are held for whoever sends or asks, bounded in all and by owner. Owns the counts; holds no byte itself.
 */

/** A share for each owner (an account, or an address where the account is not known) of what all may hold. */
export class HeldBytes {
  readonly #allMax: number
  readonly #eachMax: number
  readonly #of = new Map<string, number>()
  #all = 0

  constructor(allMax: number, eachMax: number) {
    this.#allMax = allMax
    this.#eachMax = eachMax
  }

  /** How many are held. */
  get size(): number {
    return this.#all
  }

  /** Holds so many more. False, and nothing is held, when that would be too many. */
  take(owner: string, bytes: number): boolean {
    const own = (this.#of.get(owner) ?? 0) + bytes
    if (own > this.#eachMax || this.#all + bytes > this.#allMax) return false
    this.#of.set(owner, own)
    this.#all += bytes
    return true
  }

  /** Lets go of so many. */
  give(owner: string, bytes: number): void {
    const left = (this.#of.get(owner) ?? 0) - bytes
    if (left <= 0) this.#of.delete(owner)
    else this.#of.set(owner, left)
    this.#all -= bytes
  }
}
