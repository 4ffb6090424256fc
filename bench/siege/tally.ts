/**
 * What regular requests came to, by the stretch of time (before an attack, during it, after it) in which each was due.
 * Owns the histograms and the counts; sends nothing.
 */
import { build, type Histogram } from "hdr-histogram-js"

/** What regular callers and daemons do. */
export const regularKinds = ["command", "list", "upload", "connect", "delivery", "login"] as const

/** One of them. */
export type RegularKind = (typeof regularKinds)[number]

/** One kind in one stretch. Latencies in milliseconds. */
export interface KindFigures {
  readonly good: number
  readonly p50: number
  readonly p99: number
}

/** One stretch. */
export interface StretchFigures {
  readonly kinds: Readonly<Partial<Record<RegularKind, KindFigures>>>
  /** What failed on connections that were kept, by what and why. */
  readonly failed: Readonly<Record<string, number>>
  /** New connections that were refused with word when to come back. */
  readonly putOff: number
  /** New connections that were neither accepted nor answered. */
  readonly lost: number
  /** How long after their moments requests went out: the generator's own lag. */
  readonly lateP99: number
}

/** One request under way. The first thing said of it counts. */
export interface Underway {
  readonly good: () => void
  readonly failed: (why: string) => void
  readonly putOff: () => void
  readonly lost: () => void
}

const highestMicros = 120_000_000
const histogram = (): Histogram =>
  build({ lowestDiscernibleValue: 1, highestTrackableValue: highestMicros, numberOfSignificantValueDigits: 3 })
const record = (into: Histogram, millis: number): void =>
  into.recordValue(Math.min(highestMicros, Math.max(1, Math.round(millis * 1_000))))

/** One stretch while it lasts. */
export class Stretch {
  readonly #latency = new Map<RegularKind, { readonly all: Histogram; good: number }>()
  readonly #late = histogram()
  readonly #failed: Record<string, number> = {}
  readonly #open = new Set<() => void>()
  #putOff = 0
  #lost = 0

  /** A request whose moment was `due`, as `performance.now()` has it. */
  begin(kind: RegularKind, due: number): Underway {
    record(this.#late, performance.now() - due)
    const of = this.#of(kind)
    const settle = (how: () => void): void => {
      if (!this.#open.delete(unanswered)) return
      how()
    }
    const timed = (): void => record(of.all, performance.now() - due)
    const unanswered = (): void => {
      timed()
      this.fail(`${kind}: no answer`)
    }
    this.#open.add(unanswered)
    return {
      good: () =>
        settle(() => {
          timed()
          of.good++
        }),
      failed: (why) => settle(() => this.fail(`${kind}: ${why}`)),
      putOff: () => settle(() => this.#putOff++),
      lost: () => settle(() => this.#lost++)
    }
  }

  /** Something failed that is no request: a kept connection was closed. */
  fail(why: string): void {
    this.#failed[why] = (this.#failed[why] ?? 0) + 1
  }

  /** How many are not answered yet. */
  get underway(): number {
    return this.#open.size
  }

  /** What came of it; what is still not answered has failed, and took as long as it waited. */
  figures(): StretchFigures {
    for (const unanswered of [...this.#open]) unanswered()
    this.#open.clear()
    const kinds: Partial<Record<RegularKind, KindFigures>> = {}
    for (const [kind, { all, good }] of this.#latency)
      kinds[kind] = { good, p50: all.getValueAtPercentile(50) / 1_000, p99: all.getValueAtPercentile(99) / 1_000 }
    const lateP99 = this.#late.getValueAtPercentile(99) / 1_000
    return { kinds, failed: this.#failed, putOff: this.#putOff, lost: this.#lost, lateP99 }
  }

  #of(kind: RegularKind): { readonly all: Histogram; good: number } {
    let of = this.#latency.get(kind)
    if (of === undefined) {
      of = { all: histogram(), good: 0 }
      this.#latency.set(kind, of)
    }
    return of
  }
}
