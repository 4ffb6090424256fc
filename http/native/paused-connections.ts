/**
 * Connections that are paused while a request of theirs waits. Owns the list, which the number of waiting requests
 * bounds, and the checks: a paused connection reports no disconnect, so from time to time it is read for one turn of
 * the event loop. Knows no request.
 */
import { afterTick } from "./tick-flush.ts"

/** A connection that can be paused. */
export interface Pausable {
  readonly pause: () => void
  readonly resume: () => void
}

/** The paused connections of a server. */
export class PausedConnections<One extends Pausable> {
  /** Each with whether the last look saw it. */
  readonly #all = new Map<One, boolean>()

  /** The number of paused connections. */
  get size(): number {
    return this.#all.size
  }

  /** Pauses a connection. */
  add(one: One): void {
    this.#all.set(one, false)
    one.pause()
  }

  /** Resumes a connection; nothing when it is not paused. */
  remove(one: One): void {
    if (this.#all.delete(one)) one.resume()
  }

  /** Removes a connection that has closed. */
  forget(one: One): void {
    this.#all.delete(one)
  }

  /** Reads the connections that the last look saw too; a newer one may still have bytes to read, which would end it. */
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
