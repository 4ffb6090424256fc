/**
 * The queue of frames to one daemon. Owns the queue, which is written once per tick in one cork, its bound, what is
 * refused at the bound, and the close that follows the queued frames. A frame is written once. Parses no frame.
 */

import { outboxBytesMax, outboxReserveBytes } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { count, sumOf } from "../../src/runtime/metrics.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import { type Reader, watchReader } from "./slow-reader.ts"
import { flushLater, type Writer } from "./tick-flush.ts"
import type { SlowSocket, UnsentFrames } from "./unsent-frames.ts"

/** The part of a native socket that an outbox uses. */
export interface Native {
  /** 0: buffered; 1: written; 2: dropped. */
  readonly send: (text: string) => number
  readonly ping: (payload: string) => number
  readonly cork: (write: () => void) => unknown
  /** Bytes that the kernel has not taken. */
  readonly getBufferedAmount: () => number
  readonly end: (code: number, reason: string) => void
  /** Cuts the connection off. */
  readonly close: () => void
}

const { notReading } = close
const stalled = 0
const dropped = 2
const refusableBytesMax = outboxBytesMax - outboxReserveBytes
const framesSent = sumOf("hub_frames_sent_total")
const nothing = (): void => {}

/** An outbox. Without a native side, before the open and after the close, it accepts every frame and sends none. */
export class Outbox<N extends Native> implements Writer, Reader, SlowSocket {
  native: N | undefined
  readonly #timers: Pick<Timers["Service"], "after">
  readonly #unsent: UnsentFrames
  #account: string | undefined
  #queue: Array<string> = []
  #queuedBytes = 0
  /** Payload bytes given to the library so far. */
  #handedBytes = 0
  #isScheduled = false
  #pingDue: string | undefined
  #mayBeStalled = true
  /** Whether it was noted that something waits. */
  #isNoted = false
  #readerWatch: Timer | undefined
  #pendingClose: { readonly code: number; readonly name: string } | "cut" | undefined

  constructor(timers: Pick<Timers["Service"], "after">, unsent: UnsentFrames) {
    this.#timers = timers
    this.#unsent = unsent
  }

  belongsTo(account: string): void {
    this.#account = account
  }

  send(text: string, refusable = false): "sent" | "buffered" | "full" | "dropped" {
    const { native } = this
    // closed, and about to be told: the connection ends with its close code, not because of a dropped frame
    if (native === undefined) return "sent"
    if (this.#pendingClose !== undefined) return "dropped"
    const bytes = Buffer.byteLength(text)
    const bytesMax = refusable ? refusableBytesMax : outboxBytesMax
    let waiting = this.#unsentBytes()
    if (waiting + this.#queuedBytes + bytes > bytesMax) {
      // frames queued in this tick say nothing about the reader: the kernel has not seen them yet
      this.#write(native)
      waiting = this.#unsentBytes()
      if (waiting + bytes > bytesMax) return refusable ? this.#refuse() : this.#countDropped()
    }
    if (refusable && this.#account !== undefined && !this.#unsent.hasRoom(this.#account, bytes)) return this.#refuse()
    this.#queue.push(text)
    this.#queuedBytes += bytes
    this.#schedule()
    return waiting > 0 ? "buffered" : "sent"
  }

  buffered(): number {
    return this.#queuedBytes + this.#unsentBytes()
  }

  /** Its close is due, and what its peer says is void. */
  get isClosing(): boolean {
    return this.#pendingClose !== undefined
  }

  close(code: number, name: string): void {
    if (this.native === undefined || this.#pendingClose !== undefined) return
    this.#pendingClose = { code, name }
    this.#schedule()
  }

  cut(): void {
    if (this.native === undefined) return
    this.#pendingClose = "cut"
    this.#schedule()
  }

  /** Whether a ping is queued that was not due before. */
  ping(payload: string): boolean {
    if (this.native === undefined || this.#pingDue !== undefined) return false
    this.#pingDue = payload
    this.#schedule()
    return true
  }

  flush(): void {
    this.#isScheduled = false
    const { native } = this
    if (native === undefined) return
    this.#write(native)
    // nearly always neither (`hub bench fanout`)
    if (this.#mayBeStalled || this.#isNoted) this.noteUnsent()
    if (this.#pendingClose === "cut") native.close()
    else if (this.#pendingClose !== undefined) native.end(this.#pendingClose.code, this.#pendingClose.name)
  }

  /** The kernel may have taken something, or not all. */
  noteUnsent(): void {
    if (this.#account === undefined || this.#pendingClose !== undefined) return
    const bytes = this.#unsentBytes()
    this.#isNoted = bytes > 0
    this.#unsent.note(this, this.#account, bytes)
  }

  cutUnread(): void {
    this.cut()
  }

  takenBytes(): number | undefined {
    const { native } = this
    if (native === undefined) return undefined
    // The kernel reports room only when a third of its buffer is free, which takes a slow reader long. The end of a
    // cork offers it the unsent bytes, and it takes what fits.
    native.cork(nothing)
    const waiting = native.getBufferedAmount()
    this.noteUnsent()
    return waiting === 0 ? undefined : this.#handedBytes - waiting
  }

  onVerdict(reads: boolean): void {
    this.#readerWatch = undefined
    if (!reads) this.close(notReading.code, notReading.name)
  }

  /** Detaches the native side: nothing is written or watched any more. */
  detach(): void {
    this.native = undefined
    if (this.#account !== undefined) this.#unsent.note(this, this.#account, 0)
    this.#readerWatch?.clear()
    this.#readerWatch = undefined
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    flushLater(this)
  }

  #write(native: N): void {
    const frames = this.#queue
    const ping = this.#pingDue
    if (frames.length === 0 && ping === undefined) return
    this.#pingDue = undefined
    this.#handedBytes += this.#queuedBytes
    this.#queuedBytes = 0
    // usually one frame: the array is reused, because a new one would double the cost
    if (frames.length === 1 && ping === undefined) this.#countSent(native.send(frames.pop()!))
    else {
      this.#queue = []
      native.cork(() => {
        for (const frame of frames) this.#countSent(native.send(frame))
        if (ping !== undefined) native.ping(ping)
      })
      // frames sent in a cork are written at its end
      this.#mayBeStalled = true
    }
  }

  /** Bytes that the kernel has not taken; read only after a write that may have been partial. */
  #unsentBytes(): number {
    if (!this.#mayBeStalled) return 0
    const waiting = this.native?.getBufferedAmount() ?? 0
    if (waiting === 0) this.#mayBeStalled = false
    return waiting
  }

  #countSent(status: number): void {
    if (status !== dropped) {
      framesSent.sum++
      if (status === stalled) this.#mayBeStalled = true
      return
    }
    // Cannot happen while the outbox's bound is below the library's; if it does, the frame must not count as sent.
    this.#countDropped()
    this.#pendingClose ??= notReading
  }

  #countDropped(): "dropped" {
    count("hub_frames_dropped_total")
    return "dropped"
  }

  /** Refuses a frame, and starts to watch whether the peer reads slowly or not at all. */
  #refuse(): "full" {
    this.#readerWatch ??= watchReader(this.#timers, this)
    return "full"
  }
}
