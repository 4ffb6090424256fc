/**
 * A simulated daemon: connects to any node, reports events until they are acknowledged, and is lost in every way. Owns
 * the daemon's side of the protocol but for its commands (simulated-daemon-commands.ts); judges only what the hub tells
 * it of itself.
 */
import { Connections } from "../../actors/connections/connections.ts"
import { relayedEvents } from "../../src/domain/event/events.ts"
import { reconnectAfter } from "../../src/protocol/close.ts"
import type { Random } from "./seeded-random.ts"
import { Executing } from "./simulated-daemon-commands.ts"
import type { SimulatedNode } from "./simulated-node.ts"
import { SimulatedSocket } from "./simulated-socket.ts"
import type { Monitor } from "./step-invariants.ts"
import type { VirtualProcess, VirtualTime } from "./virtual-time.ts"

interface Frame {
  readonly type: string
  readonly data: {
    readonly id?: string
    readonly ids?: ReadonlyArray<string>
    readonly payload?: unknown
    readonly durable?: boolean
    readonly afterMs?: number
    readonly daemonId?: string
    readonly connectionEpoch?: number
  }
}

/** What a daemon lives in. */
export interface DaemonWorld {
  readonly time: VirtualTime
  readonly random: Random
  readonly monitor: Monitor
  readonly nodes: ReadonlyArray<SimulatedNode>
  /** Everything is mended: what would be left to chance goes well. */
  readonly isHealed: boolean
  /** The newest connection of a daemon, as the store has it. */
  readonly epochOf: (daemonId: string) => number | undefined
  /** Writes into the course. */
  readonly trace: (text: string) => void
}

/** How a daemon leaves. */
export type Leaving = "clean" | "reset" | "silent"

const capabilities = ["durable_commands", "command_cancel"]
const dialMillis = 200
const backoffMillis = 4_000
const closedMillisMax = 2_000

/** One daemon. */
export class SimulatedDaemon {
  readonly daemonId: string
  readonly accountId: string
  /** Its owner revoked it, or is about to. */
  revoked = false
  /** It is switched off. */
  off = false
  accepted = false
  socket: SimulatedSocket | undefined
  /** Events that no `event_ack` came for. */
  readonly unacknowledged = new Map<string, string>()
  readonly commands: Executing
  /** The codes that the hub closed its connections with. */
  readonly closedWith = new Set<number>()
  /** Of the connection that the hub accepted last. */
  private epoch = 0
  private readonly token: string
  private readonly world: DaemonWorld
  private readonly random: Random
  private readonly nth: number
  private readonly earlier: Array<SimulatedSocket> = []
  private events = 0

  constructor(
    { daemonId, accountId, token }: { readonly daemonId: string; readonly accountId: string; readonly token: string },
    nth: number,
    world: DaemonWorld
  ) {
    this.daemonId = daemonId
    this.accountId = accountId
    this.token = token
    this.nth = nth
    this.world = world
    this.random = world.random.fork()
    this.commands = new Executing(this, this.random, world)
  }

  /** Durable commands that it still has. */
  get kept(): ReadonlyMap<string, unknown> {
    return this.commands.kept
  }

  /** Whether it and a node both take it for connected. */
  isConnectedTo(node: string): boolean {
    return this.accepted && this.socket?.node.name === node && this.socket.isOpenAtHub
  }

  /** Whether it and a node hear each other; either may take it for connected for long after a connection was cut. */
  isHeardBy(node: string): boolean {
    return this.isConnectedTo(node) && this.socket?.passes === true
  }

  /** How long its last accepted connection to a node is over there; undefined: it is not, or there was none. */
  lostFor(node: string): number | undefined {
    const own = this.earlier.filter((socket) => socket.node.name === node)
    if (own.length === 0 || own.some(({ hubEndedAt }) => hubEndedAt === undefined)) return undefined
    return this.world.time.now - Math.max(...own.map(({ hubEndedAt }) => hubEndedAt!))
  }

  /** Dials a node after a while. */
  dialSoon(millis: number): void {
    const { time, random } = this.world
    time.after(random.between(0, millis), () => {
      if (this.socket === undefined && !this.off) this.dial()
    })
  }

  /** It is lost: cleanly, by a reset, or without a word. */
  leave(how: Leaving): void {
    const { socket } = this
    if (socket === undefined) return
    if (how === "silent") return socket.cutOff()
    this.forget()
    socket.hangUp(how === "clean" ? 1_000 : 1_006)
    this.dialSoon(backoffMillis * 4)
  }

  /** It gives its connection up without closing it, which the hub does not notice for so long, and dials again. */
  abandon(to?: SimulatedNode, unnoticed?: number): void {
    this.socket?.cutOff(unnoticed)
    this.forget()
    this.dial(to)
  }

  /** It leaves, and does not come back. */
  switchOff(how: Leaving = "clean"): void {
    this.off = true
    const { socket } = this
    this.forget()
    if (how === "silent") socket?.cutOff()
    else socket?.hangUp(how === "clean" ? 1_000 : 1_006)
  }

  /** It is back: dials this node, or any. */
  switchOn(to?: SimulatedNode): void {
    this.off = false
    if (this.socket === undefined && !this.revoked) this.dial(to)
  }

