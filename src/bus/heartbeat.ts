/**
 * Whether the connection to Redis is up, judged by this node's own heartbeats that came back. Owns that judgement;
 * sends no heartbeat. Pure.
 */

import { busHeldUpMillisMax } from "../limits/nodes.ts"

/** Judges the connection by this node's own heartbeats. */
export class HeartbeatMonitor {
  private beat = 0
  /** Heartbeats sent before this one prove nothing about the present connection. */
  private valid = 1
  private readonly last = new Map<string, { readonly at: number; excused: number }>()
  private readonly channels: number
  private readonly silenceMillis: number
  downSince: number | undefined

  constructor(channels: number, silenceMillis: number, now: number) {
    this.channels = channels
    this.silenceMillis = silenceMillis
    this.downSince = now
  }

  next(): number {
    return ++this.beat
  }

  /** A heartbeat came back on a channel. True: with it the connection came up. */
  receive(channel: string, beat: number, now: number): boolean {
    if (beat < this.valid) return false
    this.last.set(channel, { at: now, excused: 0 })
    if (this.downSince === undefined || this.last.size < this.channels) return false
    this.downSince = undefined
    return true
  }

  /** The connection is down. True: it was up until now. */
  disconnect(now: number): boolean {
    this.valid = this.beat + 1
    this.last.clear()
    if (this.downSince !== undefined) return false
    this.downSince = now
    return true
  }

  /**
   * This node itself was delayed by its own work or by a busy computer, and has not read yet what came meanwhile. Such
   * a delay is no silence up to a bound; beyond it the other nodes may have taken over from this one.
   */
  excuse(millis: number): void {
    for (const beat of this.last.values()) beat.excused += Math.max(0, millis)
  }

  isSilent(now: number): boolean {
    for (const { at, excused } of this.last.values()) {
      if (now - at - Math.min(excused, busHeldUpMillisMax) > this.silenceMillis) return true
    }
    return false
  }
}
