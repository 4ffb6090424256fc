/**
 * Whether a line to Redis stands, by which of this node's own heartbeats came back. Owns that judgement; sends none.
 * Pure.
 */

import { busHeldUpMillisMax } from "../limits/nodes.ts"

/** Whether the line stands, judged by this node's own beats. */
export class Pulse {
  private beat = 0
  /** Beats sent before this one say nothing of the line as it is now. */
  private valid = 1
  private readonly last = new Map<string, { readonly at: number; heldUp: number }>()
  private readonly channels: number
  private readonly silenceMillis: number
  awaySince: number | undefined
  standsSince: number | undefined

  constructor(channels: number, silenceMillis: number, now: number) {
    this.channels = channels
    this.silenceMillis = silenceMillis
    this.awaySince = now
  }

  next(): number {
    return ++this.beat
  }

  /** A beat came back. True: the line stands again. */
  came(channel: string, beat: number, now: number): boolean {
    if (beat < this.valid) return false
    this.last.set(channel, { at: now, heldUp: 0 })
    if (this.awaySince === undefined || this.last.size < this.channels) return false
    this.awaySince = undefined
    this.standsSince = now
    return true
  }

  /** The line is away. True: it stood until now. */
  fell(now: number): boolean {
    this.valid = this.beat + 1
    this.last.clear()
    if (this.awaySince !== undefined) return false
    this.awaySince = now
    this.standsSince = undefined
    return true
  }

  /**
   * This node itself was held up for so long, by its own work or a crowded machine: what came meanwhile is not read
   * yet, so that time is no silence. What is beyond the bound is: the others may have given this node up.
   */
  heldUp(millis: number): void {
    for (const beat of this.last.values()) beat.heldUp += Math.max(0, millis)
  }

  silent(now: number): boolean {
    for (const { at, heldUp } of this.last.values()) {
      if (now - at - Math.min(heldUp, busHeldUpMillisMax) > this.silenceMillis) return true
    }
    return false
  }
}
