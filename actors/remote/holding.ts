/**
 * What this node holds, made true over all nodes. Owns the order of it: what cannot be said while the line is away waits,
 * what is ours is said again when it is back, and only then, a lease later, is anything concluded of what was not heard.
 * What the database alone knows is asked of recovery.ts.
 */
import type { Wire } from "../../src/bus/wire.ts"
import type { Picture } from "../../src/domain/picture.ts"
import {
  nodeQuietMillis,
  nodeSettleMillis,
  nodeStepMachines,
  nodeTakenMillisMax,
  nodeWaitingMax
} from "../../src/limits/nodes.ts"
import { count } from "../../src/telemetry.ts"
import type { LocalRoster, Taken } from "../others.ts"
import type { Wheel } from "../wheel.ts"
import type { Records, Renewed, Word } from "./records.ts"
import type { Recovery } from "./recovery.ts"

interface Ending {
  readonly picture: Picture
  readonly told: (ours: boolean) => void
}

interface Arrival {
  readonly picture: Picture
  readonly told: (first: boolean) => void
}

const keyOf = ({ daemonId, epoch }: Pick<Picture, "daemonId" | "epoch">): string => `${daemonId}#${epoch}`

/** What a node holds. */
export class Holding {
  roster: LocalRoster | undefined
  /** Told at each renewal which nodes have no lease. */
  silent: ((nodes: ReadonlyArray<string>) => void) | undefined
  private readonly wire: Wire["Service"]
  private readonly wheel: Wheel["Service"]
  private readonly records: Records
  private readonly recovery: Recovery
  private readonly endings = new Map<string, Ending>()
  private readonly arrivals = new Map<string, Arrival>()
  /** How many of them each machine has. */
  private readonly arriving = new Map<string, number>()
  /** Of connections that nobody could say the word for: whether the database had the machine online. */
  private readonly wasOnline = new Map<string, boolean>()
  /** What is ours is to be said again: the line has been away, or our lease has ended. */
  private stale = false
  private joined = false

  constructor(wire: Wire["Service"], wheel: Wheel["Service"], records: Records, recovery: Recovery) {
    this.wire = wire
    this.wheel = wheel
    this.records = records
    this.recovery = recovery
  }

  /** Whether the line has stood for so long without a break. */
  private stood(millis: number): boolean {
    const since = this.wire.since()
    return since !== undefined && this.wheel.now() - since >= millis
  }

  /** Tells a node that a machine is here now, at this epoch. */
  private tellMoved(node: string | undefined, daemonId: string, epoch: number): void {
    if (node === undefined || node === this.wire.node) return
    this.wire.tellNode(node, "moved", JSON.stringify({ daemonId, epoch }), () => {})
  }

  async take(accountId: string, daemonId: string, epoch: number): Promise<Taken> {
    try {
      const { word, before } = await this.records.take(accountId, daemonId, epoch, "take")
      const picture = before?.picture
      if (word === "unknown") return await this.unsettled(daemonId, epoch)
      // where the newer one has gone again, its number is not kept: any above ours says that we are the older
      if (word === "fenced") return { word: "moved", before: picture ?? ({ epoch: epoch + 1 } as Picture) }
      this.tellMoved(before?.node, daemonId, epoch)
      this.wheel.after(nodeTakenMillisMax, () => this.unused(accountId, daemonId, epoch, picture))
      return { word: word === "moved" ? "moved" : "first", before: picture }
    } catch {
      return await this.unsettled(daemonId, epoch)
    }
  }

  private async unsettled(daemonId: string, epoch: number): Promise<Taken> {
    const online = await this.recovery.recordedAsOnline(daemonId)
    const key = keyOf({ daemonId, epoch })
    if (online !== undefined && this.wasOnline.size < nodeWaitingMax) {
      this.wasOnline.set(key, online)
      this.wheel.after(nodeTakenMillisMax, () => this.arrivals.has(key) || this.wasOnline.delete(key))
    }
    return { word: "unsettled", before: undefined }
  }

  /** A connection that was taken for and never welcomed: whoever was online before is in grace here. */
  private unused(accountId: string, daemonId: string, epoch: number, before: Picture | undefined): void {
    const held = this.roster?.epochOf(daemonId)
    if (held !== undefined && held >= epoch) return
    if (before !== undefined && held === undefined) this.roster?.adopt({ ...before, epoch })
    else this.records.release(accountId, daemonId, epoch).catch(() => {})
  }

  settle(picture: Picture, told: (first: boolean) => void): void {
    if (this.arrivals.size >= nodeWaitingMax) return count("hub_bus_dropped_total")
    this.arrivals.set(keyOf(picture), { picture, told })
    this.arriving.set(picture.daemonId, (this.arriving.get(picture.daemonId) ?? 0) + 1)
  }

