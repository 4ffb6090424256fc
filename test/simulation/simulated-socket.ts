/**
 * A socket between a simulated daemon and a node. Owns the order and the delay of frames on each way, what passes when
 * the network is cut, and when each side learns of the end. Knows no frame.
 */
import type { Connection, Peer } from "../../actors/daemon/socket-port.ts"
import type { Random } from "./seeded-random.ts"
import type { VirtualProcess, VirtualTime } from "./virtual-time.ts"

/** The daemon's end. */
export interface SocketListener {
  readonly frame: (text: string) => void
  readonly closed: (code: number) => void
}

const abnormal = 1006
const wayMillis = 5
const unnoticedMillis = 40_000

/** The socket. */
export class SimulatedSocket implements Peer {
  readonly address: string
  /** The hub's end. */
  link: Connection | undefined
  readonly node: VirtualProcess
  private readonly time: VirtualTime
  private readonly random: Random
  private readonly listener: SocketListener
  private toHubAt = 0
  private toDaemonAt = 0
  /** When the hub's end was over. */
  hubEndedAt: number | undefined
  private isCut = false
  private hubOver = false
  private daemonOver = false

  constructor(
    node: VirtualProcess,
    address: string,
    listener: SocketListener,
    world: { readonly time: VirtualTime; readonly random: Random }
  ) {
    this.node = node
    this.address = address
    this.listener = listener
    this.time = world.time
    this.random = world.random
  }

  /** Whether the hub's end is open. */
  get isOpenAtHub(): boolean {
    return !this.hubOver && !this.node.dead
  }

  /** Whether what one side sends arrives at the other. */
  get passes(): boolean {
    return !this.isCut && !this.daemonOver && this.isOpenAtHub
  }

  // the hub's side

  send(text: string): "sent" | "dropped" {
    if (this.hubOver) return "dropped"
    if (!this.isCut) this.towardsDaemon(() => this.listener.frame(text))
    return "sent"
  }

  belongsTo(): void {}

  ping(payload: string): void {
    // draws nothing, so that a seed's other choices stay what they are
    this.time.after(2 * wayMillis, () => this.passes && this.link?.heard(payload), this.node)
  }

  close(code: number): void {
    if (this.hubOver) return
    this.endedAtHub()
    if (!this.isCut) this.towardsDaemon(() => this.endDaemon(code))
    this.time.after(this.random.between(0, 2 * wayMillis), () => this.link?.closed(code), this.node)
  }

  cut(): void {
    this.close(abnormal)
  }

  // the daemon's side

  /** The hub has taken the socket. */
  opened(link: Connection): void {
    this.link = link
  }

  write(text: string): void {
    if (this.isCut || this.daemonOver) return
    this.towardsHub(() => {
      if (!this.hubOver) this.link?.receive(text, Buffer.byteLength(text))
    })
  }

  /** The daemon ends it. */
  hangUp(code: number): void {
    if (this.daemonOver) return
    this.daemonOver = true
    if (!this.isCut) this.towardsHub(() => this.endHub(code))
  }

  /** Nothing passes any more; each side finds out by itself, the hub not before this. */
  cutOff(unnoticed = 1_000): void {
    if (this.isCut) return
    this.isCut = true
    this.time.after(this.random.between(unnoticed, unnoticedMillis), () => this.endHub(abnormal), this.node)
    this.time.after(this.random.between(1_000, unnoticedMillis), () => this.endDaemon(abnormal))
  }

  /** The node was killed: its kernel says so. */
  reset(): void {
    this.endedAtHub()
    if (!this.isCut) this.towardsDaemon(() => this.endDaemon(abnormal))
  }

  private endHub(code: number): void {
    if (this.hubOver) return
    this.endedAtHub()
    this.link?.closed(code)
  }

  private endedAtHub(): void {
    this.hubOver = true
    this.hubEndedAt ??= this.time.now
  }

  private endDaemon(code: number): void {
    if (this.daemonOver) return
    this.daemonOver = true
    this.listener.closed(code)
  }

  private towardsHub(run: () => void): void {
    const { time, random } = this
    this.toHubAt = Math.max(this.toHubAt, time.now + random.between(0, wayMillis))
    time.after(this.toHubAt - time.now, run, this.node)
  }

  private towardsDaemon(run: () => void): void {
    const { time, random } = this
    this.toDaemonAt = Math.max(this.toDaemonAt, time.now + random.between(0, wayMillis))
    time.after(this.toDaemonAt - time.now, () => {
      if (!this.isCut && !this.daemonOver) run()
    })
  }
}
