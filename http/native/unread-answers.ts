/**
 * Answers that wait for their readers, bounded in all and by owner: where there is no room for one more, the oldest of
 * whoever has most is cut off. Owns the counts and who is cut off; writes nothing and knows no request.
 */
import { unreadAnswersBytesMax, unreadAnswersBytesPerOwnerMax, unseenLooksMax } from "../../src/limits/edge.ts"
import { count } from "../../src/runtime/metrics.ts"

/** One of them. */
export interface UnreadAnswer {
  readonly owner: string
  readonly bytes: number
  /** Cuts its reader off. */
  readonly cut: () => void
}

/** All of them. */
export class UnreadAnswers {
  /** By owner, oldest first. */
  readonly #of = new Map<string, Set<UnreadAnswer>>()
  readonly #sums = new Map<string, number>()
  /** Answers whose end nobody tells, with the looks since. */
  readonly #unseen = new Map<UnreadAnswer, number>()
  #all = 0

  /** Their bytes together. */
  get size(): number {
    return this.#all
  }

  /** One more waits. Others are cut off for it, of its own account first. */
  add(one: UnreadAnswer): void {
    while (this.#sumOf(one.owner) > 0 && this.#sumOf(one.owner) + one.bytes > unreadAnswersBytesPerOwnerMax) {
      this.#cutOldest(one.owner)
    }
    while (this.#all > 0 && this.#all + one.bytes > unreadAnswersBytesMax) this.#cutOldest(this.#whoHasMost())
    const own = this.#of.get(one.owner) ?? new Set()
    this.#of.set(one.owner, own.add(one))
    this.#sums.set(one.owner, this.#sumOf(one.owner) + one.bytes)
    this.#all += one.bytes
  }

  /**
   * One that the library holds, and of whose end it tells nobody; it ends it within some seconds. False: there is no
   * room.
   */
  addUnseen(owner: string, bytes: number): boolean {
    if (this.#sumOf(owner) + bytes > unreadAnswersBytesPerOwnerMax || this.#all + bytes > unreadAnswersBytesMax) {
      return false
    }
    const one: UnreadAnswer = { owner, bytes, cut: () => {} }
    this.add(one)
    this.#unseen.set(one, 0)
    return true
  }

  /** It is read, or its reader is gone; again: nothing. */
  remove(one: UnreadAnswer): void {
    const own = this.#of.get(one.owner)
    if (own?.delete(one) !== true) return
    this.#unseen.delete(one)
    this.#all -= one.bytes
    if (own.size > 0) this.#sums.set(one.owner, this.#sumOf(one.owner) - one.bytes)
    else {
      this.#of.delete(one.owner)
      this.#sums.delete(one.owner)
    }
  }

  /** Forgets those that the library has ended by now. */
  look(): void {
    for (const [one, looks] of this.#unseen) {
      if (looks >= unseenLooksMax) this.remove(one)
      else this.#unseen.set(one, looks + 1)
    }
  }

  #sumOf(owner: string): number {
    return this.#sums.get(owner) ?? 0
  }

  #whoHasMost(): string {
    let most = ""
    for (const [owner, sum] of this.#sums) if (sum > this.#sumOf(most)) most = owner
    return most
  }

  #cutOldest(owner: string): void {
    const [oldest] = this.#of.get(owner)!
    this.remove(oldest!)
    count("hub_answers_cut_total")
    oldest!.cut()
  }
}
