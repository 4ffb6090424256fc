/**
 * Keeps the presence of this node's daemons consistent across nodes. Owns the order of steps: queue changes while
 * Redis is unavailable, register local daemons again after a reconnect, and draw conclusions about unheard nodes only
 * one lease later. recovery.ts queries the database, debts.ts tracks announcements, strays.ts returns unknown daemons.
 */
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { nodeQuietMillis, nodeSettleMillis, nodeTakenMillisMax } from "../../../src/limits/nodes.ts"
import { count } from "../../../src/runtime/metrics.ts"
import type { Timers } from "../../../src/runtime/timers.ts"
import type { Claim, LocalRoster } from "../cluster.ts"
import { Assertions } from "./assertions.ts"
import { Debts } from "./debts.ts"
import { Doubts } from "./doubts.ts"
import { Lease } from "./lease.ts"
import type { Connected, Records, Renewed, Was } from "./records.ts"
import type { Recovery } from "./recovery.ts"
import { Strays } from "./strays.ts"
import { type Settling, settleAll } from "./unknowns.ts"
import { Waiting } from "./waiting.ts"

interface Ending {
  readonly snapshot: Snapshot
  readonly told: (ours: boolean) => void
}

interface Arrival {
  readonly snapshot: Snapshot
  readonly told: (first: boolean) => void
}

/** What a node holds. */
export class Holding {
  roster: LocalRoster | undefined
  /** Told at each renewal which nodes have no lease. */
  silent: ((nodes: ReadonlyArray<string>) => void) | undefined
  /** Renews the lease. */
  readonly renew = (): Promise<Renewed> => this.lease.renew()
  private readonly wire: RedisTransport["Service"]
  private readonly timers: Timers["Service"]
  private readonly records: Records
  readonly recovery: Recovery
  private readonly debts: Debts
  private readonly strays: Strays
  readonly lease: Lease
  private readonly endings = new Waiting<Ending>()
  private readonly arrivals = new Waiting<Arrival>()
  /** Connections that were taken for a little while ago. */
  private readonly taken = new Waiting<Connected>()
  private readonly doubts = new Doubts()
  private readonly assertions: Assertions

  constructor(wire: RedisTransport["Service"], timers: Timers["Service"], records: Records, recovery: Recovery) {
    this.wire = wire
    this.timers = timers
    this.records = records
    this.recovery = recovery
    this.debts = new Debts(records)
    this.lease = new Lease(timers, records, () => this.arrivals.size > 0, {
      silent: (nodes) => this.silent?.(nodes),
      lapsed: () => this.debts.expectNothing()
    })
    const { debts, doubts, lease } = this
    this.assertions = new Assertions({ wire, records, recovery, debts, doubts, lease, roster: () => this.roster })
    const awaited = [this.taken, this.arrivals, this.endings]
    this.strays = new Strays(wire.node, records, (daemonId) => awaited.some((all) => all.hasDaemon(daemonId)))
  }

  /** Whether the line has stood for so long without a break. */
  private stood(millis: number): boolean {
    const since = this.wire.since()
    return since !== undefined && this.timers.steady() - since >= millis
  }

  async take(accountId: string, daemonId: string, epoch: number): Promise<Claim> {
    const one = { accountId, daemonId, epoch }
    this.taken.add(one, one)
    this.timers.after(nodeTakenMillisMax, () => void this.unused(one).catch(() => this.gap(false)))
    try {
      const { word, before } = await this.records.take(accountId, daemonId, epoch)
      const snapshot = before?.snapshot
      if (word === "unknown") return this.unsettled(one)
      // where the newer one has gone again, its number is not kept: any above ours says that we are the older
      if (word === "fenced") return { word: "moved", before: snapshot ?? ({ epoch: epoch + 1 } as Snapshot) }
      this.assertions.tellMoved(before?.node, daemonId, epoch)
      if (word === "moved") return { word, before: snapshot }
      // that it is pending Redis may forget
      if (word === "pending") return { ...this.unsettled(one), before: snapshot }
      this.doubts.add(one)
      this.debts.expect(one)
      return { word: "unsettled", before: snapshot }
    } catch {
      return this.unsettled(one)
    }
  }

  private unsettled(one: Connected): Claim {
    this.doubts.add(one)
    return { word: "unsettled", before: undefined }
  }

  /** A connection that was taken for and never welcomed: whoever was online before is in grace here. */
  private async unused(one: Connected): Promise<void> {
    this.taken.remove(one)
    const unwelcomed = this.debts.collect(one)
    const held = this.roster?.epochOf(one.daemonId)
    if (this.roster === undefined || (held !== undefined && held >= one.epoch)) return
    // gives back the word that was its own to tell, to whoever has the daemon now
    if (unwelcomed) await this.records.release(one, false)
    else await this.strays.bringBackOne(this.roster, one)
  }

  settle(snapshot: Snapshot, told: (first: boolean) => void): void {
    if (this.debts.collect(snapshot)) {
      this.doubts.remove(snapshot)
      told(true)
      // said again by the next round
      this.debts.pay(snapshot).catch(() => {})
    } else if (!this.arrivals.add(snapshot, { snapshot, told })) {
      count("hub_bus_dropped_total")
      told(false)
    }
  }

  release(snapshot: Snapshot, told: (ours: boolean) => void): void {
    const ending = { snapshot, told }
    // one that came and went before anyone could say whether it had been online comes first, then goes
    if (this.wire.away() || this.arrivals.hasUpTo(snapshot)) this.endLater(ending)
    else {
      const later = (): void => this.endLater(ending)
      this.end(ending).then((known) => known || later(), later)
    }
  }

  private endLater(ending: Ending): void {
    if (this.endings.add(ending.snapshot, ending)) return
    count("hub_bus_dropped_total")
    this.endings.shift()?.told(false)
    this.endings.add(ending.snapshot, ending)
  }

