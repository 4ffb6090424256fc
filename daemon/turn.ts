/**
 * One turn of an agent. Owns which command began it, how long it takes, and when it shows no sign of life; knows no
 * process and no chat.
 */
import type { Clock } from "./clock.ts"
import { noProgressMillis } from "./limits.ts"

/** A turn under way. */
export class Turn {
  /** The command that began it. */
  readonly commandId: string
  readonly #clock: Clock
  readonly #stalled: (elapsedSec: number) => void
  readonly #started: number
  #lastSign: number
  #cancelLook: () => void = () => undefined

  /** Begins. `stalled` hears of each time without a sign of life. */
  constructor(commandId: string, clock: Clock, stalled: (elapsedSec: number) => void) {
    this.commandId = commandId
    this.#clock = clock
    this.#stalled = stalled
    this.#started = clock.steady()
    this.#lastSign = this.#started
    this.#look()
  }

  #look(): void {
    this.#cancelLook = this.#clock.after(noProgressMillis, () => {
      const silent = this.#clock.steady() - this.#lastSign
      if (silent >= noProgressMillis) this.#stalled(Math.floor(silent / 1_000))
      this.#look()
    })
  }

  /** A sign of life. */
  sign(): void {
    this.#lastSign = this.#clock.steady()
  }

  /** It is over. Gives back its whole seconds. */
  end(): number {
    this.#cancelLook()
    return Math.floor((this.#clock.steady() - this.#started) / 1_000)
  }
}
