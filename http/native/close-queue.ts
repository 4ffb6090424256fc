/**
 * The ends of many sockets in one tick, as when a crowd loses its connections: the first of a tick are dealt with at
 * once, the rest a share a turn of the event loop, so that others are heard in between. Owns the line of those that
 * wait, which is bounded by the sockets there are; knows no socket.
 */
import { endsInTickMax, endsPerTurnShare } from "../../src/limits/edge.ts"
import { count } from "../../src/runtime/metrics.ts"

/** A line of ends, dealt with in their order, each once. */
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

  /** One has ended. */
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
    // a share and no fixed number: however fast they come, what waits does not grow for ever
    const due = this.#waiting.splice(0, Math.max(endsInTickMax, Math.ceil(this.#waiting.length * endsPerTurnShare)))
    if (this.#waiting.length > 0) this.#schedule()
    for (const one of due) this.#close(one)
  }

  #close(one: One): void {
    try {
      this.#onClose(one)
    } catch (defect) {
      // one's defect must not leave the others behind
      count("hub_defects_total", "ends")
      this.#onDefect(defect)
    }
  }
}
