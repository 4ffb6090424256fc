/**
 * What may have been told of a daemon, as its owner can know it: every count of times online that is possible, and
 * whether the last of them goes on. A set with one element is exact. Owns the rules; sees no hub.
 */

/** One possibility. */
export interface Possibility {
  readonly times: number
  readonly online: boolean
}

/** What may be, of one daemon. */
export class TimesOnline {
  private possible = new Map<string, Possibility>()
  /** Until then the daemon is online for certain, if it was; by `performance.now()`. */
  certainUntil = 0
  /** Attempts that may yet be taken for connections, each for a time online of its own. */
  private late = 0

  constructor() {
    this.set([{ times: 0, online: false }])
  }

  /** A connection was accepted at that moment. What had ended before may have been told, unless it was too early. */
  accepted(now: number): void {
    if (now >= this.certainUntil) this.mayHaveEnded()
    this.set(this.all().map((one) => (one.online ? one : { times: one.times + 1, online: true })))
    this.certainUntil = Number.POSITIVE_INFINITY
  }

  /**
   * A connection came to nothing for the daemon and yet may have been one for the hub. `isOver`: the hub is done with
   * it; else what it has the store do for it may happen at any time.
   */
  attempted(began: number, now: number, graceMillis: number, isOver: boolean): void {
    if (!isOver) this.late++
    if (now >= this.certainUntil) this.mayHaveEnded()
    if (this.all().some(({ online }) => !online)) this.certainUntil = 0
    this.set([...this.all(), ...this.all().map((one) => (one.online ? one : { times: one.times + 1, online: true }))])
    this.endsAfter(began + graceMillis)
  }

  /** The last connection ended: not before then its end is told. */
  endsAfter(moment: number): void {
    this.certainUntil = Math.min(this.certainUntil, moment)
  }

  /** Others may have taken its node for dead: the end was told, and a beginning once the node was back. */
  mayHaveBegunAnew(): void {
    this.set([
      ...this.all(),
      ...this.all().flatMap((one) => (one.online ? [{ times: one.times + 1, online: true }] : []))
    ])
  }

  /** All that waited is concluded. */
  concluded(online: boolean): void {
    if (!online) this.mayHaveEnded()
    this.set(this.all().filter((one) => one.online === online))
    this.certainUntil = online ? Number.POSITIVE_INFINITY : 0
  }

  /** So many ends were told, and no further beginning. Whether that is all: an announcement may still be on its way. */
  ended(times: number): boolean {
    const most = Math.max(...this.counts)
    if (times >= most) {
      this.set(times === most ? [{ times, online: false }] : [])
      this.late = 0
      return true
    }
    this.mayHaveEnded()
    if (this.late === 0) this.set(this.all().filter((one) => one.times >= times))
    return false
  }

  /** Nothing that was seen is possible. */
  get impossible(): boolean {
    return this.possible.size === 0
  }

  /** Every count that is possible. */
  get counts(): ReadonlyArray<number> {
    const early = this.all().map(({ times }) => times)
    const all = Array.from({ length: this.late + 1 }, (_, late) => early.map((times) => times + late))
    return [...new Set(all.flat())].sort((a, b) => a - b)
  }

  private mayHaveEnded(): void {
    this.set([...this.all(), ...this.all().map(({ times }) => ({ times, online: false }))])
  }

  private all(): ReadonlyArray<Possibility> {
    return [...this.possible.values()]
  }

  private set(all: ReadonlyArray<Possibility>): void {
    this.possible = new Map(all.map((one) => [`${one.times} ${one.online}`, one]))
  }
}
