/**
 * The number of requests that one turn of the event loop handles. Owns the count and the queue of postponed requests;
 * knows no request. The library hands over all requests of one read without a pause, and the reads of all connections
 * one after another: without this bound one connection, or one address with many, would delay all others.
 */
import { bytesPerRequest, postponedPerTurnMax, requestsBeforeLook, requestsPerTurnMax } from "../../src/limits/edge.ts"
import { count } from "../../src/runtime/metrics.ts"

/** Handles a postponed request. False: the request is over already. */
export type Postponed = () => boolean

/** Linked, so that what was handled is not kept: of an address with many connections there may always be one more. */
interface One {
  readonly work: Postponed
  behind: One | undefined
}

interface Own {
  first: One
  last: One
}

let handled = 0
let armed = false
/** By address, the next to be served first. The number of connections bounds it: of each one request may wait. */
const line = new Map<string, Own>()

const arm = (): void => {
  if (armed) return
  armed = true
  setImmediate(turn)
}

/** Takes the next request of the first address, and moves that address behind the others. */
const next = (): Postponed | undefined => {
  for (const [address, own] of line) {
    line.delete(address)
    const { work, behind } = own.first
    if (behind !== undefined) {
      own.first = behind
      line.set(address, own)
    }
    return work
  }
  return undefined
}

const turn = (): void => {
  armed = false
  handled = 0
  // what the postponed ones answer is counted meanwhile, and leaves new ones their share
  for (let done = 0; done + handled < postponedPerTurnMax; ) {
    const work = next()
    if (work === undefined) break
    try {
      if (work()) done++
    } catch {
      // a defect in one request must not stop the others
      done++
      count("hub_defects_total", "flush")
    }
  }
  handled = 0
  if (line.size > 0) arm()
}

/**
 * Whether the library may have sent its buffer already in this turn: it collects the answers of one read up to 16 KiB
 * and nothing after that.
 */
export const mayHaveFlushed = (): boolean => handled >= requestsBeforeLook

/** Counts the bytes of an answer that is handed over. */
export const takeBytes = (bytes: number): void => {
  handled += Math.floor(bytes / bytesPerRequest)
  if (handled >= requestsBeforeLook) arm()
}

/** Counts a request. False: the turn has reached its bound, and the request must be postponed. */
export const takeShare = (): boolean => {
  handled++
  // not before that: a callback at the end of a turn costs a system call
  if (handled >= requestsBeforeLook) arm()
  return handled <= (line.size === 0 ? requestsPerTurnMax : requestsPerTurnMax - postponedPerTurnMax)
}

/** Postpones a request to a later turn, behind the earlier ones of its address. The addresses take turns. */
export const postpone = (address: string, work: Postponed): void => {
  const one: One = { work, behind: undefined }
  const own = line.get(address)
  if (own === undefined) line.set(address, { first: one, last: one })
  else own.last = own.last.behind = one
  arm()
}
