/** When commands come to a fleet. Owns the moments, and that a daemon which has a second one is noticed. */

/** What has come since it was made. */
export class Arrivals {
  /** In milliseconds of this machine's clock, in order. */
  readonly millis: Array<number> = []
  /** How often a daemon had one more. */
  again = 0
  readonly #had = new Set<string>()

  /** A command came to this daemon. */
  add(daemonId: string): void {
    this.millis.push(Date.now())
    if (this.#had.has(daemonId)) this.again++
    this.#had.add(daemonId)
  }
}
