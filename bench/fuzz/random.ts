/**
 * Chance that can be drawn again: the same seed, surface and index give the same input. Owns the draws; makes no input.
 */
import { crc32 } from "node:zlib"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"

/** The draws of one input. */
export class Random {
  readonly #source: ReturnType<typeof xoroshiro128plus>

  constructor(seed: number, surface: string, index: number) {
    this.#source = xoroshiro128plus(crc32(`${seed}/${surface}/${index}`))
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return count <= 1 ? 0 : uniformInt(this.#source, 0, count - 1)
  }

  /** A whole number in a range, both ends included. */
  between(least: number, most: number): number {
    return uniformInt(this.#source, least, most)
  }

  /** True in so many of a hundred cases. */
  percent(share: number): boolean {
    return this.below(100) < share
  }

  /** One of a list. */
  of<A>(all: ReadonlyArray<A>): A {
    return all[this.below(all.length)]!
  }

  /** Bytes of any value. */
  bytes(count: number): Buffer {
    const made = Buffer.allocUnsafe(count)
    for (let at = 0; at < count; at += 4) {
      const word = this.#source.next()
      for (let part = 0; part < 4 && at + part < count; part++) made[at + part] = (word >>> (8 * part)) & 0xff
    }
    return made
  }

  /** Letters and digits. */
  word(chars: number): string {
    return this.bytes(chars).toString("base64url").slice(0, chars)
  }
}
