/**
 * The bus between the nodes of a simulated hub, as src/bus/redis-transport.ts promises it: messages in the order of
 * each pair of nodes, later, at most once; a node that is cut off learns it within a second, and one that lost a
 * message, or missed those of a node that was cut off, by the next beat. Owns the ways and their faults. Large texts,
 * which go through Redis itself, are refused.
 */
import { Effect, type Scope } from "effect"
import { messageAuthentication } from "../../src/bus/message-authentication.ts"
import { type ReceivedMessage, RedisTransport } from "../../src/bus/redis-transport.ts"
import { busAwayCacheMillis, busBeatMillis, busSilenceMillisMax } from "../../src/limits/nodes.ts"
import type { Random } from "./seeded-random.ts"
import type { VirtualProcess, VirtualTime } from "./virtual-time.ts"

const wayMillis = 3

/** One node's way to the others. */
export class BusLine {
  /** How likely a message to this node is lost. */
  loss = 0
  cut = false
  away = false
  /** Something that it sent to all reached none. */
  unheard = false
  private cutAt = 0
  /** How much longer every message takes to this node. */
  lagMillis = 0
  readonly process: VirtualProcess
  private readonly bus: SimulatedBus
  private readonly listeners = new Map<string, Set<(heard: ReceivedMessage) => void>>()
  private readonly gapListeners = new Set<(stands: boolean) => void>()
  private readonly arrivals = new Map<string, number>()

  constructor(bus: SimulatedBus, process: VirtualProcess) {
    this.bus = bus
    this.process = process
  }

  /** Nothing passes any more; the node notices after a second of silence. */
  disconnect(): void {
    if (this.cut) return
    this.cut = true
    this.cutAt = this.bus.time.now
    const notice = (): void => {
      if (!this.cut) return
      this.away = true
      this.gap()
      this.bus.time.after(busAwayCacheMillis, notice, this.process)
    }
    this.bus.time.after(busSilenceMillisMax, notice, this.process)
  }

  connect(): void {
    if (!this.cut) return
    this.cut = false
    this.gapSoon()
    // what it sent to all meanwhile, its beats at least, has numbers that the others miss
    if (this.unheard || this.bus.time.now - this.cutAt >= busBeatMillis) this.bus.missed(this)
    this.unheard = false
  }

  /** Messages may be missing, which the next beat shows. */
  gapSoon(): void {
    this.bus.time.after(
      busBeatMillis,
      () => {
        if (this.cut) return
        this.away = false
        this.gap()
      },
      this.process
    )
  }

  /** When a message of that node arrives: never before one that it sent earlier. */
  arrivalFrom(node: string): number {
    const { time, random } = this.bus
    const at = Math.max(this.arrivals.get(node) ?? 0, time.now + this.lagMillis + random.between(0, wayMillis))
    this.arrivals.set(node, at)
    return at - time.now
  }

  hear(kind: string, heard: ReceivedMessage): void {
    for (const listener of this.listeners.get(kind) ?? []) listener(heard)
  }

  private gap(): void {
    for (const listener of this.gapListeners) listener(!this.away)
  }

  /** What the hub has of it. */
  get transport(): RedisTransport["Service"] {
    const { bus, process } = this
    const { name: node } = process
    const refused = (): Promise<never> => Promise.reject(new Error("not simulated"))
    return RedisTransport.of({
      node,
      prefix: "hub:0:",
      authentication: messageAuthentication(new Uint8Array(32), () => bus.time.now),
      tellAll: (kind, json) => bus.tellAll(this, kind, json),
      tellNode: (to, kind, json, lost) => bus.tellNode(this, to, kind, json, lost),
      hear: (kind, listener) => {
        const all = this.listeners.get(kind) ?? new Set()
        this.listeners.set(kind, all)
        return registered(all, listener)
      },
      gaps: (listener) => registered(this.gapListeners, listener),
      away: () => this.away,
      call: refused,
      callLarge: refused
    })
  }
}

const registered = <A>(all: Set<A>, one: A): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => all.add(one)),
      () => Effect.sync(() => all.delete(one))
    )
  )

/** The bus. */
export class SimulatedBus {
  readonly time: VirtualTime
  readonly random: Random
  private readonly lines = new Map<string, BusLine>()

  constructor(time: VirtualTime, random: Random) {
    this.time = time
    this.random = random.fork()
  }

  join(process: VirtualProcess): BusLine {
    const line = new BusLine(this, process)
    this.lines.set(process.name, line)
    return line
  }

  tellAll(from: BusLine, kind: string, json: string): void {
    if (from.cut) {
      from.unheard = true
      return
    }
    for (const to of this.lines.values()) this.carry(from, to, kind, json)
  }

  tellNode(from: BusLine, to: string, kind: string, json: string, lost: (surely: boolean) => void): void {
    const target = this.lines.get(to)
    const reached = !from.cut && target !== undefined && !target.cut && !target.process.dead
    if (reached) this.carry(from, target, kind, json)
    else this.time.after(this.random.between(0, wayMillis), () => lost(!from.cut), from.process)
  }

  /** The other nodes learn by its next beat that they missed something of this one. */
  missed(from: BusLine): void {
    for (const line of this.lines.values()) if (line !== from && !line.process.dead) line.gapSoon()
  }

  private carry(from: BusLine, to: BusLine, kind: string, json: string): void {
    if (to.cut || to.process.dead) return
    if (to !== from && this.random.chance(to.loss)) return to.gapSoon()
    const sender = from.process.name
    this.time.after(
      to.arrivalFrom(sender),
      () => {
        if (!to.cut) to.hear(kind, { from: sender, message: JSON.parse(json) })
      },
      to.process
    )
  }
}
