/**
 * What this node holds, made true over all nodes. Owns the order of it: what cannot be said while the line is away waits,
 * what is ours is said again when it is back, and only then, a lease later, is anything concluded of what was not heard.
 * What the database alone knows is asked of recovery.ts, what was told is debts.ts's, what nobody here knows is strays.ts's.
 */
import type { Wire } from "../../src/bus/wire.ts"
import type { Picture } from "../../src/domain/picture.ts"
import { nodeQuietMillis, nodeSettleMillis, nodeTakenMillisMax } from "../../src/limits/nodes.ts"
import { count } from "../../src/telemetry.ts"
import type { LocalRoster, Taken } from "../others.ts"
import type { Wheel } from "../wheel.ts"
import { Debts } from "./debts.ts"
import type { Asserting, Connected, Records, Renewed, Took } from "./records.ts"
import type { Recovery } from "./recovery.ts"
import { Strays } from "./strays.ts"
import { Waiting } from "./waiting.ts"

interface Ending {
  readonly picture: Picture
  readonly told: (ours: boolean) => void
}

interface Arrival {
  readonly picture: Picture
  readonly told: (first: boolean) => void
}

/** What a node holds. */
export class Holding {
  roster: LocalRoster | undefined
  /** Told at each renewal which nodes have no lease. */
  silent: ((nodes: ReadonlyArray<string>) => void) | undefined
  private readonly wire: Wire["Service"]
  private readonly wheel: Wheel["Service"]
  private readonly records: Records
  private readonly recovery: Recovery
  private readonly debts: Debts
  private readonly strays: Strays
  private readonly endings = new Waiting<Ending>()
  private readonly arrivals = new Waiting<Arrival>()
  /** Connections that were taken for a little while ago. */
  private readonly taken = new Waiting<Connected>()
  /** Connections whose word may still begin a time online. */
  private readonly doubts = new Waiting<Connected>()
  /** Of connections that nobody could say the word for: whether the database had the machine online. */
  private readonly wasOnline = new Waiting<boolean>()
  private alive: ReadonlyArray<string> = []
  /** What is ours is to be said again: the line has been away, or our lease has ended. */
  private stale = false
  private joined = false

  constructor(wire: Wire["Service"], wheel: Wheel["Service"], records: Records, recovery: Recovery) {
    this.wire = wire
    this.wheel = wheel
    this.records = records
    this.recovery = recovery
    this.debts = new Debts(records)
    const awaited = [this.taken, this.arrivals, this.endings]
    this.strays = new Strays(wire.node, records, (daemonId) => awaited.some((all) => all.hasMachine(daemonId)))
  }

  /** Whether the line has stood for so long without a break. */
  private stood(millis: number): boolean {
    const since = this.wire.since()
    return since !== undefined && this.wheel.steady() - since >= millis
  }

  /** Tells a node that a machine is here now, at this epoch. */
  private tellMoved(node: string | undefined, daemonId: string, epoch: number): void {
    if (node === undefined || node === "" || node === this.wire.node) return
    this.wire.tellNode(node, "moved", JSON.stringify({ daemonId, epoch }), () => {})
  }

  async take(accountId: string, daemonId: string, epoch: number): Promise<Taken> {
    const one = { accountId, daemonId, epoch }
    this.taken.add(one, one)
    this.wheel.after(nodeTakenMillisMax, () => void this.unused(one).catch(() => this.gap(false)))
    try {
      const { word, before } = await this.records.take(accountId, daemonId, epoch)
      const picture = before?.picture
      if (word === "unknown") return await this.unsettled(one)
      // where the newer one has gone again, its number is not kept: any above ours says that we are the older
      if (word === "fenced") return { word: "moved", before: picture ?? ({ epoch: epoch + 1 } as Picture) }
      this.tellMoved(before?.node, daemonId, epoch)
      if (word === "moved") return { word, before: picture }
      // that it is pending Redis may forget
      if (word === "pending") return { ...(await this.unsettled(one)), before: picture }
      this.doubts.add(one, one)
      this.debts.expect(one)
      return { word: "unsettled", before: picture }
    } catch {
      return await this.unsettled(one)
    }
  }

