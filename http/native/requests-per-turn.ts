/**
 * How many requests one turn of the event loop deals with. Owns the count; knows no request. The library hands over all
 * requests of one read without a pause, so that one connection could keep everyone else waiting.
 */
import { requestsBeforeLook, requestsPerTurnMax } from "../../src/limits/edge.ts"

let handled = 0

const reset = (): void => {
  handled = 0
}

/**
 * Whether this turn had so many requests that the library's buffer may have gone out already: it gathers what is
 * answered within one read up to 16 KiB, and after that nothing any more.
 */
export const hadMany = (): boolean => handled >= requestsBeforeLook

/** Counts a request. False when this turn has had its share: it is to be dealt with in the next one. */
export const takeShare = (): boolean => {
  handled++
  // asked for rarely: a turn that ends with something to do costs a system call more
  if (handled === requestsBeforeLook) setImmediate(reset)
  return handled <= requestsPerTurnMax
}