  private arrived(key: string, { picture: { daemonId } }: Arrival): void {
    const left = (this.arriving.get(daemonId) ?? 0) - 1
    if (left > 0) this.arriving.set(daemonId, left)
    else this.arriving.delete(daemonId)
    this.arrivals.delete(key)
    this.wasOnline.delete(key)
  }

  release(picture: Picture, told: (ours: boolean) => void): void {
    // one that came and went before anyone could say whether it had been online comes first, then goes
    if (this.arriving.has(picture.daemonId)) this.endLater({ picture, told })
    else this.end({ picture, told })
  }

  private endLater(ending: Ending): void {
    if (this.endings.size < nodeWaitingMax) this.endings.set(keyOf(ending.picture), ending)
    else count("hub_bus_dropped_total")
  }

  private end(ending: Ending): void {
    const { picture, told } = ending
    const wait = (): void => this.endLater(ending)
    if (this.wire.away()) return wait()
    this.records.release(picture.accountId, picture.daemonId, picture.epoch).then(told, wait)
  }

  /** Says again what is ours: a step at a time, so that nothing else waits for it. */
  private async assertAll(): Promise<void> {
    for (const picture of [...(this.roster?.rows() ?? [])]) {
      const { daemonId, epoch } = picture
      if (this.arriving.has(daemonId) || this.roster?.epochOf(daemonId) !== epoch) continue
      if ((await this.assert(picture)) === "ended") this.roster?.begunAnew(daemonId, epoch)
    }
  }

  /** `unknown` also where our own word may be the only one there is. */
  private async assert(picture: Picture): Promise<Word> {
    const { accountId, daemonId, epoch } = picture
    const { word, before } = await this.records.take(accountId, daemonId, epoch, "assert", picture)
    // a newer one that is here too goes on
    if (word === "fenced" && before?.node !== this.wire.node) this.roster?.moved(daemonId, before?.epoch ?? epoch)
    else if (word !== "fenced") this.tellMoved(before?.node, daemonId, epoch)
    return before?.node === this.wire.node && before.epoch === epoch ? "unknown" : word
  }

  /** Its place may have been taken, on this node, by a connection that goes on with the same time online. */
  private newestOf(picture: Picture): Picture {
    const newest = this.roster?.pictureOf(picture.daemonId)
    return newest !== undefined && newest.epoch > picture.epoch && !this.arrivals.has(keyOf(newest)) ? newest : picture
  }

  private async settleArrivals(settled: boolean): Promise<void> {
    for (const [key, arrival] of [...this.arrivals]) {
      const { picture, told } = arrival
      const word = await this.assert(this.newestOf(picture))
      const was = this.wasOnline.get(key)
      this.arrived(key, arrival)
      if (word === "unknown") told(was !== true)
      // where Redis forgot, whoever came later and knew it recorded as online said nothing
      else told(word === "first" || word === "ended" || (word === "fenced" && !settled && was === false))
    }
  }

  private async endAll(): Promise<void> {
    for (const [key, ending] of [...this.endings]) {
      // Redis may have lost what it knew: what ends must have been ours
      const word = await this.assert(ending.picture)
      this.endings.delete(key)
      if (word === "fenced") ending.told(false)
      else if (word === "ended") this.end({ ...ending, told: () => ending.told(false) })
      else this.end(ending)
    }
  }

  private async adoptFrom(dead: ReadonlyArray<string>): Promise<void> {
    for (const node of dead) {
      for (;;) {
        const taken = await this.records.adopt(node, nodeStepMachines)
        if (taken.length === 0) break
        for (const { picture } of taken) if (picture !== undefined) this.roster?.adopt(picture)
      }
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
    this.silent?.(renewed.dead)
    return renewed
  }

  /** One round: what is ours, then arrivals, then what may be concluded. */
  async round(): Promise<void> {
    const { dead, settled, whole, alive } = await this.renew()
    if (this.stale) {
      this.stale = false
      try {
        await this.assertAll()
      } catch (failure) {
        this.stale = true
        throw failure
      }
    }
    if (this.stood(nodeSettleMillis)) await this.settleArrivals(settled)
    if (!this.stood(nodeQuietMillis)) return
    await this.endAll()
    if (dead.length === 0 && settled) return
    const apart = await this.recovery.apart(alive)
    await this.adoptFrom(dead.filter((node) => !apart.includes(node)))
    if (settled || !whole || this.arrivals.size > 0 || apart.length > 0) return
    for (const picture of await this.recovery.all()) this.roster?.adopt(picture)
  }

  /** What this node takes over as it starts: what is recorded as online and held by nobody, if it is the first. */
  readonly recovered = async (): Promise<ReadonlyArray<Picture>> => {
    if (this.wire.away()) return []
    try {
      const { alive } = await this.renew()
      if (alive.length > 0 || (await this.recovery.apart([])).length > 0) return []
      return await this.recovery.all()
    } catch (failure) {
      // it fell meanwhile: the same as if it had been away, and no reason not to start
      if (this.wire.away()) return []
      throw failure
    }
  }
}
