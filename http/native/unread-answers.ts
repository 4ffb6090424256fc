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
  /** Those that can be cut off, by owner, oldest first. */
  readonly #byOwner = new Map<string, Set<UnreadAnswer>>()
  /** Of all, by owner. */
  readonly #sums = new Map<string, number>()
  /** Answers whose end the library does not report, with the number of looks since they began. */
  readonly #unseen = new Map<Omit<UnreadAnswer, "cut">, number>()
  #total = 0

  /** The total number of waiting bytes. */
  get size(): number {
    return this.#total
  }

  /** Adds an answer. Older ones are cut off to make room, those of the same owner first. */
  add(one: UnreadAnswer): void {
    const { owner, bytes } = one
    while (this.#sumOf(owner) + bytes > unreadAnswersBytesPerOwnerMax && this.#cutOldest(owner));
    while (this.#total + bytes > unreadAnswersBytesMax && this.#cutOldest(this.#ownerWithMost()));
    const own = this.#byOwner.get(owner) ?? new Set()
    this.#byOwner.set(owner, own.add(one))
    this.#count(owner, bytes)
  }

  /**
   * Adds an answer that the library holds and whose end it does not report; it ends it within some seconds. False, and
   * nothing is added, when there is no room.
   */
  addUnseen(owner: string, bytes: number): boolean {
    if (this.#sumOf(owner) + bytes > unreadAnswersBytesPerOwnerMax || this.#total + bytes > unreadAnswersBytesMax) {
      return false
    }
    this.#unseen.set({ owner, bytes }, 0)
    this.#count(owner, bytes)
    return true
  }

  /** Removes an answer that is read, or whose reader has disconnected. Does nothing when called again. */
  remove(one: UnreadAnswer): void {
    const own = this.#byOwner.get(one.owner)
    if (own?.delete(one) !== true) return
    if (own.size === 0) this.#byOwner.delete(one.owner)
    this.#count(one.owner, -one.bytes)
  }

  /** Removes the answers that the library has ended by now. */
  look(): void {
    for (const [one, looks] of this.#unseen) {
      if (looks < unseenLooksMax) this.#unseen.set(one, looks + 1)
      else if (this.#unseen.delete(one)) this.#count(one.owner, -one.bytes)
    }
  }

  #sumOf(owner: string): number {
    return this.#sums.get(owner) ?? 0
  }

  #count(owner: string, bytes: number): void {
    const sum = this.#sumOf(owner) + bytes
    if (sum > 0) this.#sums.set(owner, sum)
    else this.#sums.delete(owner)
    this.#total += bytes
  }

  /** Of those with an answer that can be cut off. */
  #ownerWithMost(): string {
    let most = ""
    for (const owner of this.#byOwner.keys()) if (this.#sumOf(owner) > this.#sumOf(most)) most = owner
    return most
  }

  /** False: none of this owner's can be cut off. */
  #cutOldest(owner: string): boolean {
    const [oldest] = this.#byOwner.get(owner) ?? []
    if (oldest === undefined) return false
    this.remove(oldest)
    count("hub_answers_cut_total")
    oldest.cut()
    return true
  }
}
