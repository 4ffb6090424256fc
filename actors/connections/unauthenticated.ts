/**
 * Sockets whose token is not known yet. Owns how many there may be, which of them is evicted for one more, and how
 * many of those that were refused may close with a code, as the library holds these until their peer closes too.
 * Closes nothing; is told the time.
 */
import {
  closedByPeerPerAddressMax,
  closingMillisMax,
  heavyClosingMax,
  lightClosingMax,
  unauthenticatedMax,
  unauthenticatedProtectedMillis
} from "../../src/limits/sockets.ts"

interface Slot<One> {
  readonly one: One
  readonly address: string
  readonly since: number
}

/** What the library may hold of a socket: a frame that is not whole, or one read. */
export type Weight = "heavy" | "light"

interface Closing {
  readonly address: string
  /** When the library has let go of it at the latest. */
  readonly until: number
  /** It closed by itself: it could not be cut off instead. */
  readonly byPeer: boolean
}

const heldMax = unauthenticatedMax + heavyClosingMax
const closingMax = { heavy: heavyClosingMax, light: lightClosingMax }

/** The unauthenticated sockets of a node. `One` is compared by identity. */
export class UnauthenticatedSockets<One> {
  /** Oldest first. */
  readonly #places = new Map<One, Slot<One>>()
  /** Those that ended with a close frame; the library holds them until their peer closes too. Soonest first. */
  readonly #closing: Record<Weight, Array<Closing>> = { heavy: [], light: [] }

  /** How many there are. */
  get size(): number {
    return this.#places.size
  }

  /** All of them. */
  all(): ReadonlyArray<One> {
    return [...this.#places.keys()]
  }

  /** Whether one more from this address may come now, if need be in place of another. */
  admits(address: string, now: number): boolean {
    const own = this.#stillClosing("heavy", now).filter((one) => one.byPeer && one.address === address)
    if (own.length >= closedByPeerPerAddressMax) return false
    return this.#hasRoom() || this.#evictee(address, now) !== undefined
  }

  /** Which one is evicted for one more from this address; undefined while there is room. Ask only if it is admitted. */
  evictee(address: string, now: number): One | undefined {
    return this.#hasRoom() ? undefined : this.#evictee(address, now)?.one
  }

  add(one: One, address: string, now: number): void {
    if (!this.#places.has(one)) this.#places.set(one, { one, address, since: now })
  }

  /** Known or gone; again: nothing. */
  delete(one: One): void {
    this.#places.delete(one)
  }

  /** Whether one that is refused may get a close frame: from then on it is the library's, and cannot be cut off. */
  mayCloseWithReason(address: string, weight: Weight, now: number): boolean {
    const closing = this.#stillClosing(weight, now)
    if (closing.length >= closingMax[weight]) return false
    closing.push({ address, until: now + closingMillisMax, byPeer: false })
    return true
  }

  /** One closed by itself with a close frame, which the library answers without asking. */
  closedByPeer(address: string, now: number): void {
    this.#stillClosing("heavy", now).push({ address, until: now + closingMillisMax, byPeer: true })
  }

  #stillClosing(weight: Weight, now: number): Array<Closing> {
    const closing = this.#closing[weight]
    while (closing.length > 0 && closing[0]!.until <= now) closing.shift()
    return closing
  }

  #hasRoom(): boolean {
    return this.size < unauthenticatedMax && this.size + this.#closing.heavy.length < heldMax
  }

  /**
   * The oldest of the address with the most. At once only where that address keeps more than the new one's would have;
   * otherwise it is protected for a while, so that a crowd of daemons does not push out its own.
   */
  #evictee(address: string, now: number): Slot<One> | undefined {
    const counts = new Map<string, number>()
    for (const place of this.#places.values()) counts.set(place.address, (counts.get(place.address) ?? 0) + 1)
    const most = Math.max(0, ...counts.values())
    const own = counts.get(address) ?? 0
    for (const place of this.#places.values()) {
      if (counts.get(place.address) !== most) continue
      return most > own + 1 || now - place.since >= unauthenticatedProtectedMillis ? place : undefined
    }
    return undefined
  }
}