  /** Something happens to one of its agents. */
  report(): void {
    const id = `e${this.nth}-${this.events++}`
    const event = this.random.pick(relayedEvents)
    this.unacknowledged.set(id, event)
    this.sendEvent(id, event)
  }

  private dial(to?: SimulatedNode): void {
    const { time, nodes, random } = this.world
    const up = nodes.filter(({ isUp }) => isUp)
    if (up.length === 0) return this.dialSoon(dialMillis * 10)
    const node = to?.isUp === true ? to : random.pick(up)
    const socket: SimulatedSocket = new SimulatedSocket(
      node.process,
      `192.0.2.${this.nth}`,
      {
        frame: (text) => {
          if (this.socket === socket) this.receive(JSON.parse(text) as Frame)
        },
        closed: (code) => {
          if (this.socket === socket) this.closed(code)
        }
      },
      { time, random: this.random }
    )
    this.socket = socket
    time.after(random.between(1, dialMillis), () => this.arrive(socket, node), node.process)
    // a node that does not answer is given up
    time.after(12_000, () => {
      if (this.socket === socket && !this.accepted) this.abandon()
    })
    if (node.process.dead) this.closed(1_006)
  }

  private arrive(socket: SimulatedSocket, node: SimulatedNode): void {
    if (!node.isUp) return
    const connections = node.get(Connections)
    if (!connections.admits(socket.address)) return socket.cut()
    socket.opened(connections.open(socket))
    const auth = {
      token: this.token,
      protocol: 1,
      instanceId: "i",
      version: "1",
      hostname: `host${this.nth}`,
      platform: "linux",
      capabilities,
      commands: [...this.kept.keys()]
    }
    socket.write(JSON.stringify({ type: "auth", data: auth }))
  }

  private forget(): void {
    this.socket = undefined
    this.accepted = false
  }

  private closed(code: number): void {
    const wasAccepted = this.accepted
    this.closedWith.add(code)
    this.world.trace(`${this.daemonId} is closed with ${code}`)
    this.forget()
    if (code === 4401 || code === 4403) {
      if (!this.revoked) this.world.monitor.fail(`${this.daemonId} is sent away with ${code} and was not revoked`)
      return
    }
    if (code === 4409 && wasAccepted && this.world.epochOf(this.daemonId) === this.epoch)
      this.world.monitor.fail(`${this.daemonId} is sent away as replaced, and its connection is the newest`)
    // this is its only connection: another instance of it, which it would make room for, there is none
    if (reconnectAfter(code) === "never" && code !== 4409) return
    this.dialSoon(backoffMillis)
  }

  /** Sends a frame, where it is accepted. */
  readonly send = (type: string, data: unknown): void => {
    if (this.accepted) this.socket?.write(JSON.stringify({ type, data }))
  }

  private sendEvent(id: string, event: string): void {
    this.send("status_event", { id, event, timestamp: this.world.time.now, targetSessionId: "s" })
  }

  private receive({ type, data }: Frame): void {
    if (type === "auth_ok") this.welcomed(data)
    else if (type === "command") this.commands.execute(data.id!, data.payload, data.durable === true)
    else if (type === "event_ack") for (const id of data.ids!) this.acknowledge(id)
    else if (type === "result_ack") for (const id of data.ids!) this.commands.forget(id)
    else if (type === "command_cancel") this.commands.cancel(data.id!)
    else if (type === "reconnect") this.reconnectAfter(data.afterMs!)
  }

  /** A node that has accepted a newer connection closes the older ones of its own. */
  private checkEarlier(node: VirtualProcess, older: ReadonlyArray<SimulatedSocket>): void {
    const { time, monitor } = this.world
    time.after(
      closedMillisMax,
      () => {
        if (older.some((socket) => socket.isOpenAtHub))
          monitor.fail(`${node.name} leaves an older connection of ${this.daemonId} open`)
      },
      node
    )
  }

  private welcomed({ daemonId, connectionEpoch }: Frame["data"]): void {
    if (daemonId !== this.daemonId) this.world.monitor.fail(`${this.daemonId} is welcomed as ${daemonId}`)
    this.accepted = true
    this.epoch = connectionEpoch!
    this.world.trace(`${this.daemonId} is welcomed by ${this.socket!.node.name} as its connection ${this.epoch}`)
    const socket = this.socket!
    this.checkEarlier(
      socket.node,
      this.earlier.filter((other) => other.node === socket.node)
    )
    this.earlier.push(socket)
    const sessions = [
      {
        id: "s",
        providerType: "codex-cli",
        kind: "agent",
        transport: "pty",
        status: this.random.pick(["idle", "generating"])
      }
    ]
    this.send("status_report", { timestamp: this.world.time.now, sessions })
    for (const [id, event] of this.unacknowledged) this.sendEvent(id, event)
    this.commands.tellAll()
  }

  private acknowledge(id: string): void {
    const event = this.unacknowledged.get(id)
    if (event === undefined) return
    this.unacknowledged.delete(id)
    this.world.monitor.acknowledged(this.daemonId, event, id)
  }

  private reconnectAfter(millis: number): void {
    const { socket } = this
    this.world.time.after(millis, () => {
      if (this.socket !== socket) return
      this.forget()
      socket?.hangUp(1_012)
      this.dialSoon(dialMillis)
    })
  }
}
