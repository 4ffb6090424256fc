/**
 * Which of the answers without a body ends its connection. Owns the count down to it; writes nothing.
 *
 * The library buffers such an answer whole and does not say whether the reader took those before it, nor which
 * connection it is on. So one in so many, at random, ends its connection: a peer that pipelines HEAD requests and reads
 * nothing leaves few answers in memory. A fixed count would let two connections arrange that only one of them ends.
 */
import { randomInt } from "node:crypto"
import { bodylessAnswersMean } from "../../src/limits/edge.ts"

/** The answers without a body of one server. */
export class BodylessAnswers {
  readonly #draw: () => number
  /** The first is not drawn: callers who send few requests never meet an end. */
  #left = bodylessAnswersMean

  /** `draw`: after how many answers the next one ends its connection. */
  constructor(draw: () => number = () => randomInt(1, 2 * bodylessAnswersMean)) {
    this.#draw = draw
  }

  /** Counts an answer. True: it ends its connection. */
  endsConnection(): boolean {
    if (--this.#left > 0) return false
    this.#left = this.#draw()
    return true
  }
}
