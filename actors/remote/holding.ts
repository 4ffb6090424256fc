/**
 * What this node holds, made true over all nodes. Owns the order of it: what cannot be said while the line is away waits,
 * what is ours is said again when it is back, and only then, a lease later, is anything concluded of what was not heard.
 */
import { Effect } from "effect"
import type { Wire } from "../../src/bus/wire.ts"
import type { Picture } from "../../src/domain/picture.ts"
import {
  nodeQuietMillis,
  nodeRenewMillis,
  nodeSettleMillis,
  nodeStepMachines,
  nodeTakenMillisMax,
  nodeWaitingMax
} from "../../src/limits/nodes.ts"
import { count } from "../../src/telemetry.ts"
import type { LocalRoster, Taken } from "../others.ts"
import type { Wheel } from "../wheel.ts"
import type { Records } from "./records.ts"

interface Ending {
  readonly picture: Picture
  readonly told: (ours: boolean) => void
}

interface Arrival {
  readonly picture: Picture
  readonly told: (first: boolean) => void
}

const keyOf = ({ daemonId, epoch }: Picture): string => `${daemonId}#${epoch}`

/** What a node holds. */
export class Holding {
  roster: LocalRoster | undefined
  private readonly wire: Wire["Service"]
  private readonly wheel: Wheel["Service"]
  private readonly records: Records
  private readonly endings = new Map<string, Ending>()
  private readonly arrivals = new Map<string, Arrival>()
  /** The line has been away: what is ours is to be said again. */
  private stale = false

  constructor(wire: Wire["Service"], wheel: Wheel["Service"], records: Records) {
    this.wire = wire
    this.wheel = wheel
    this.records = records
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
      if (word === "unsettled") return { word, before: undefined }
      if (word === "fenced") return { word: "moved", before: picture ?? ({ epoch: before!.epoch } as Picture) }
      this.tellMoved(before?.node, daemonId, epoch)
      this.wheel.after(nodeTakenMillisMax, () => this.unused(accountId, daemonId, epoch, picture))
      return { word, before: picture }
    } catch {
      return { word: "unsettled", before: undefined }
    }
  }

  /** A connection that was taken for and never welcomed: whoever was online before is in grace here. */
  private unused(accountId: string, daemonId: string, epoch: number, before: Picture | undefined): void {
    const held = this.roster?.epochOf(daemonId)
    if (held !== undefined && held >= epoch) return
    if (before !== undefined && held === undefined) this.roster?.adopt({ ...before, epoch })
    else this.records.release(accountId, daemonId, epoch).catch(() => {})
  }

  settle(picture: Picture, told: (first: boolean) => void): void {
    if (this.arrivals.size < nodeWaitingMax) this.arrivals.set(keyOf(picture), { picture, told })
    else count("hub_bus_dropped_total")
  }

  release(picture: Picture, told: (ours: boolean) => void): void {
    // one that came and went before anyone could say whether it had been online comes first, then goes
    if (this.arrivals.has(keyOf(picture))) this.endLater({ picture, told })
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
    const unsettled = new Set([...this.arrivals.values()].map(({ picture }) => keyOf(picture)))
    for (const picture of [...(this.roster?.rows() ?? [])]) {
      if (unsettled.has(keyOf(picture)) || this.roster?.epochOf(picture.daemonId) !== picture.epoch) continue
      await this.assert(picture)
    }
  }

  private async assert(picture: Picture): Promise<"first" | "moved" | "fenced"> {
    const { accountId, daemonId, epoch } = picture
    const { word, before } = await this.records.take(accountId, daemonId, epoch, "assert", picture)
    if (word === "fenced") this.roster?.moved(daemonId, before!.epoch)
    else this.tellMoved(before?.node, daemonId, epoch)
    return word as "first" | "moved" | "fenced"
  }

  private async settleArrivals(): Promise<void> {
    for (const [key, { picture, told }] of [...this.arrivals]) {
      const word = await this.assert(picture)
      this.arrivals.delete(key)
      told(word === "first")
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

  /** One round: lease, then what is ours, then arrivals, then what may be concluded. */
  private async round(): Promise<void> {
    const { dead } = await this.records.renew()
    if (this.stale) {
      this.stale = false
      try {
        await this.assertAll()
      } catch (failure) {
        this.stale = true
        throw failure
      }
    }
    if (this.stood(nodeSettleMillis)) await this.settleArrivals()
    if (!this.stood(nodeQuietMillis)) return
    await this.records.settled()
    for (const [key, ending] of [...this.endings]) {
      // Redis may have lost what it knew: what ends must have been ours
      const word = await this.assert(ending.picture)
      this.endings.delete(key)
      if (word === "fenced") ending.told(false)
      else this.end(ending)
    }
    await this.adoptFrom(dead)
  }

  /** Rounds for ever. A round that fails is tried again. */
  readonly rounds = Effect.gen({ self: this }, function* () {
    while (true) {
      if (!this.wire.away()) {
        yield* Effect.catch(
          Effect.tryPromise(() => this.round()),
          (failure) => Effect.logDebug("a round over the nodes failed", failure.cause)
        )
      }
      yield* Effect.sleep(nodeRenewMillis)
    }
  })

  /** What this node takes over as it starts: what is recorded as online and held by nobody, if it is the first. */
  readonly recovered = async (recorded: () => Promise<ReadonlyArray<Picture>>): Promise<ReadonlyArray<Picture>> => {
    if (this.wire.away()) return []
    const { alive } = await this.records.renew()
    if (alive > 0) return []
    const pictures = await recorded()
    const ours: Array<Picture> = []
    for (let at = 0; at < pictures.length; at += nodeStepMachines) {
      ours.push(...(await this.records.recover(pictures.slice(at, at + nodeStepMachines))))
    }
    await this.records.settled()
    return ours
  }
}
