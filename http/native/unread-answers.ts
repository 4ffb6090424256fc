/**
 * Answers that wait for their readers, bounded in total and per owner. When there is no room for another answer, the
 * oldest reader of the owner with the most bytes is cut off. Owns the counts and that choice; writes nothing and knows
 * no request.
 */
import { unreadAnswersBytesMax, unreadAnswersBytesPerOwnerMax, unseenLooksMax } from "../../src/limits/edge.ts"
import { count } from "../../src/runtime/metrics.ts"

/** An answer that waits for its reader. */
export interface UnreadAnswer {
  readonly owner: string
  readonly bytes: number
  /** Closes the connection of its reader. */
  readonly cut: () => void
}

/** The answers of a server that wait for their readers. */
export class UnreadAnswers {
  /** By owner, oldest first. */
  readonly #byOwner = new Map<string, Set<UnreadAnswer>>()
  readonly #sums = new Map<string, number>()
  /** Answers whose end the library does not report, with the number of looks since they began. */
  readonly #unseen = new Map<UnreadAnswer, number>()
  #total = 0

  /** The total number of waiting bytes. */
  get size(): number {
    return this.#total
  }

  /** Adds an answer. Older ones are cut off to make room, those of the same owner first. */
  add(one: UnreadAnswer): void {
    while (this.#sumOf(one.owner) > 0 && this.#sumOf(one.owner) + one.bytes > unreadAnswersBytesPerOwnerMax) {
      this.#cutOldest(one.owner)
    }
    while (this.#total > 0 && this.#total + one.bytes > unreadAnswersBytesMax) this.#cutOldest(this.#ownerWithMost())
    const own = this.#byOwner.get(one.owner) ?? new Set()
    this.#byOwner.set(one.owner, own.add(one))
    this.#sums.set(one.owner, this.#sumOf(one.owner) + one.bytes)
    this.#total += one.bytes
  }

  /**
   * Adds an answer that the library holds and whose end it does not report; it ends it within some seconds. False, and
   * nothing is added, when there is no room.
   */
  addUnseen(owner: string, bytes: number): boolean {
    if (this.#sumOf(owner) + bytes > unreadAnswersBytesPerOwnerMax || this.#total + bytes > unreadAnswersBytesMax) {
      return false
    }
    const one: UnreadAnswer = { owner, bytes, cut: () => {} }
    this.add(one)
    this.#unseen.set(one, 0)
    return true
  }

  /** Removes an answer that is read, or whose reader has disconnected. Does nothing when called again. */
  remove(one: UnreadAnswer): void {
    const own = this.#byOwner.get(one.owner)
    if (own?.delete(one) !== true) return
    this.#unseen.delete(one)
    this.#total -= one.bytes
    if (own.size > 0) this.#sums.set(one.owner, this.#sumOf(one.owner) - one.bytes)
    else {
      this.#byOwner.delete(one.owner)
      this.#sums.delete(one.owner)
    }
  }

  /** Removes the answers that the library has ended by now. */
  look(): void {
    for (const [one, looks] of this.#unseen) {
      if (looks >= unseenLooksMax) this.remove(one)
      else this.#unseen.set(one, looks + 1)
    }
  }

  #sumOf(owner: string): number {
    return this.#sums.get(owner) ?? 0
  }

  #ownerWithMost(): string {
    let most = ""
    for (const [owner, sum] of this.#sums) if (sum > this.#sumOf(most)) most = owner
    return most
  }

  #cutOldest(owner: string): void {
    const [oldest] = this.#byOwner.get(owner)!
    this.remove(oldest!)
    count("hub_answers_cut_total")
    oldest!.cut()
  }
}
