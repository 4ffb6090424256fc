/**
 * An exact sliding window: at most `limit` admissions in any span of `spanMillis`. Owns the compact ring of admission
 * times; pure, knows no clock. Times are whole milliseconds of a clock that never goes back; spans are half open, so an
 * admission leaves the window exactly `spanMillis` after it was made.
 */

/** A window. Times are kept modulo 2^32 ms (49 days), far beyond what an idle window lives. */
export interface Window {
  /** Admission times, oldest at `head`; grows by doubling up to the limit. */
  ring: Uint32Array
  head: number
  count: number
  /** When it was last asked, for leaving when idle. */
  askedAt: number
}

const ringStart = 4

export const makeWindow = (now: number): Window => ({
  ring: new Uint32Array(ringStart),
  head: 0,
  count: 0,
  askedAt: now
})

const age = (now: number, time: number): number => ((now >>> 0) - time) >>> 0

const leave = (window: Window, spanMillis: number, now: number): void => {
  const size = window.ring.length
  while (window.count > 0 && age(now, window.ring[window.head]!) >= spanMillis) {
    window.head = window.head + 1 === size ? 0 : window.head + 1
    window.count--
  }
}

const grow = (window: Window, limit: number): void => {
  const wider = new Uint32Array(Math.min(limit, window.ring.length * 2))
  for (let at = 0; at < window.count; at++) wider[at] = window.ring[(window.head + at) % window.ring.length]!
  window.ring = wider
  window.head = 0
}

/** How many admissions are in the window now. */
export const countIn = (window: Window, spanMillis: number, now: number): number => {
  leave(window, spanMillis, now)
  return window.count
}

/** Takes a place if there is one; says whether it did. A refusal takes none. */
export const admit = (window: Window, limit: number, spanMillis: number, now: number): boolean => {
  leave(window, spanMillis, now)
  window.askedAt = now
  if (window.count >= limit) return false
  if (window.count === window.ring.length) grow(window, limit)
  window.ring[(window.head + window.count) % window.ring.length] = now >>> 0
  window.count++
  return true
}

/** Milliseconds until the oldest admission leaves, freeing a place; 0 when the window is empty. */
export const millisToNext = (window: Window, spanMillis: number, now: number): number => {
  leave(window, spanMillis, now)
  return window.count === 0 ? 0 : spanMillis - age(now, window.ring[window.head]!)
}
