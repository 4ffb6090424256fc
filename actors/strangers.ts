/**
 * Sockets that have not authenticated. Owns how many there may be, in all and from one address: whatever one stranger
 * opens and leaves silent, others still get in. Closes nothing.
 */
import { unauthenticatedPerAddressMax, unauthenticatedSocketsMax } from "../src/limits.ts"

/** The strangers of a node. `One` is compared by identity. */
export class Strangers<One> {
  readonly #addresses = new Map<One, string>()
  readonly #counts = new Map<string, number>()

  /** How many there are. */
  get size(): number {
    return this.#addresses.size
  }

  /** All of them. */
  all(): ReadonlyArray<One> {
    return [...this.#addresses.keys()]
  }

  /** Whether one more from this address may come. */
  admits(address: string): boolean {
    return this.size < unauthenticatedSocketsMax && (this.#counts.get(address) ?? 0) < unauthenticatedPerAddressMax
  }

  add(one: One, address: string): void {
    if (this.#addresses.has(one)) return
    this.#addresses.set(one, address)
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1)
  }

  /** Known or gone; again: nothing. */
  delete(one: One): void {
    const address = this.#addresses.get(one)
    if (address === undefined) return
    this.#addresses.delete(one)
    const left = (this.#counts.get(address) ?? 1) - 1
    if (left === 0) this.#counts.delete(address)
    else this.#counts.set(address, left)
  }
}