  private async unsettled(one: Connected): Promise<Taken> {
    this.doubts.add(one, one)
    const online = await this.recovery.recordedAsOnline(one.daemonId)
    if (online !== undefined) this.wasOnline.add(one, online)
    return { word: "unsettled", before: undefined }
  }

  /** A connection that was taken for and never welcomed: whoever was online before is in grace here. */
  private async unused(one: Connected): Promise<void> {
    this.taken.remove(one)
    if (!this.arrivals.has(one)) this.wasOnline.remove(one)
    const unwelcomed = this.debts.collect(one)
    const held = this.roster?.epochOf(one.daemonId)
    if (this.roster === undefined || (held !== undefined && held >= one.epoch)) return
    // gives back the word that was its own to tell, to whoever has the machine now
    if (unwelcomed) await this.records.release(one, false)
    else await this.strays.bringBackOne(this.roster, one)
  }

  settle(picture: Picture, told: (first: boolean) => void): void {
    if (this.debts.collect(picture)) {
      this.doubts.remove(picture)
      told(true)
      // said again by the next round
      this.debts.pay(picture).catch(() => {})
    } else if (!this.arrivals.add(picture, { picture, told })) {
      count("hub_bus_dropped_total")
      told(false)
    }
  }

  release(picture: Picture, told: (ours: boolean) => void): void {
    const ending = { picture, told }
    // one that came and went before anyone could say whether it had been online comes first, then goes
    if (this.wire.away() || this.arrivals.hasMachine(picture.daemonId)) this.endLater(ending)
    else this.end(ending).catch(() => this.endLater(ending))
  }

  private endLater(ending: Ending): void {
    if (this.endings.add(ending.picture, ending)) return
    count("hub_bus_dropped_total")
    this.endings.shift()?.told(false)
    this.endings.add(ending.picture, ending)
  }

  /** Rejects when nobody can say whether it is ours to tell. */
  private async end({ picture, told }: Ending): Promise<void> {
    const { ours, node } = await this.records.release(picture, this.debts.isPaid(picture))
    this.endings.remove(picture)
    if (ours) this.tellMoved(node, picture.daemonId, picture.epoch)
    told(ours)
    if (ours) this.debts.pay(picture).catch(() => {})
  }

  /** Says again what is ours: a step at a time, so that nothing else waits for it. */
  private async assertAll(): Promise<void> {
    for (const picture of [...(this.roster?.rows() ?? [])]) {
      const { daemonId, epoch } = picture
      if (this.arrivals.hasMachine(daemonId) || this.roster?.epochOf(daemonId) !== epoch) continue
      await this.assertOwn(picture)
    }
  }

  /** One that goes on, as far as this node knows. */
  private async assertOwn(picture: Picture): Promise<void> {
    const { word } = await this.assert(picture, "online")
    if (word === "pending") return void this.doubts.add(picture, picture)
    this.doubts.remove(picture)
    if (word !== "first" && word !== "ended") return
    this.roster?.begunAnew(picture.daemonId, picture.epoch)
    if (this.roster?.epochOf(picture.daemonId) === picture.epoch) await this.debts.pay(picture)
  }

  private async assert(picture: Picture, was: Asserting["was"]): Promise<Took> {
    const { daemonId, epoch } = picture
    const first = await this.records.assert(picture, { was })
    const gone = first.word === "pending" && (await this.isGone(first.ower)) ? first.ower : undefined
    const took = gone === undefined ? first : await this.records.assert(picture, { was, gone })
    const { word, before } = took
    // a newer one that is here too goes on
    if (word === "fenced" && before?.node !== this.wire.node) this.roster?.moved(daemonId, before?.epoch ?? epoch)
    else if (word !== "fenced") this.tellMoved(first.before?.node, daemonId, epoch)
    return took
  }

  /** Whether a node will tell nothing any more. */
  private async isGone(node: string): Promise<boolean> {
    if (node === this.wire.node || this.alive.includes(node)) return false
    const apart = await this.recovery.apart(this.alive).catch(() => undefined)
    return apart?.includes(node) === false
  }

