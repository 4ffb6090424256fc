/**
 * What one daemon is to be sent. Owns the queue that goes out once a tick in one cork, its bound and who is refused at
 * it, and the close that comes after what was queued. A frame is handed over once; none is read here.
 */

import { outboxBytesMax, outboxReserveBytes } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { count, sumOf } from "../../src/runtime/metrics.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import { type Reader, watchReader } from "./slow-reader.ts"
import { flushLater, type Writer } from "./tick-flush.ts"

/** What it writes to: the part of a native socket that it needs. */
export interface Native {
  /** 0: what waits grew; 1: gone out; 2: dropped. */
  readonly send: (text: string) => number
  readonly ping: () => number
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

/** An outbox. Without a native side, before its opening and after its close, it takes everything and sends nothing. */
export class Outbox<N extends Native> implements Writer, Reader {
  native: N | undefined
  readonly #timers: Pick<Timers["Service"], "after">
  #queue: Array<string> = []
  #queuedBytes = 0
  /** Bytes handed over so far, the heads of frames apart. */
  #handedBytes = 0
  #isScheduled = false
  #mayBeStalled = true
  #readerWatch: Timer | undefined
  #pendingClose: { readonly code: number; readonly name: string } | "cut" | undefined

  constructor(timers: Pick<Timers["Service"], "after">) {
    this.#timers = timers
  }

  send(text: string, refusable = false): "sent" | "buffered" | "full" | "dropped" {
    const { native } = this
    // closed, and soon told so: it ends as its code says, and not because this was dropped
    if (native === undefined) return "sent"
    if (this.#pendingClose !== undefined) return "dropped"
    const bytes = Buffer.byteLength(text)
    const bytesMax = refusable ? refusableBytesMax : outboxBytesMax
    let waiting = this.#unsentBytes()
    if (waiting + this.#queuedBytes + bytes > bytesMax) {
      // what this tick queued says nothing of who reads: the kernel was not offered it yet
      this.#write(native)
      waiting = this.#unsentBytes()
      if (waiting + bytes > bytesMax) return refusable ? this.#refuse() : this.#countDropped()
    }
    this.#queue.push(text)
    this.#queuedBytes += bytes
    this.#schedule()
    return waiting > 0 ? "buffered" : "sent"
  }

  buffered(): number {
    return this.#queuedBytes + this.#unsentBytes()
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

  ping(): void {
    if (this.native?.ping() === stalled) this.#mayBeStalled = true
  }

  flush(): void {
    this.#isScheduled = false
    const { native } = this
    if (native === undefined) return
    this.#write(native)
    if (this.#pendingClose === "cut") native.close()
    else if (this.#pendingClose !== undefined) native.end(this.#pendingClose.code, this.#pendingClose.name)
  }

  takenBytes(): number | undefined {
    const { native } = this
    if (native === undefined) return undefined
    // The kernel says that it has room when a third of its buffer is free, which a slow reader takes long for. Offered
    // what
    // waits, as at the end of every cork, it takes what fits.
    native.cork(nothing)
    const waiting = native.getBufferedAmount()
    return waiting === 0 ? undefined : this.#handedBytes - waiting
  }

  onVerdict(reads: boolean): void {
    this.#readerWatch = undefined
    if (!reads) this.close(notReading.code, notReading.name)
  }

  /** The native side is gone: nothing is written or looked at any more. */
  detach(): void {
    this.native = undefined
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
    if (frames.length === 0) return
    this.#handedBytes += this.#queuedBytes
    this.#queuedBytes = 0
    // mostly one: the array is kept, as a new one would cost as much again
    if (frames.length === 1) this.#countSent(native.send(frames.pop()!))
    else {
      this.#queue = []
      native.cork(() => {
        for (const frame of frames) this.#countSent(native.send(frame))
      })
      // what is sent in a cork is written at its end
      this.#mayBeStalled = true
    }
  }

  /** Bytes that the kernel has not taken; asked for only after a write that may not have gone out whole. */
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
    // Cannot be while the outbox is bounded below the native one; were it so, the frame must not count as sent.
    this.#countDropped()
    this.#pendingClose ??= notReading
  }

  #countDropped(): "dropped" {
    count("hub_frames_dropped_total")
    return "dropped"
  }

  /** Whether it is read slowly or not at all is what looks will tell. */
  #refuse(): "full" {
    this.#readerWatch ??= watchReader(this.#timers, this)
    return "full"
  }
}
