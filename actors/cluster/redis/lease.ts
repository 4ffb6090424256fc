/**
 * This node's lease in Redis, whose value says how many of its daemons are recorded. Owns the renewal and its
 * findings: the other nodes, and whether local daemons must be registered again. Registers none itself.
 */
import { nodeLeaseMillis } from "../../../src/limits/nodes.ts"
import type { Timers } from "../../../src/runtime/timers.ts"
import type { Records, Renewed } from "./records.ts"

/** What a node that renews its lease is to be told of it. */
export interface LeaseEvents {
  /** Which nodes have none, at each renewal. */
  readonly silent: (nodes: ReadonlyArray<string>) => void
  /** This one had none: Redis may have given to others what it had given to this node. */
  readonly lapsed: () => void
}

/** The lease. */
export class Lease {
  /** Other nodes that have one. */
  alive: ReadonlyArray<string> = []
  /** What is ours is to be said again: the line has been away, or there was no lease. */
  stale = false
  /** It is just being said again. */
  private saying = false
  private readonly timers: Pick<Timers["Service"], "steady">
  private readonly records: Pick<Records, "renew">
  private readonly waits: () => boolean
  private readonly events: LeaseEvents
  private renewing: Promise<Renewed> | undefined
  private renewedAt = Number.NEGATIVE_INFINITY
  private lapsedAt = Number.NEGATIVE_INFINITY
  private joined = false

  /** `waits`: some of what is here still waits for a word. */
  constructor(
    timers: Pick<Timers["Service"], "steady">,
    records: Pick<Records, "renew">,
    waits: () => boolean,
    events: LeaseEvents
  ) {
    this.timers = timers
    this.records = records
    this.waits = waits
    this.events = events
  }

  /** One renewal at a time: a lease must not say what was true before another found that there was none. */
  renew(): Promise<Renewed> {
    this.renewing ??= this.renewOnce().finally(() => {
      this.renewing = undefined
    })
    return this.renewing
  }

  private async renewOnce(): Promise<Renewed> {
    const word = this.stale || this.saying ? "partly" : this.waits() ? "said" : "wholly"
    const renewed = await this.records.renew(word).catch((failure) => {
      // it may have found that there was none
      this.stale = true
      throw failure
    })
    if (renewed.lapsed) this.lapse()
    else if (!this.stale) this.renewedAt = this.timers.steady()
    this.joined = true
    this.alive = renewed.alive
    this.events.silent(renewed.dead)
    return renewed
  }

  private lapse(): void {
    this.lapsedAt = this.timers.steady()
    if (this.joined) this.stale = true
    this.events.lapsed()
  }

  /**
   * Has `say` say again what is ours, if that is to be: it says whether it is done, and rejects when not. `absent`:
   * this node may have been taken for dead.
   */
  async sayAgain(say: (absent: boolean) => Promise<boolean>): Promise<void> {
    if (!this.stale) return
    const absent = this.timers.steady() - this.renewedAt >= nodeLeaseMillis
    this.stale = false
    this.saying = true
    let done = false
    try {
      done = await say(absent)
    } finally {
      this.saying = false
      if (!done) this.stale = true
    }
  }

  /** For how long it has been there. */
  stands(): number {
    return this.timers.steady() - this.lapsedAt
  }
}