  /** False when Redis cannot say whether it is ours to tell; rejects when it does not answer. */
  private async end({ snapshot, told }: Ending, was?: Was): Promise<boolean> {
    const { ours, node } =
      was === "offline"
        ? { ours: false, node: "" }
        : await this.records.release(snapshot, this.debts.isPaid(snapshot), was)
    if (ours === undefined) return false
    this.endings.remove(snapshot)
    if (ours) this.assertions.tellMoved(node, snapshot.daemonId, snapshot.epoch)
    told(ours)
    if (ours) this.debts.pay(snapshot).catch(() => {})
    return true
  }

  /** Its place may have been taken, on this node, by a connection that goes on with the same time online. */
  private newestOf(snapshot: Snapshot): Snapshot {
    const newest = this.roster?.snapshotOf(snapshot.daemonId)
    return newest !== undefined && newest.epoch > snapshot.epoch && !this.arrivals.has(newest) ? newest : snapshot
  }

  private settleAll<A>(all: ReadonlyArray<A>, idOf: (one: A) => string, settle: Settling<A>): Promise<void> {
    return settleAll(this, all, idOf, settle)
  }

  /** Whether a newer connection came elsewhere, and its end was told: then this one is nobody's any more. */
  private isOver({ daemonId, epoch }: Pick<Snapshot, "daemonId" | "epoch">, was: Was, newest: number): boolean {
    if (was !== "offline" || newest <= epoch) return false
    this.roster?.moved(daemonId, epoch)
    return true
  }

  private settleDoubts(): Promise<void> {
    return this.settleAll(
      this.doubts.list(),
      ({ daemonId }) => daemonId,
      async (one, was, newest) => {
        const snapshot = this.roster?.snapshotOf(one.daemonId)
        const questioned = this.doubts.isQuestioned(one.daemonId)
        if (this.arrivals.has(one)) this.doubts.remove(one)
        else if (this.arrivals.hasDaemon(one.daemonId)) return true
        else if (snapshot?.epoch === one.epoch) {
          if (!this.isOver(one, was, newest))
            return this.assertions.own(snapshot, was ?? (questioned ? undefined : "here"))
          this.doubts.remove(one)
        } else if (!this.taken.has(one)) {
          this.doubts.remove(one)
          // a newer connection goes on with it
          if (questioned && snapshot !== undefined) this.doubts.question(snapshot)
        }
        return true
      }
    )
  }

  private settleArrivals(): Promise<void> {
    return this.settleAll(
      this.arrivals.list(),
      ({ snapshot }) => snapshot.daemonId,
      async ({ snapshot, told }, was, last) => {
        const newest = this.newestOf(snapshot)
        const { word } = this.isOver(newest, was, last) ? { word: "fenced" } : await this.assertions.one(newest, was)
        if (word === "unknown") return false
        if (word === "pending") return true
        this.arrivals.remove(snapshot)
        const first = word === "first" || word === "ended"
        told(first)
        if (first) await this.debts.pay(newest)
        return true
      }
    )
  }

  private endAll(): Promise<void> {
    return this.settleAll(
      this.endings.list(),
      ({ snapshot }) => snapshot.daemonId,
      async (ending, was) => this.arrivals.hasUpTo(ending.snapshot) || this.end(ending, was)
    )
  }

  /**
   * Whatever is taken over is ours at once, a step at a time; where an answer is lost, what Redis gave us is looked up.
   */
  private async takeOver(dead: ReadonlyArray<string>, all: boolean): Promise<void> {
    try {
      await this.recovery.from(dead, (snapshot) => this.roster?.adopt(snapshot))
      if (all) await this.recovery.all((snapshot) => this.roster?.adopt(snapshot))
    } catch (failure) {
      this.lease.stale = true
      throw failure
    }
  }

  gap(stands: boolean): void {
    if (!stands) this.lease.stale = true
  }

  /** What is ours, and what was told of it. */
  private async sayAgain(knows: boolean, absent: boolean): Promise<boolean> {
    await this.assertions.all(knows, absent, (daemonId) => this.arrivals.hasDaemon(daemonId))
    if (this.roster === undefined) return true
    await this.strays.bringBack(this.roster)
    return this.roster.recorded()
  }

  /** One round: what is ours, then arrivals, then what may be concluded. */
  async round(): Promise<void> {
    const { dead, settled, whole, alive } = await this.renew()
    await this.debts.sayAgain()
    await this.lease.sayAgain((absent) => this.sayAgain(settled, absent))
    if (this.stood(nodeSettleMillis)) {
      await this.settleArrivals()
      await this.settleDoubts()
    }
    if (!this.stood(nodeQuietMillis)) return
    await this.endAll()
    if (dead.length === 0 && settled) return
    const apart = await this.recovery.apart(alive)
    const noticed = this.lease.stands() >= nodeQuietMillis
    const all = !settled && whole && noticed && this.arrivals.size === 0 && apart.length === 0
    await this.takeOver(
      dead.filter((node) => !apart.includes(node)),
      all
    )
  }

  /** What this node takes over as it starts: what is recorded as online and held by nobody, if it is the first. */
  readonly recovered = async (): Promise<ReadonlyArray<Snapshot>> => {
    if (this.wire.away()) return []
    const ours: Array<Snapshot> = []
    try {
      const { alive } = await this.renew()
      if (alive.length > 0 || (await this.recovery.apart([])).length > 0) return []
      await this.recovery.all((snapshot) => void ours.push(snapshot))
      return ours
    } catch (failure) {
      this.lease.stale = true
      // it fell meanwhile: the same as if it had been away, and no reason not to start
      if (this.wire.away()) return ours
      throw failure
    }
  }
}
