/**
 * How many requests one turn of the event loop deals with. Owns the count, and the line of those that are put off;
 * knows no request. The library hands over all requests of one read without a pause, and the reads of all connections
 * one after another, so that one connection, or one address with many, could keep everyone else waiting.
 */
import { putOffPerTurnMax, requestsBeforeLook, requestsPerTurnMax } from "../../src/limits/edge.ts"
import { count } from "../../src/runtime/metrics.ts"

/** Does what was put off. False: there is nothing to do any more. */
export type PutOff = () => boolean

interface Own {
  readonly works: Array<PutOff>
  next: number
}

let handled = 0
let armed = false
/** By address; whose turn it is stands first. Bounded by the connections there are: one request of each may wait. */
const line = new Map<string, Own>()

const arm = (): void => {
  if (armed) return
  armed = true
  setImmediate(turn)
}

/** The next of the address whose turn it is; the address then waits behind the others. */
const next = (): PutOff | undefined => {
  for (const [address, own] of line) {
    line.delete(address)
    const work = own.works[own.next++]
    if (own.next < own.works.length) line.set(address, own)
    return work
  }
  return undefined
}

const turn = (): void => {
  armed = false
  handled = 0
  for (let done = 0; done < putOffPerTurnMax; ) {
    const work = next()
    if (work === undefined) return
    try {
      if (work()) done++
    } catch {
      // one's defect must not leave the others behind
      done++
      count("hub_defects_total", "flush")
    }
  }
  if (line.size > 0) arm()
}

/**
 * Whether this turn had so many requests that the library's buffer may have gone out already: it gathers what is
 * answered within one read up to 16 KiB, and after that nothing any more.
 */
export const hadMany = (): boolean => handled >= requestsBeforeLook

/** Counts a request. False when this turn has had its share: it is to be put off. */
export const takeShare = (): boolean => {
  handled++
  // asked for rarely: a turn that ends with something to do costs a system call more
  if (handled === requestsBeforeLook) arm()
  return handled <= (line.size === 0 ? requestsPerTurnMax : requestsPerTurnMax - putOffPerTurnMax)
}

/** Does it in a later turn, after what was put off before it for this address, the addresses in turns. */
export const putOff = (address: string, work: PutOff): void => {
  const own = line.get(address)
  if (own === undefined) line.set(address, { works: [work], next: 0 })
  else own.works.push(work)
  arm()
}
