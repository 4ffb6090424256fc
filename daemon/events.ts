/**
 * Events that the hub has not acknowledged. Owns their ids, their order, how many are kept, and which were sent on the
 * present connection; sends nothing itself.
 */
import { randomUUID } from "node:crypto"
import { eventsMax } from "./limits.ts"
import type { EventBody } from "./wire.ts"

/** An event with its id. */
export type IdentifiedEvent = EventBody & { readonly id: string }

/** Events that wait for their acknowledgement, oldest first. */
export class Events {
  readonly #waiting = new Map<string, IdentifiedEvent>()
  readonly #sent = new Set<string>()

  /** Keeps an event until it is acknowledged. */
  add(event: EventBody): void {
    const id = `evt_${randomUUID()}`
    this.#waiting.set(id, { ...event, id })
    if (this.#waiting.size > eventsMax) this.acknowledged([this.#waiting.keys().next().value!])
  }

  /** The oldest that has not gone out on this connection. */
  next(): IdentifiedEvent | undefined {
    for (const [id, event] of this.#waiting) if (!this.#sent.has(id)) return event
    return undefined
  }

  /** It went out. */
  sent(id: string): void {
    this.#sent.add(id)
  }

  /** The hub has them. */
  acknowledged(ids: ReadonlyArray<string>): void {
    for (const id of ids) {
      this.#waiting.delete(id)
      this.#sent.delete(id)
    }
  }

  /** A new connection: everything still waiting goes out again. */
  again(): void {
    this.#sent.clear()
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size
  }
}
