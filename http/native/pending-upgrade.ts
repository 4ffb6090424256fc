/**
 * An upgrade that waits for its token to be looked up. Owns the native response meanwhile: it is answered once,
 * upgraded once, or its peer leaves; a peer that leaves gives the look-up up.
 */
import { count } from "../../src/runtime/metrics.ts"
import { type Answer, type Headers, headOf } from "../pipeline/response.ts"
import { statusLine } from "./status-lines.ts"

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
  #inside = true
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

  /** Its own callback ends here. */
  leaves(): void {
    this.#inside = false
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
   * Goes on with it, unless its peer left: within its own callback, or in a turn of its own, as within the callback of
   * another request the library would take that one's connection for the upgraded one. Never in a cork: where the
   * upgraded socket keeps its place in memory, the cork reads it as a response at its end, and may close it.
   */
  accept(upgrade: () => void, left: () => void): void {
    const goOn = (): void => {
      if (this.#over) return left()
      this.#over = true
      upgrade()
    }
    if (this.#inside) goOn()
    else setImmediate(goOn)
  }
}
