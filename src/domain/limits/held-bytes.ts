/**
 * Counts bytes held in memory, bounded in total and per owner. An owner has no more than a part of what it leaves free
 * (dynamic thresholds), so that no few of them leave nothing for others. Owns the counts; holds no byte itself.
 */

import { shareOfFree } from "../../limits/edge.ts"

/** An owner is an account, or an address where the account is not known. */
export class HeldBytes {
  readonly #allMax: number
  readonly #eachMax: number
  readonly #byOwner = new Map<string, number>()
  #total = 0

  constructor(allMax: number, eachMax: number) {
    this.#allMax = allMax
    this.#eachMax = eachMax
  }

  /** The total number of held bytes. */
  get size(): number {
    return this.#total
  }

  /** Adds bytes. False, and nothing is added, when a bound would be exceeded. `left`: not to be taken by this owner. */
  take(owner: string, bytes: number, left = 0): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes
    const free = this.#allMax - left - this.#total - bytes
    if (own > this.#eachMax || own > free * shareOfFree) return false
    this.#byOwner.set(owner, own)
    this.#total += bytes
    return true
  }

  /** Releases bytes. */
  give(owner: string, bytes: number): void {
    const left = (this.#byOwner.get(owner) ?? 0) - bytes
    if (left <= 0) this.#byOwner.delete(owner)
    else this.#byOwner.set(owner, left)
    this.#total -= bytes
  }
}
