/**
 * All chance of a simulated hub, from one seed. Owns the generator, and that node:crypto draws from it while a world
 * runs: ids, delays and names are then the seed's too.
 */
import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { newId } from "../../src/domain/ids.ts"

/** A generator (mulberry32): small, quick and the same everywhere. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = Math.imul(seed, 0x9e37_79b1) ^ 0x5bd1_e995
  }

  /** From 0 to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number below this. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from)
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.below(from.length)]!
  }

  /** A generator of its own, so that one part draws without changing what another draws. */
  fork(): Random {
    return new Random(this.below(4_294_967_296))
  }
}

const own = { randomBytes: crypto.randomBytes, randomInt: crypto.randomInt, randomFillSync: crypto.randomFillSync }

const fill = <A extends NodeJS.ArrayBufferView>(view: A, byte: () => number): A => {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (let at = 0; at < bytes.length; at++) bytes[at] = byte()
  return view
}

const install = (replaced: Record<string, unknown>): void => {
  Object.assign(crypto, replaced)
  syncBuiltinESMExports()
}

/**
 * src/domain/ids.ts keeps what it drew. All it has is used up here, down to the last draw: each refill has one pair
 * that makes an id and otherwise such as are thrown away.
 */
const useUpIds = (): void => {
  let refills = 0
  install({
    randomFillSync: (view: Uint16Array) => {
      refills++
      view.fill(65_535)
      view[view.length - 1] = 0
      return view
    }
  })
  while (refills === 0) newId("request")
}

/** Has node:crypto draw from this, until the returned function is called. */
export const seedCrypto = (random: Random): (() => void) => {
  useUpIds()
  const byte = (): number => random.below(256)
  install({
    randomBytes: (size: number) => fill(Buffer.alloc(size), byte),
    randomInt: (first: number, end?: number) =>
      end === undefined ? random.below(first) : first + random.below(end - first),
    randomFillSync: <A extends NodeJS.ArrayBufferView>(view: A) => fill(view, byte)
  })
  return () => install(own)
}
