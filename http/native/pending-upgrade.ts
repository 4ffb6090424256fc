/**
 * An upgrade that waits for the look-up of its token. Owns the native response meanwhile: it is refused once or
 * upgraded once, unless the peer disconnects, which cancels the look-up.
 */
import { count } from "../../src/runtime/metrics.ts"
import type { Answer, Head } from "../pipeline/response.ts"
import { countAnswer, statusLine } from "./status-lines.ts"

/** The part of a native response that a pending upgrade uses. */
export interface UpgradeResponse {
  readonly onAborted: (handler: () => void) => unknown
  readonly cork: (write: () => void) => unknown
  readonly writeStatus: (status: string) => unknown
  readonly writeHeader: (name: string, value: string) => unknown
  readonly end: (body: string, close: boolean) => unknown
}

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

  /** Registers what a disconnect cancels. */
  onAbort(cancel: () => void): void {
    this.#cancel = cancel
  }

  /** The request's own callback has ended. */
  callbackEnded(): void {
    this.#isInCallback = false
  }

  /** Refuses the upgrade and closes the connection. */
  refuse(answer: Answer, common: Head): void {
    if (this.#isOver) return
    this.#isOver = true
    countAnswer(answer.status)
    const res = this.#res
    res.cork(() => {
      res.writeStatus(statusLine(answer.status))
      res.writeHeader("x-request-id", this.#requestId + common.text + answer.head.text)
      res.end(String(answer.body ?? ""), true)
    })
  }

  /**
   * Upgrades, unless the peer has disconnected: within the request's own callback, or in a turn of its own, because
   * inside another request's callback the library would confuse the two connections. Never in a cork: the upgraded
   * socket may keep its address in memory, and the cork's end would treat it as a response and may close it.
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
