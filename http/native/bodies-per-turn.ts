/**
 * How much of large bodies one turn of the event loop reads. Owns the count, and the connections that are not read
 * until a later turn, in the order in which they were read; holds no bytes. The library reads up to 512 KiB of every
 * connection in a row: without this bound a few hundred senders would delay all callers.
 */
import { bodiesReadAgainPerTurn, bodyBytesPerTurnMax, heavyPieceBytesMin } from "../../src/limits/edge.ts"
import type { Pausable } from "./paused-connections.ts"

/** The turns of the bodies of a server. */
export class BodiesPerTurn<One extends Pausable> {
  readonly #later: (turn: () => void) => unknown
  /** They are read, and have brought a large piece; who brought one last stands last. */
  readonly #read = new Set<One>()
  /** They are not read; the next to be read stands first. */
  readonly #held = new Set<One>()
  #bytes = 0
  #isArmed = false

  /** `later`: calls in the next turn. */
  constructor(later: (turn: () => void) => unknown = setImmediate) {
    this.#later = later
  }

  /** The number of connections that are not read. */
  get size(): number {
    return this.#held.size
  }

  /** Counts a piece of a body. At the bound no connection that brought large ones is read in this turn any more. */
  take(one: One, bytes: number): void {
    if (bytes < heavyPieceBytesMin) return
    this.#bytes += bytes
    this.#arm()
    if (!this.#held.has(one)) {
      this.#read.delete(one)
      this.#read.add(one)
    }
    if (this.#bytes < bodyBytesPerTurnMax) return
    for (const each of this.#read) {
      this.#held.add(each)
      each.pause()
    }
    this.#read.clear()
  }

  /** The body has ended, or no more of it is wanted: its connection is read as before. */
  end(one: One): void {
    this.#read.delete(one)
    if (this.#held.delete(one)) one.resume()
  }

  /** Removes a connection that has closed. */
  forget(one: One): void {
    this.#read.delete(one)
    this.#held.delete(one)
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#later(() => this.#turn())
  }

  #turn(): void {
    this.#isArmed = false
    this.#bytes = 0
    let left = bodiesReadAgainPerTurn
    for (const one of this.#held) {
      if (left-- === 0) break
      this.#held.delete(one)
      this.#read.add(one)
      one.resume()
    }
    if (this.#held.size > 0) this.#arm()
  }
}
