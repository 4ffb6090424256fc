/**
 * What a simulated daemon does with the commands that it is sent: executes them, keeps the results of durable ones
 * until they are acknowledged, ends those that are cancelled. Owns these commands; sends through its daemon.
 */
import type { Random } from "./seeded-random.ts"
import type { SimulatedSocket } from "./simulated-socket.ts"
import type { Monitor } from "./step-invariants.ts"
import type { VirtualTime } from "./virtual-time.ts"

/** The daemon, as far as it concerns its commands. */
export interface Executor {
  readonly daemonId: string
  readonly socket: SimulatedSocket | undefined
  readonly send: (type: string, data: unknown) => void
}

const silentShare = 0.05
const longShare = 0.1
const longMillisMax = 30_000
const shortMillisMax = 300
/** A frame may be written twice by a daemon that is not sure. */
const twiceShare = 0.05

/** The commands of one daemon. */
export class Executing {
  /** Durable commands without a `result_ack`, with their results once there are some. */
  readonly kept = new Map<string, unknown>()
  /** It says nothing of what it is sent, until it is told to finish. */
  mute = false
  /** What it says beside each result. */
  beside: unknown
  private readonly payloads = new Map<string, unknown>()
  private readonly daemon: Executor
  private readonly random: Random
  private readonly world: { readonly time: VirtualTime; readonly monitor: Monitor; readonly isHealed: boolean }

  constructor(
    daemon: Executor,
    random: Random,
    world: { readonly time: VirtualTime; readonly monitor: Monitor; readonly isHealed: boolean }
  ) {
    this.daemon = daemon
    this.random = random
    this.world = world
  }

  execute(id: string, payload: unknown, durable: boolean): void {
    const { monitor, time, isHealed } = this.world
    monitor.executed(this.daemon.daemonId, id, payload)
    if (durable) {
      this.kept.set(id, undefined)
      this.payloads.set(id, payload)
    }
    const { socket } = this.daemon
    const isSilent = !isHealed && !durable && this.random.chance(silentShare)
    const millisMax = this.random.chance(longShare) ? longMillisMax : shortMillisMax
    if (isSilent || this.mute) return
    time.after(this.random.between(0, millisMax), () => {
      if (durable) this.complete(id)
      else if (this.daemon.socket === socket) this.answer(id, payload)
    })
  }

  /** It has the results of all that it was silent about. */
  finish(): void {
    this.mute = false
    for (const id of [...this.payloads.keys()]) this.complete(id)
  }

  /** The hub asks for the end of a command. */
  cancel(id: string): void {
    if (!this.kept.has(id) || this.kept.get(id) !== undefined) return
    this.forget(id)
    this.daemon.send("command_result", { id, success: false, code: "cancelled" })
  }

  /** The hub has the result. */
  forget(id: string): void {
    this.kept.delete(id)
    this.payloads.delete(id)
  }

  /** A new connection is told what there is. */
  tellAll(): void {
    for (const [id, result] of this.kept) if (result !== undefined) this.answer(id, result)
  }

  private complete(id: string): void {
    if (!this.kept.has(id) || this.kept.get(id) !== undefined) return
    const payload = this.payloads.get(id)
    this.kept.set(id, payload)
    this.answer(id, payload)
  }

  private answer(id: string, given: unknown): void {
    const result = this.beside === undefined ? given : { ...(given as object), beside: this.beside }
    this.daemon.send("command_result", { id, success: true, result })
    if (this.random.chance(twiceShare)) this.daemon.send("command_result", { id, success: true, result })
  }
}
