/**
 * An upgrade that waits for its token to be looked up. Owns the native response meanwhile: it is answered once,
 * upgraded once, or its peer leaves; a peer that leaves gives the look-up up.
 */
import { count } from "../../src/runtime/metrics.ts"
import { type Answer, type Headers, headOf } from "../pipeline/response.ts"
import { statusLine } from "./status-lines.ts"

/** The part of a native response that it needs. */
export interface UpgradeResponse {
  readonly onAborted: (handler: () => void) => unknown
  readonly cork: (write: () => void) => unknown
  readonly writeStatus: (status: string) => unknown
  readonly writeHeader: (name: string, value: string) => unknown
  readonly end: (body: string, close: boolean) => unknown
}

/** One of them. */
export class PendingUpgrade {
  readonly #res: UpgradeResponse
  readonly #requestId: string
  #isOver = false
  #isInCallback = true
  #cancel = (): void => {}

  constructor(res: UpgradeResponse, requestId: string) {
    this.#res = res
    this.#requestId = requestId
    res.onAborted(() => {
      if (this.#isOver) return
      this.#isOver = true
      count("hub_requests_aborted_total")
      this.#cancel()
    })
  }

  /** What to give up should the peer leave. */
  onAbort(cancel: () => void): void {
    this.#cancel = cancel
  }

  /** Its own callback ends here. */
  callbackEnded(): void {
    this.#isInCallback = false
  }

  /** Refuses it with a problem; the connection closes. */
  refuse(answer: Answer, always: Headers): void {
    if (this.#isOver) return
    this.#isOver = true
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
  accept(upgrade: () => void, abandoned: () => void): void {
    const proceed = (): void => {
      if (this.#isOver) return abandoned()
      this.#isOver = true
      upgrade()
    }
    if (this.#isInCallback) proceed()
    else setImmediate(proceed)
  }
}
