/**
 * A simulated daemon: connects to any node, executes commands, reports events until they are acknowledged, keeps the
 * results of durable commands, and is lost in every way. Owns the daemon's side of the protocol; judges nothing itself.
 */
import { Connections } from "../../actors/connections/connections.ts"
import { relayedEvents } from "../../src/domain/event/events.ts"
import { reconnectAfter } from "../../src/protocol/close.ts"
import type { Monitor } from "./monitor.ts"
import type { SimulatedNode } from "./node.ts"
import type { Random } from "./random.ts"
import { SimulatedSocket } from "./socket.ts"
import type { VirtualProcess, VirtualTime } from "./virtual-time.ts"

interface Frame {
  readonly type: string
  readonly data: {
    readonly id?: string
    readonly ids?: ReadonlyArray<string>
    readonly payload?: unknown
    readonly durable?: boolean
    readonly afterMs?: number
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
}

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
  /** Durable commands without a `result_ack`, with their results once there are some. */
  readonly kept = new Map<string, unknown>()
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
  }

  /** Whether it and a node both take it for connected. */
  isConnectedTo(node: string): boolean {
    return this.accepted && this.socket?.node.name === node && this.socket.isOpenAtHub
  }

  /** Dials a node after a while. */
  dialSoon(millis: number): void {
    const { time, random } = this.world
    time.after(random.between(0, millis), () => {
      if (this.socket === undefined && !this.off) this.dial()
    })
  }

  /** It is lost: cleanly, by a reset, or without a word. */
  leave(how: "clean" | "reset" | "silent"): void {
    const { socket } = this
    if (socket === undefined) return
    if (how === "silent") return socket.cutOff()
    this.forget()
    socket.hangUp(how === "clean" ? 1_000 : 1_006)
    this.dialSoon(backoffMillis * 4)
  }

  /** It gives its connection up without closing it, and dials again. */
  abandon(): void {
    this.socket?.cutOff()
    this.forget()
    this.dial()
  }

  switchOff(): void {
    this.off = true
    const { socket } = this
    this.forget()
    socket?.hangUp(1_000)
  }

  /** Something happens to one of its agents. */
  report(): void {
    const id = `e${this.nth}-${this.events++}`
    const event = this.random.pick(relayedEvents)
    this.unacknowledged.set(id, event)
    this.sendEvent(id, event)
  }

  private dial(): void {
    const { time, nodes, random } = this.world
    const up = nodes.filter(({ isUp }) => isUp)
    if (up.length === 0) return this.dialSoon(dialMillis * 10)
    const node = random.pick(up)
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
    this.forget()
    if (code === 4401 || code === 4403) {
      if (!this.revoked) this.world.monitor.fail(`${this.daemonId} is sent away with ${code} and was not revoked`)
      return
    }
    // this is its only connection: another instance of it, which it would make room for, there is none
    if (reconnectAfter(code) === "never" && code !== 4409) return
    this.dialSoon(backoffMillis)
  }

  private send(type: string, data: unknown): void {
    this.socket?.write(JSON.stringify({ type, data }))
  }

  private sendEvent(id: string, event: string): void {
    if (this.accepted) this.send("status_event", { id, event, timestamp: this.world.time.now, targetSessionId: "s" })
  }

  private receive({ type, data }: Frame): void {
    if (type === "auth_ok") this.welcomed()
    else if (type === "command") this.execute(data.id!, data.payload, data.durable === true)
    else if (type === "event_ack") for (const id of data.ids!) this.acknowledge(id)
    else if (type === "result_ack") for (const id of data.ids!) this.kept.delete(id)
    else if (type === "command_cancel") this.cancel(data.id!)
    else if (type === "reconnect") this.reconnectAfter(data.afterMs!)
  }

  /** A node that has accepted a newer connection closes the older ones of its own. */
  private checkEarlier(node: VirtualProcess, older: ReadonlyArray<SimulatedSocket>): void {
    const { time, monitor } = this.world
    time.after(
      closedMillisMax,
      () => {
        if (older.some((socket) => socket.isOpenAtHub)) {
          monitor.fail(`${node.name} leaves an older connection of ${this.daemonId} open`)
        }
      },
      node
    )
  }

  private welcomed(): void {
    this.accepted = true
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
    for (const [id, result] of this.kept) if (result !== undefined) this.answer(id, result)
  }

  private acknowledge(id: string): void {
    const event = this.unacknowledged.get(id)
    if (event === undefined) return
    this.unacknowledged.delete(id)
    this.world.monitor.acknowledged(this.daemonId, event, id)
  }

  private execute(id: string, payload: unknown, durable: boolean): void {
    const { monitor, time, isHealed } = this.world
    monitor.executed(this.daemonId, id, payload)
    if (durable) this.kept.set(id, undefined)
    const { socket } = this
    const isSilent = !isHealed && !durable && this.random.chance(0.05)
    const millis = this.random.chance(0.1) ? this.random.between(0, 30_000) : this.random.between(0, 300)
    if (isSilent) return
    time.after(millis, () => {
      if (durable) {
        if (!this.kept.has(id) || this.kept.get(id) !== undefined) return
        this.kept.set(id, payload)
      } else if (this.socket !== socket) return
      this.answer(id, payload)
    })
  }

  private answer(id: string, result: unknown): void {
    if (!this.accepted) return
    this.send("command_result", { id, success: true, result })
    // a frame may be written twice by a daemon that is not sure
    if (this.random.chance(0.05)) this.send("command_result", { id, success: true, result })
  }

  private cancel(id: string): void {
    if (!this.kept.has(id) || this.kept.get(id) !== undefined) return
    this.kept.delete(id)
    this.send("command_result", { id, success: false, code: "cancelled" })
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
