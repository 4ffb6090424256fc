/**
 * Connections that are not read while a request of theirs waits. Owns the list, bounded by the requests under way, and
 * the looks: a connection that is not read does not tell that its peer left, so from time to time it is read for one
 * turn of the event loop. Knows no request.
 */
import { afterTick } from "./tick-flush.ts"

/** A connection that waits. */
export interface Pausable {
  readonly pause: () => void
  readonly resume: () => void
}

/** The list. */
export class PausedConnections<One extends Pausable> {
  /** Each with whether it was there at the last look. */
  readonly #all = new Map<One, boolean>()

  /** How many there are. */
  get size(): number {
    return this.#all.size
  }

  /** Is not read from now on. */
  add(one: One): void {
    this.#all.set(one, false)
    one.pause()
  }

  /** Is read again; nothing when it was. */
  remove(one: One): void {
    if (this.#all.delete(one)) one.resume()
  }

  /** Is gone. */
  forget(one: One): void {
    this.#all.delete(one)
  }

  /** Reads those that were there at the look before too; who came since may have sent more, which would end it. */
  look(): void {
    for (const [one, wasSeen] of this.#all) {
      if (!wasSeen) {
        this.#all.set(one, true)
        continue
      }
      one.resume()
      afterTick(() => {
        if (this.#all.has(one)) one.pause()
      })
    }
  }
}
