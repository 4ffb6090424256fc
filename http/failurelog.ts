/**
 * The log of failures that may come with every request, as while the store is away. Owns which of them are written: the first of a
 * kind at once, then the last of each while, with how many were held back. Writes nothing itself.
 */
import { failureKindsMax, failureLogMillis } from "../src/limits/edge.ts"

interface Held<A> {
  last: A | undefined
  count: number
}

const furtherKinds = ""

/** Failures, written seldom. `after` calls back after so many milliseconds. */
export class FailureLog<A> {
  readonly #kinds = new Map<string, Held<A>>()
  readonly #after: (millis: number, then: () => void) => unknown
  readonly #write: (failure: A, heldBack: number) => void

  constructor(after: (millis: number, then: () => void) => unknown, write: (failure: A, heldBack: number) => void) {
    this.#after = after
    this.#write = write
  }

  /** A failure of this kind. */
  add(kind: string, failure: A): void {
    const known = this.#kinds.has(kind) || this.#kinds.size < failureKindsMax ? kind : furtherKinds
    const held = this.#kinds.get(known)
    if (held === undefined) {
      this.#write(failure, 0)
      return this.#hold(known)
    }
    held.last = failure
    held.count++
  }

  /** Writes what is held back. */
  end(): void {
    for (const held of this.#kinds.values()) this.#release(held)
    this.#kinds.clear()
  }

  #hold(kind: string): void {
    const held: Held<A> = { last: undefined, count: 0 }
    this.#after(failureLogMillis, () => {
      this.#kinds.delete(kind)
      if (held.last === undefined) return
      this.#release(held)
      this.#hold(kind)
    })
    this.#kinds.set(kind, held)
  }

  #release(held: Held<A>): void {
    const { last, count } = held
    held.last = undefined
    if (last !== undefined) this.#write(last, count - 1)
  }
}
