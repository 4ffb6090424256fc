/**
 * The requests that a node has collected and not written yet. Owns which are kept: an account has so many between two
 * writes, some of them for failures only, and the rest is counted. Reads no clock and writes nothing.
 */
import {
  loggedAccountsMax,
  loggedFailuresReserve,
  loggedPerFlushMax,
  loggedWaitingMax
} from "../../src/limits/request-log.ts"

interface Share<A> {
  readonly kept: Array<A>
  omitted: number
}

/** The requests of one account since they were taken last. */
export interface AccountBatch<A> {
  readonly accountId: string
  readonly kept: ReadonlyArray<A>
  /** Requests that are not among them; told with the last of them. */
  readonly omitted: number
}

const successesMax = loggedPerFlushMax - loggedFailuresReserve

/** The requests by account. Of more accounts than there is room for, requests are neither kept nor counted. */
export class RequestShares<A> {
  #shares = new Map<string, Share<A>>()
  #waiting = 0

  /** How many are kept. */
  get size(): number {
    return this.#waiting
  }

  /** Whether one more request of an account is to be added; otherwise it is counted. */
  admits(accountId: string, failed: boolean): boolean {
    const share = this.#shares.get(accountId)
    if (share === undefined) return this.#shares.size < loggedAccountsMax && this.#begin(accountId)
    if (share.kept.length < (failed ? loggedPerFlushMax : successesMax) && this.#waiting < loggedWaitingMax) return true
    share.omitted++
    return false
  }

  /** Adds one that was admitted. */
  add(accountId: string, request: A): void {
    this.#shares.get(accountId)!.kept.push(request)
    this.#waiting++
  }

  /** Counts requests that could not be written. */
  omit(accountId: string, number: number): void {
    const share = this.#shares.get(accountId)
    if (share !== undefined) share.omitted += number
    else if (this.#shares.size < loggedAccountsMax) this.#shares.set(accountId, { kept: [], omitted: number })
  }

  /** Takes all that is kept. A count waits for the next request of its account. */
  take(): ReadonlyArray<AccountBatch<A>> {
    const taken: Array<AccountBatch<A>> = []
    const left = new Map<string, Share<A>>()
    for (const [accountId, share] of this.#shares) {
      if (share.kept.length > 0) taken.push({ accountId, ...share })
      else if (share.omitted > 0) left.set(accountId, share)
    }
    this.#shares = left
    this.#waiting = 0
    return taken
  }

  #begin(accountId: string): boolean {
    const isFull = this.#waiting >= loggedWaitingMax
    this.#shares.set(accountId, { kept: [], omitted: isFull ? 1 : 0 })
    return !isFull
  }
}