  /** Its place may have been taken, on this node, by a connection that goes on with the same time online. */
  private newestOf(picture: Picture): Picture {
    const newest = this.roster?.pictureOf(picture.daemonId)
    return newest !== undefined && newest.epoch > picture.epoch && !this.arrivals.has(newest) ? newest : picture
  }

  private async settleDoubts(): Promise<void> {
    for (const one of this.doubts.list()) {
      const picture = this.roster?.pictureOf(one.daemonId)
      if (this.arrivals.has(one)) this.doubts.remove(one)
      else if (this.arrivals.hasMachine(one.daemonId)) continue
      else if (picture?.epoch === one.epoch) await this.assertOwn(picture)
      else if (!this.taken.has(one)) this.doubts.remove(one)
    }
  }

  private async settleArrivals(settled: boolean): Promise<void> {
    for (const { picture, told } of this.arrivals.list()) {
      const newest = this.newestOf(picture)
      const was = this.wasOnline.get(picture)
      const { word, ower } = await this.assert(newest, was === true ? "online" : "offline")
      if (word === "pending") continue
      this.arrivals.remove(picture)
      this.wasOnline.remove(picture)
      // where Redis forgot, whoever came later and knew it recorded as online said nothing
      const forgotten = word === "fenced" && ower === "" && !settled && was === false
      const first = word === "first" || word === "ended"
      told(first || forgotten)
      if (first) await this.debts.pay(newest)
    }
  }

  private async endAll(): Promise<void> {
    for (const ending of this.endings.list()) {
      if (!this.arrivals.hasMachine(ending.picture.daemonId)) await this.end(ending)
    }
  }

  /** Whatever is taken over is ours at once, a step at a time; where an answer is lost, what Redis gave us is looked up. */
  private async takeOver(dead: ReadonlyArray<string>, all: boolean): Promise<void> {
    try {
      await this.recovery.from(dead, (picture) => this.roster?.adopt(picture))
      if (all) await this.recovery.all((picture) => this.roster?.adopt(picture))
    } catch (failure) {
      this.stale = true
      throw failure
    }
  }

  gap(stands: boolean): void {
    if (!stands) this.stale = true
  }

  /** Renews the lease. */
  async renew(): Promise<Renewed> {
    const renewed = await this.records.renew(!this.stale && this.arrivals.size === 0)
    if (renewed.lapsed && this.joined) this.stale = true
    this.joined = true
    this.alive = renewed.alive
    this.silent?.(renewed.dead)
    return renewed
  }

  private async sayAgain(): Promise<void> {
    await this.debts.sayAgain()
    if (!this.stale) return
    this.stale = false
    try {
      await this.assertAll()
      if (this.roster !== undefined) await this.strays.bringBack(this.roster)
    } catch (failure) {
      this.stale = true
      throw failure
    }
  }

  /** One round: what is ours, then arrivals, then what may be concluded. */
  async round(): Promise<void> {
    const { dead, settled, whole, alive } = await this.renew()
    await this.sayAgain()
    if (this.stood(nodeSettleMillis)) {
      await this.settleArrivals(settled)
      await this.settleDoubts()
    }
    if (!this.stood(nodeQuietMillis)) return
    await this.endAll()
    if (dead.length === 0 && settled) return
    const apart = await this.recovery.apart(alive)
    const all = !settled && whole && this.arrivals.size === 0 && apart.length === 0
    await this.takeOver(
      dead.filter((node) => !apart.includes(node)),
      all
    )
  }

  /** What this node takes over as it starts: what is recorded as online and held by nobody, if it is the first. */
  readonly recovered = async (): Promise<ReadonlyArray<Picture>> => {
    if (this.wire.away()) return []
    const ours: Array<Picture> = []
    try {
      const { alive } = await this.renew()
      if (alive.length > 0 || (await this.recovery.apart([])).length > 0) return []
      await this.recovery.all((picture) => void ours.push(picture))
      return ours
    } catch (failure) {
      this.stale = true
      // it fell meanwhile: the same as if it had been away, and no reason not to start
      if (this.wire.away()) return ours
      throw failure
    }
  }
}
