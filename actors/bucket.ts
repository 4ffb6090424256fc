/**
 * The buckets of one policy: one window a key or address. A bucket needs nothing but memory, so its turn always ends in
 * the caller's and it has no fiber of its own: it lies dormant until it is asked. Owns how many there may be (past the
 * bound the rest shares overflow buckets chosen by a keyed hash: never open, never unbounded) and that idle ones leave.
 * Knows neither keys nor addresses.
 */
import { createHmac, randomBytes } from "node:crypto"
import { admit, countIn, makeWindow, millisToNext, type Window } from "../src/domain/window.ts"

/** What one turn of a bucket answers, in milliseconds. */
export interface Turn {
  readonly admitted: boolean
  readonly count: number
  /** Until the oldest admission leaves; 0 when there is none. */
  readonly millisToNext: number
}

/** The figures of one population of buckets. */
export interface Bounds {
  readonly limit: number
  readonly spanMillis: number
  readonly bucketsMax: number
  readonly overflow: number
  readonly idleMillis: number
}

/** The buckets of one policy. */
export interface Population {
  /** Takes a place in the bucket of this name, if there is one. */
  readonly take: (name: string, now: number) => Turn
  /** Looks without taking a place and without making a bucket. */
  readonly look: (name: string, now: number) => Turn
  /** Lets idle buckets leave, `slice` looked at per step; each step says whether more remain. */
  readonly sweep: (now: number, slice: number) => Iterator<void>
  /** Buckets of their own; overflow buckets are not counted. */
  readonly size: () => number
  /** Whether names are sharing overflow buckets now. */
  readonly overflowing: () => boolean
}

const turn = (window: Window, admitted: boolean, bounds: Bounds, now: number): Turn => ({
  admitted,
  count: countIn(window, bounds.spanMillis, now),
  millisToNext: millisToNext(window, bounds.spanMillis, now)
})

/** An empty population. */
export const makePopulation = (bounds: Bounds): Population => {
  const own = new Map<string, Window>()
  const shared: Array<Window | undefined> = new Array(bounds.overflow).fill(undefined)
  const secret = randomBytes(16)

  const overflowOf = (name: string): number =>
    createHmac("sha256", secret).update(name).digest().readUInt32BE(0) % bounds.overflow

  const bucketOf = (name: string, now: number): Window => {
    const known = own.get(name)
    if (known !== undefined) return known
    if (own.size < bounds.bucketsMax) {
      const fresh = makeWindow(now)
      own.set(name, fresh)
      return fresh
    }
    const at = overflowOf(name)
    const window = shared[at] ?? makeWindow(now)
    shared[at] = window
    return window
  }

  const idle = (window: Window, now: number): boolean => now - window.askedAt >= bounds.idleMillis

  return {
    take: (name, now) => {
      const window = bucketOf(name, now)
      return turn(window, admit(window, bounds.limit, bounds.spanMillis, now), bounds, now)
    },
    look: (name, now) => {
      const window = own.get(name) ?? (own.size < bounds.bucketsMax ? undefined : shared[overflowOf(name)])
      if (window === undefined) return { admitted: true, count: 0, millisToNext: 0 }
      return turn(window, countIn(window, bounds.spanMillis, now) < bounds.limit, bounds, now)
    },
    *sweep(now, slice) {
      let looked = 0
      for (const [name, window] of own) {
        if (idle(window, now)) own.delete(name)
        if (++looked % slice === 0) yield
      }
      for (let at = 0; at < shared.length; at++) {
        const window = shared[at]
        if (window !== undefined && idle(window, now)) shared[at] = undefined
      }
    },
    size: () => own.size,
    overflowing: () => own.size >= bounds.bucketsMax
  }
}
