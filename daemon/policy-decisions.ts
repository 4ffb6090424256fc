/**
 * What was decided by policies, gathered until it is told: an agent may ask many times in a second, and other events
 * must not wait behind that. Owns the counts; sends nothing itself.
 */
import type { Clock } from "./clock.ts"
import { decisionGatherMillis, decisionsGatheredMax, decisionsToldMax } from "./limits.ts"
import type { EventBody } from "./wire.ts"

/** The decisions of one daemon that are not told yet. */
export class PolicyDecisions {
  readonly #clock: Clock
  readonly #tell: (event: EventBody) => void
  readonly #gathered = new Map<string, EventBody & { count: number }>()
  #cancel: (() => void) | undefined

  constructor(clock: Clock, tell: (event: EventBody) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** One more. Of those that differ in nothing but their question the last is told, with their number. */
  add(event: EventBody): void {
    const { targetSessionId, rule, decision } = event
    const key = JSON.stringify([targetSessionId, rule, decision])
    const known = this.#gathered.get(key)
    if (known !== undefined || this.#gathered.size < decisionsGatheredMax)
      this.#gathered.set(key, { ...event, count: (known?.count ?? 0) + 1 })
    this.#cancel ??= this.#clock.after(decisionGatherMillis, () => this.#due())
  }

  #due(): void {
    this.#cancel = undefined
    for (const [key, event] of [...this.#gathered].slice(0, decisionsToldMax)) {
      this.#gathered.delete(key)
      this.#tell(event)
    }
    if (this.#gathered.size > 0) this.#cancel = this.#clock.after(decisionGatherMillis, () => this.#due())
  }

  /** The daemon ends: what is gathered is told now. */
  stop(): void {
    this.#cancel?.()
    for (const event of this.#gathered.values()) this.#tell(event)
  }
}
