/**
 * Handles the closes of many sockets in one tick, as when thousands of connections are lost: the first of a tick at
 * once, the rest in slices, one per turn of the event loop, so that other work runs in between. Owns the queue, which
 * the number of sockets bounds; knows no socket.
 */
import { endsInTickMax, endsPerTurnShare } from "../../src/limits/edge.ts"
import { count } from "../../src/runtime/metrics.ts"

/** Handles each close once, in order. */
export class CloseQueue<One> {
  readonly #onClose: (one: One) => void
  readonly #onDefect: (defect: unknown) => void
  #waiting: Array<One> = []
  #inTick = 0
  #isScheduled = false

  /** `failed` is told of each defect of `dealWith`. */
  constructor(dealWith: (one: One) => void, failed: (defect: unknown) => void) {
    this.#onClose = dealWith
    this.#onDefect = failed
  }

  /** Adds a close. */
  add(one: One): void {
    this.#schedule()
    if (this.#waiting.length > 0 || ++this.#inTick > endsInTickMax) this.#waiting.push(one)
    else this.#close(one)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isScheduled = false
    this.#inTick = 0
    // a share, not a fixed number: the queue cannot grow without end, however fast closes arrive
    const due = this.#waiting.splice(0, Math.max(endsInTickMax, Math.ceil(this.#waiting.length * endsPerTurnShare)))
    if (this.#waiting.length > 0) this.#schedule()
    for (const one of due) this.#close(one)
  }

  #close(one: One): void {
    try {
      this.#onClose(one)
    } catch (defect) {
      // a defect of one must not lose the others
      count("hub_defects_total", "ends")
      this.#onDefect(defect)
    }
  }
}
