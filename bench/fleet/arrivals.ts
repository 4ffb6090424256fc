/** When commands come to a fleet. Owns the moments, and that a daemon which has a second one is noticed. */

/** What has come since it was made. */
export class Arrivals {
  /** In milliseconds of this machine's clock, in order. */
  readonly millis: Array<number> = []
  /** How often a daemon had one more. */
  again = 0
  /** How many had come as each command came to a daemon whose commands exit with 1. */
  readonly exits: Array<number> = []
  readonly #had = new Set<string>()

  /** A command came to this daemon; `exits`: which exits with 1. */
  add(daemonId: string, exits = false): void {
    this.millis.push(Date.now())
    if (exits) this.exits.push(this.millis.length)
    if (this.#had.has(daemonId)) this.again++
    this.#had.add(daemonId)
  }
}
