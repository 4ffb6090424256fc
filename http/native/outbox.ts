/**
 * What one daemon is to be sent. Owns the queue that goes out once a tick in one cork, its bound and who is refused at
 * it, and the close that comes after what was queued. A frame is handed over once; none is read here.
 */

import { outboxBytesMax, outboxReserveBytes } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { count, sumOf } from "../../src/runtime/metrics.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import { type Reader, watchReading } from "./slow-reader.ts"
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
  readonly #wheel: Pick<Timers["Service"], "after">
  #queue: Array<string> = []
  #queuedBytes = 0
  /** Bytes handed over so far, the heads of frames apart. */
  #handedBytes = 0
  #armed = false
  #stalled = true
  #looks: Timer | undefined
  #ending: { readonly code: number; readonly name: string } | "cut" | undefined

  constructor(timers: Pick<Timers["Service"], "after">) {
    this.#wheel = timers
  }

  send(text: string, refusable = false): "sent" | "buffered" | "full" | "dropped" {
    const { native } = this
    // closed, and soon told so: it ends as its code says, and not because this was dropped
    if (native === undefined) return "sent"
    if (this.#ending !== undefined) return "dropped"
    const bytes = Buffer.byteLength(text)
    const bytesMax = refusable ? refusableBytesMax : outboxBytesMax
    let waiting = this.#waiting()
    if (waiting + this.#queuedBytes + bytes > bytesMax) {
      // what this tick queued says nothing of who reads: the kernel was not offered it yet
      this.#write(native)
      waiting = this.#waiting()
      if (waiting + bytes > bytesMax) return refusable ? this.#refused() : this.#dropped()
    }
    this.#queue.push(text)
    this.#queuedBytes += bytes
    this.#arm()
    return waiting > 0 ? "buffered" : "sent"
  }

  buffered(): number {
    return this.#queuedBytes + this.#waiting()
  }

  close(code: number, name: string): void {
    if (this.native === undefined || this.#ending !== undefined) return
    this.#ending = { code, name }
    this.#arm()
  }

  cut(): void {
    if (this.native === undefined) return
    this.#ending = "cut"
    this.#arm()
  }

  ping(): void {
    if (this.native?.ping() === stalled) this.#stalled = true
  }

  flush(): void {
    this.#armed = false
    const { native } = this
    if (native === undefined) return
    this.#write(native)
    if (this.#ending === "cut") native.close()
    else if (this.#ending !== undefined) native.end(this.#ending.code, this.#ending.name)
  }

  taken(): number | undefined {
    const { native } = this
    if (native === undefined) return undefined
    // The kernel says that it has room when a third of its buffer is free, which a slow reader takes long for. Offered
    // what
    // waits, as at the end of every cork, it takes what fits.
    native.cork(nothing)
    const waiting = native.getBufferedAmount()
    return waiting === 0 ? undefined : this.#handedBytes - waiting
  }

  judged(reads: boolean): void {
    this.#looks = undefined
    if (!reads) this.close(notReading.code, notReading.name)
  }

  /** The native side is gone: nothing is written or looked at any more. */
  detach(): void {
    this.native = undefined
    this.#looks?.clear()
    this.#looks = undefined
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    flushLater(this)
  }

  #write(native: N): void {
    const frames = this.#queue
    if (frames.length === 0) return
    this.#handedBytes += this.#queuedBytes
    this.#queuedBytes = 0
    // mostly one: the array is kept, as a new one would cost as much again
    if (frames.length === 1) this.#sent(native.send(frames.pop()!))
    else {
      this.#queue = []
      native.cork(() => {
        for (const frame of frames) this.#sent(native.send(frame))
      })
      // what is sent in a cork is written at its end
      this.#stalled = true
    }
  }

  /** Bytes that the kernel has not taken; asked for only after a write that may not have gone out whole. */
  #waiting(): number {
    if (!this.#stalled) return 0
    const waiting = this.native?.getBufferedAmount() ?? 0
    if (waiting === 0) this.#stalled = false
    return waiting
  }

  #sent(status: number): void {
    if (status !== dropped) {
      framesSent.sum++
      if (status === stalled) this.#stalled = true
      return
    }
    // Cannot be while the outbox is bounded below the native one; were it so, the frame must not count as sent.
    this.#dropped()
    this.#ending ??= notReading
  }

  #dropped(): "dropped" {
    count("hub_frames_dropped_total")
    return "dropped"
  }

  /** Whether it is read slowly or not at all is what looks will tell. */
  #refused(): "full" {
    this.#looks ??= watchReading(this.#wheel, this)
    return "full"
  }
}
