/**
 * An upgrade that waits for its token to be looked up. Owns the native response meanwhile: it is answered once, upgraded
 * once, or its peer leaves; a peer that leaves gives the look-up up.
 */
import { count } from "../src/telemetry.ts"
import { type Answer, type Headers, headOf } from "./answer.ts"
import { statusLine } from "./statuses.ts"

/** The part of a native response that it needs. */
export interface Waiting {
  readonly onAborted: (handler: () => void) => unknown
  readonly cork: (write: () => void) => unknown
  readonly writeStatus: (status: string) => unknown
  readonly writeHeader: (name: string, value: string) => unknown
  readonly end: (body: string, close: boolean) => unknown
}

/** One of them. */
export class Upgrading {
  readonly #res: Waiting
  readonly #requestId: string
  #over = false
  #giveUp = (): void => {}

  constructor(res: Waiting, requestId: string) {
    this.#res = res
    this.#requestId = requestId
    res.onAborted(() => {
      if (this.#over) return
      this.#over = true
      count("hub_requests_aborted_total")
      this.#giveUp()
    })
  }

  /** What to give up should the peer leave. */
  waitsFor(giveUp: () => void): void {
    this.#giveUp = giveUp
  }

  /** Refuses it with a problem; the connection closes. */
  refuse(answer: Answer, always: Headers): void {
    if (this.#over) return
    this.#over = true
    count("hub_requests_total", String(answer.status))
    const res = this.#res
    res.cork(() => {
      res.writeStatus(statusLine(answer.status))
      res.writeHeader("x-request-id", this.#requestId + headOf(always) + answer.head)
      res.end(String(answer.body ?? ""), true)
    })
  }

  /**
   * Goes on with it, unless its peer left. In a turn of its own: within the callback of another request the library would take
   * that one's connection for the upgraded one.
   */
  accept(upgrade: () => void, left: () => void): void {
    setImmediate(() => {
      if (this.#over) return left()
      this.#over = true
      this.#res.cork(upgrade)
    })
  }
}
