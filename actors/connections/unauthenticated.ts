/**
 * Sockets whose token is not known yet. Owns how many there may be, who makes room for one more, and how many of those
 * that were refused may still be told why, as the library holds them until their peer closes. Closes nothing; is told
 * the time.
 */
import {
  departuresPerAddressMax,
  farewellMillisMax,
  heavyFarewellsMax,
  lightFarewellsMax,
  strangerPatienceMillis,
  strangersMax
} from "../../src/limits/sockets.ts"

interface Place<One> {
  readonly one: One
  readonly address: string
  readonly since: number
}

/** What the library may hold of a socket: a frame that is not whole, or one read. */
export type Weight = "heavy" | "light"

interface Farewell {
  readonly address: string
  /** When the library has let go of it at the latest. */
  readonly until: number
  /** It closed by itself: nobody could cut it off instead. */
  readonly unasked: boolean
}

const heldMax = strangersMax + heavyFarewellsMax
const farewellsMax = { heavy: heavyFarewellsMax, light: lightFarewellsMax }

/** The strangers of a node. `One` is compared by identity. */
export class UnauthenticatedSockets<One> {
  /** Oldest first. */
  readonly #places = new Map<One, Place<One>>()
  /** Those that ended with a close frame; the library holds them until their peer closes too. Soonest first. */
  readonly #farewells: Record<Weight, Array<Farewell>> = { heavy: [], light: [] }

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
    const own = this.#farewell("heavy", now).filter((farewell) => farewell.unasked && farewell.address === address)
    if (own.length >= departuresPerAddressMax) return false
    return this.#hasRoom() || this.#whoGoes(address, now) !== undefined
  }

  /** Who must go for one more from this address; undefined while there is room. Ask only when it is admitted. */
  inTheWay(address: string, now: number): One | undefined {
    return this.#hasRoom() ? undefined : this.#whoGoes(address, now)?.one
  }

  add(one: One, address: string, now: number): void {
    if (!this.#places.has(one)) this.#places.set(one, { one, address, since: now })
  }

  /** Known or gone; again: nothing. */
  delete(one: One): void {
    this.#places.delete(one)
  }

  /** Whether one that is refused may get a close frame: from then on it is the library's, and nobody can cut it off. */
  maySayWhy(address: string, weight: Weight, now: number): boolean {
    const farewells = this.#farewell(weight, now)
    if (farewells.length >= farewellsMax[weight]) return false
    farewells.push({ address, until: now + farewellMillisMax, unasked: false })
    return true
  }

  /** One closed by itself with a close frame, which the library answers: nobody is asked. */
  left(address: string, now: number): void {
    this.#farewell("heavy", now).push({ address, until: now + farewellMillisMax, unasked: true })
  }

  #farewell(weight: Weight, now: number): Array<Farewell> {
    const farewells = this.#farewells[weight]
    while (farewells.length > 0 && farewells[0]!.until <= now) farewells.shift()
    return farewells
  }

  #hasRoom(): boolean {
    return this.size < strangersMax && this.size + this.#farewells.heavy.length < heldMax
  }

  /**
   * The oldest of the address with the most. At once only where that address keeps more than whoever comes would have;
   * else it has its time first, so that a crowd of daemons does not push out its own.
   */
  #whoGoes(address: string, now: number): Place<One> | undefined {
    const counts = new Map<string, number>()
    for (const place of this.#places.values()) counts.set(place.address, (counts.get(place.address) ?? 0) + 1)
    const most = Math.max(0, ...counts.values())
    const own = counts.get(address) ?? 0
    for (const place of this.#places.values()) {
      if (counts.get(place.address) !== most) continue
      return most > own + 1 || now - place.since >= strangerPatienceMillis ? place : undefined
    }
    return undefined
  }
}
