/**
 * How much of daemons' frames one turn of the event loop handles: bytes of large ones, and how many small ones, each of
 * which may be an event with deliveries. Owns the counts and the frames that are postponed, in the order of each
 * socket; reads none. The library hands over all frames of one read without a pause, and the reads of all sockets one
 * after another: without this bound few daemons would delay all callers.
 */
import {
  frameBytesPerTurnMax,
  lightFrameBytes,
  lightFramesPerTurnMax,
  postponedFrameBytesAllMax,
  postponedFrameBytesMax,
  postponedFrameBytesMin
} from "../../src/limits/sockets.ts"

interface Waiting {
  readonly works: Array<{ readonly work: () => void; readonly bytes: number }>
  bytes: number
}

/** The turns of the sockets of a server. */
export class FramesPerTurn<Socket extends object> {
  readonly #later: (turn: () => void) => unknown
  readonly #defect: (defect: unknown) => void
  /** The next to be served first. */
  readonly #line = new Map<Socket, Waiting>()
  /** Of all that wait. */
  #bytes = 0
  #handled = 0
  #light = 0
  /** Whose small frame came last in this turn: those of one read come in a row. */
  #reading: Socket | undefined
  #isArmed = false

  /** `later`: calls in the next turn. `defect`: told what a postponed frame threw. */
  constructor(defect: (defect: unknown) => void, later: (turn: () => void) => unknown = setImmediate) {
    this.#defect = defect
    this.#later = later
  }

  /** Counts a frame. False: it must be postponed. */
  take(socket: Socket, bytes: number): boolean {
    // not worth keeping: it is read off the loop, or not at all
    if (bytes > postponedFrameBytesMax) {
      this.catchUp(socket)
      this.#count(bytes)
      return true
    }
    // never before an earlier one of its socket
    if (this.#line.size > 0 && this.#line.has(socket)) return false
    if (bytes < lightFrameBytes) {
      // the first of a read is handled: of thousands of daemons that send one each nearly all would else wait
      const isFirst = socket !== this.#reading
      if (!isFirst && this.#light >= lightFramesPerTurnMax) return false
      if (!isFirst) this.#light++
      this.#reading = socket
      this.#arm()
      return true
    }
    if (this.#handled >= frameBytesPerTurnMax) return false
    this.#count(bytes)
    return true
  }

  /** Handles a frame in a later turn; where too much waits, all of its socket at once. */
  postpone(socket: Socket, frameBytes: number, work: () => void): void {
    const bytes = Math.max(frameBytes, postponedFrameBytesMin)
    const own = this.#line.get(socket) ?? { works: [], bytes: 0 }
    own.works.push({ work, bytes })
    own.bytes += bytes
    this.#bytes += bytes
    this.#line.set(socket, own)
    if (own.bytes > postponedFrameBytesMax || this.#bytes > postponedFrameBytesAllMax) this.catchUp(socket)
    else this.#arm()
  }

  /** Handles all that waits of a socket. */
  catchUp(socket: Socket): void {
    const own = this.#line.get(socket)
    if (own === undefined) return
    this.#line.delete(socket)
    this.#bytes -= own.bytes
    for (const { work, bytes } of own.works.splice(0)) {
      this.#count(bytes)
      this.#run(work)
    }
  }

  #count(bytes: number): void {
    this.#handled += bytes
    this.#arm()
  }

  #run(work: () => void): void {
    try {
      work()
    } catch (defect) {
      this.#defect(defect)
    }
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#later(() => this.#turn())
  }

  #turn(): void {
    this.#isArmed = false
    this.#handled = 0
    this.#light = 0
    this.#reading = undefined
    // who is served moves behind the others, which changes what is iterated
    for (const [socket, own] of this.#line) {
      this.#line.delete(socket)
      this.#line.set(socket, own)
      this.#serve(socket, own)
      if (this.#handled >= frameBytesPerTurnMax) break
    }
  }

  /** Handles one large frame, or some small ones: what answers them goes out together (`hub bench fanout`). */
  #serve(socket: Socket, own: Waiting): void {
    for (let served = 0; served < lightFrameBytes && own.works.length > 0; ) {
      const { work, bytes } = own.works.shift()!
      own.bytes -= bytes
      this.#bytes -= bytes
      served += bytes
      if (own.works.length === 0) this.#line.delete(socket)
      this.#count(bytes)
      this.#run(work)
    }
  }
}
