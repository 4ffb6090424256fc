/**
 * Frames that wait for daemons to read them, bounded per account and in all. Where there is no room, sockets of that
 * account are cut off of which nothing was taken for a while, the longest first. Owns the counts and that choice;
 * writes nothing.
 */
import { unsentBytesMax, unsentBytesPerAccountMax, untakenMillisMax } from "../../src/limits/sockets.ts"

/** A socket whose peer has not taken all. */
export interface SlowSocket {
  /** Cuts the connection off, as of one that does not read. */
  readonly cutUnread: () => void
}

interface Waiting {
  readonly bytes: number
  /** When something of it was taken last, or it began to wait. */
  readonly since: number
}

interface Own {
  sum: number
  /** The longest without progress first. */
  readonly sockets: Map<SlowSocket, Waiting>
}

/** What waits for the daemons of a server. */
export class UnsentFrames {
  readonly #now: () => number
  readonly #byAccount = new Map<string, Own>()
  #total = 0

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** The total number of waiting bytes. */
  get size(): number {
    return this.#total
  }

  /** Notes how much waits for a socket now. */
  note(socket: SlowSocket, account: string, bytes: number): void {
    const known = this.#byAccount.get(account)
    const before = known?.sockets.get(socket)
    // nearly always: each flush of a socket notes (`hub bench command`)
    if (before === undefined && bytes === 0) return
    const own = known ?? { sum: 0, sockets: new Map<SlowSocket, Waiting>() }
    this.#add(own, bytes - (before?.bytes ?? 0))
    if (before === undefined || bytes < before.bytes) {
      own.sockets.delete(socket)
      if (bytes > 0) own.sockets.set(socket, { bytes, since: this.#now() })
    } else own.sockets.set(socket, { bytes, since: before.since })
    if (own.sockets.size === 0) this.#byAccount.delete(account)
    else this.#byAccount.set(account, own)
    if (own.sum > unsentBytesPerAccountMax) this.#cut(account, own, unsentBytesPerAccountMax)
    while (this.#total > unsentBytesMax) {
      const [most, theirs] = this.#most()
      this.#cutFirst(most, theirs)
    }
  }

  /** Whether so many bytes more may wait for the sockets of an account. */
  hasRoom(account: string, bytes: number): boolean {
    const own = this.#byAccount.get(account)
    return own === undefined || this.#cut(account, own, unsentBytesPerAccountMax - bytes)
  }

  #add(own: Own, bytes: number): void {
    own.sum += bytes
    this.#total += bytes
  }

  /** Cuts off who takes nothing, until no more than so much waits; false: more is on its way. */
  #cut(account: string, own: Own, bytesMax: number): boolean {
    while (own.sum > bytesMax) {
      const [first] = own.sockets.values()
      if (first === undefined || this.#now() - first.since < untakenMillisMax) return false
      this.#cutFirst(account, own)
    }
    return true
  }

  #cutFirst(account: string, own: Own): void {
    for (const [socket, { bytes }] of own.sockets) {
      own.sockets.delete(socket)
      this.#add(own, -bytes)
      if (own.sockets.size === 0) this.#byAccount.delete(account)
      return socket.cutUnread()
    }
  }

  #most(): [account: string, own: Own] {
    return [...this.#byAccount].reduce((one, other) => (other[1].sum > one[1].sum ? other : one))
  }
}
