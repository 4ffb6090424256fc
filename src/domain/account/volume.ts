/**
 * How much of something its plan bounds an account holds, in the view of one node: the store's last count plus what
 * this node added since. It misses only what other nodes added meanwhile. Pure: no store and no clock.
 */
import { backlogShared, volumeCountShare } from "../../limits/volumes.ts"

/** How many, and the bytes of them. */
export interface Volume {
  readonly number: number
  readonly bytes: number
}

/**
 * What may be held, and of that what each part may have whatever the others hold; that is nothing where there are no
 * parts.
 */
export interface Bound extends Volume {
  readonly own?: Volume
}

/** What would be exceeded. */
export type Beyond = "number" | "bytes"

export const noVolume: Volume = { number: 0, bytes: 0 }

const dimensions = ["number", "bytes"] as const

type Sum = { -readonly [K in keyof Volume]: Volume[K] }

const add = (sum: Sum, { number, bytes }: Volume, sign: 1 | -1 = 1): void => {
  sum.number += sign * number
  sum.bytes += sign * bytes
}

/** One part of it: a webhook's deliveries. */
interface CountedPart {
  /** All of it, what is being written included. */
  readonly held: Sum
  readonly writing: Sum
  /** Written since the last count began: it may have missed it. */
  readonly since: Sum
}

const newPart = (): CountedPart => ({ held: { ...noVolume }, writing: { ...noVolume }, since: { ...noVolume } })

/** What one account holds. */
export class HeldVolume {
  /** Epoch milliseconds of the oldest of it, as of the last count. */
  oldest: number | undefined
  private readonly parts = new Map<string, CountedPart>()
  private readonly sum: Sum = { ...noVolume }
  private readonly grown: Sum = { ...noVolume }

  /** All of it. */
  get total(): Volume {
    return this.sum
  }

  /** That of one part. */
  of(part: string): Volume {
    return this.parts.get(part)?.held ?? noVolume
  }

  /**
   * What keeps one more of a part out: all of it would be beyond the bound, or beyond what is shared and this part is
   * not small.
   */
  beyond(bound: Bound, volume: Volume, part: string): Beyond | undefined {
    for (const of of dimensions) {
      if (volume[of] === 0) continue
      const all = this.sum[of] + volume[of]
      if (all > bound[of]) return of
      if (bound.own === undefined || all <= bound[of] * backlogShared) continue
      if (this.of(part)[of] + volume[of] > bound.own[of]) return of
    }
    return undefined
  }

  /** It is about to be written. */
  begin(part: string, volume: Volume): void {
    let entry = this.parts.get(part)
    if (entry === undefined) {
      entry = newPart()
      this.parts.set(part, entry)
    }
    add(entry.held, volume)
    add(entry.writing, volume)
    add(this.sum, volume)
    add(this.grown, volume)
  }

  /** What was begun is written, or this much of it. */
  end(part: string, begun: Volume, written: Volume): void {
    const entry = this.parts.get(part)
    if (entry === undefined) return
    add(entry.writing, begun, -1)
    add(entry.since, written)
    for (const sum of [entry.held, this.sum]) {
      add(sum, begun, -1)
      add(sum, written)
    }
  }

  /** Whether enough was added since the last count began for the next one. */
  hasGrown(bound: Volume): boolean {
    return dimensions.some((of) => this.grown[of] >= bound[of] / volumeCountShare)
  }

  /** Whether so little is left that a count may show more. */
  isNearly(bound: Volume): boolean {
    return dimensions.some((of) => this.sum[of] >= bound[of] - bound[of] / volumeCountShare)
  }

  /** The store begins to count. */
  counting(): void {
    Object.assign(this.grown, noVolume)
    for (const { since } of this.parts.values()) Object.assign(since, noVolume)
  }

  /** What it counted. */
  counted(parts: ReadonlyMap<string, Volume>): void {
    Object.assign(this.sum, noVolume)
    for (const part of parts.keys()) if (!this.parts.has(part)) this.parts.set(part, newPart())
    for (const [name, { held, since, writing }] of this.parts) {
      Object.assign(held, parts.get(name) ?? noVolume)
      add(held, since)
      add(held, writing)
      add(this.sum, held)
      if (held.number === 0 && held.bytes === 0) this.parts.delete(name)
    }
  }
}
