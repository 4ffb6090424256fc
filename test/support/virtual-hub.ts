/**
 * A hub of several nodes in one process under virtual time, with everything that may befall it: nodes killed and cut
 * off, Redis emptied, daemons that come, move and vanish. Owns the doing and what was seen of it; judges nothing.
 */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Directory } from "../../actors/commands/directory.ts"
import { Connections } from "../../actors/connections/connections.ts"
import { Roster } from "../../actors/presence/roster.ts"
import { Bus } from "../../src/bus/bus.ts"
import { layerRedis } from "../../src/bus/layer.ts"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { defaultSettings } from "../../src/config.ts"
import { layerLog } from "../../src/runtime/log.ts"
import { authOf, type Enrolled, FakePeer, makeWorld, type Told } from "./daemon-services.ts"
import { setDisabled, tellDisabled } from "./disabled-account.ts"
import { type Body, effectOf } from "./effect-test.ts"
import { makeVirtualWires, type VirtualWire } from "./virtual-bus.ts"

const sliceMillis = 250
const settings = { drainMillis: 3_000, reconnectSpreadMillis: 1_000 }
const quiet = layerLog({ ...defaultSettings, logLevel: "none" }, true)

interface Socket {
  readonly peer: FakePeer
  readonly on: Node
  /** The daemon still has it; else it has forgotten it, and says nothing more. */
  live: boolean
  over: boolean
}

interface Node {
  readonly name: string
  readonly line: VirtualWire
  readonly scope: Scope.Closeable
  readonly services: Context.Context<Bus | Connections | Directory | Roster>
  readonly told: Told
  /** Killed: what it still does counts for nothing. */
  gone: boolean
  /** The store fails for this node. */
  storeless: boolean
}

/** A daemon. */
export interface VirtualDaemon extends Enrolled {
  readonly name: string
  readonly sockets: Array<Socket>
}

/** Lets what was resumed run to its next wait. */
const breathe = Effect.promise(async () => {
  for (let at = 0; at < 4; at++) await new Promise((resume) => setImmediate(resume))
})

/** The hub. */
export class VirtualHub {
  readonly world = makeWorld()
  readonly daemons: ReadonlyArray<VirtualDaemon>
  readonly nodes: Array<Node> = []
  /** How commands failed, in order. */
  readonly failures: Array<string> = []
  private readonly wires
  private made = 0

  constructor(wires: Effect.Success<typeof makeVirtualWires>, daemons: number) {
    this.wires = wires
    this.daemons = Array.from({ length: daemons }, (_, at) => ({
      ...this.world.enrol(),
      name: `box${at}`,
      sockets: []
    }))
  }

  /** Redis, with all it holds. */
  get redis() {
    return this.wires.redis
  }

  /** Starts a node in this place, with a line or without; one that was there has ended. */
  start(at: number, cut = false) {
    return Effect.gen({ self: this }, function* () {
      const name = `node_${this.made++}`
      const line = this.wires.make(name, cut)
      const node = { name, line, gone: false, storeless: false, told: { log: [], reported: [] } as Told }
      const bus = Layer.provideMerge(layerRedis, Layer.succeed(RedisTransport, line.wire))
      const world = this.world.node(node.told, bus, settings, () => node.gone || node.storeless)
      const layer = Layer.provideMerge(world, quiet)
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(layer, scope)
      this.nodes[at] = Object.assign(node, { scope, services }) as unknown as Node
      yield* breathe
    })
  }

  /** What was announced of a daemon, by whichever node, in order. */
  told({ daemonId }: VirtualDaemon): ReadonlyArray<string> {
    return this.world.store.announced
      .filter((one) => one.daemonId === daemonId)
      .map(({ event }) => `${event.slice("daemon:".length)}ed`)
  }

  /** The node that the store has a daemon on. */
  holder({ daemonId }: VirtualDaemon): string | null {
    return this.world.tables.presence.get(daemonId)?.node ?? null
  }

  /** Ends a node: killed, or in good order. */
  stop(at: number, how: "killed" | "stopped") {
    return Effect.gen({ self: this }, function* () {
      const node = this.nodes[at]!
      if (how === "killed") {
        node.gone = true
        node.line.cut(false)
      }
      yield* Scope.close(node.scope, Exit.void)
      node.gone = true
      node.line.cut(false)
      for (const daemon of this.daemons) {
        for (const socket of daemon.sockets) {
          if (socket.on === node) Object.assign(socket, { over: true, live: false })
        }
      }
    })
  }

  /** A daemon dials a node; its older connections are nothing to it any more, whether or not their nodes know. */
  dial(daemon: VirtualDaemon, at: number) {
    return Effect.gen({ self: this }, function* () {
      for (const socket of daemon.sockets) socket.live = false
      const on = this.nodes[at]!
      const peer = new FakePeer()
      const connections = Context.get(on.services, Connections)
      if (!connections.admits(peer.address)) return
      peer.link = connections.open(peer)
      daemon.sockets.push({ peer, on, live: true, over: false })
      peer.say("auth", authOf(daemon.token, { hostname: daemon.name }))
      yield* breathe
    })
  }

  /** The end of its newest connection reaches its node. */
  hangUp(daemon: VirtualDaemon, code: number): void {
    const socket = daemon.sockets.findLast(({ over }) => !over)
    if (socket === undefined) return
    Object.assign(socket, { over: true, live: false })
    socket.peer.link.closed(code)
  }

  /** A command through a node. Nobody waits for its answer; how it fails, `failures` keeps. */
  command(daemon: VirtualDaemon, at: number) {
    const { accountId, daemonId } = daemon
    const mark = `command ${this.made++}`
    const { services, scope } = this.nodes[at]!
    const asked = Context.get(services, Directory).command({
      accountId,
      daemonId,
      type: "send_chat",
      payload: { mark }
    })
    const kept = Effect.tapError(asked, ({ _tag }) => Effect.sync(() => this.failures.push(_tag)))
    return Effect.andThen(Effect.forkIn(kept, scope), breathe)
  }

  /** Its owner revokes a daemon through a node. */
  revoke({ accountId, daemonId }: VirtualDaemon, at: number) {
    const asked = Effect.flatMap(Directory, (all) => all.revoke(accountId, daemonId))
    return Effect.andThen(Effect.provideContext(asked, this.nodes[at]!.services), breathe)
  }

  /** An administrator disables its account, and tells all through a node. */
  disable({ accountId }: VirtualDaemon, at: number) {
    setDisabled(this.world.store, accountId, true)
    tellDisabled(Context.get(this.nodes[at]!.services, Bus), accountId)
    return breathe
  }

  /** Lets time pass, slice by slice, so that whatever waits for a store goes on in between. */
  pass(millis: number) {
    return Effect.gen({ self: this }, function* () {
      for (let passed = 0; passed < millis; passed += sliceMillis) {
        yield* TestClock.adjust(sliceMillis)
        for (const { line, gone } of this.nodes) if (!gone) line.tick()
        yield* breathe
        this.closeSockets()
        yield* breathe
      }
    })
  }

  /** A socket that the hub closed ends. */
  closeSockets(): void {
    for (const daemon of this.daemons) {
      for (const socket of daemon.sockets) {
        if (socket.over || socket.peer.closes.length === 0) continue
        Object.assign(socket, { over: true, live: false })
        socket.peer.link.closed(socket.peer.closes[0]!)
      }
    }
  }

  /** The names of the nodes at which a daemon has a connection that is in use. */
  owners({ daemonId }: VirtualDaemon): ReadonlyArray<string> {
    return this.nodes
      .filter(({ gone, services }) => !gone && Context.get(services, Roster).find(daemonId)?.daemon !== undefined)
      .map(({ name }) => name)
  }

  /** How often each command came out of any socket. */
  sent(): ReadonlyMap<string, number> {
    const sent = new Map<string, number>()
    for (const { sockets } of this.daemons) {
      for (const { peer } of sockets) {
        for (const { payload } of peer.of("command")) {
          const { mark } = payload as { readonly mark: string }
          sent.set(mark, (sent.get(mark) ?? 0) + 1)
        }
      }
    }
    return sent
  }

  /** Ends all nodes. */
  end() {
    return Effect.forEach(
      this.nodes.flatMap(({ gone }, at) => (gone ? [] : [at])),
      (at) => this.stop(at, "killed"),
      { discard: true }
    )
  }
}

/** A hub whose nodes have started and are one. */
export const startVirtualHub = (nodes: number, daemons: number) =>
  Effect.gen(function* () {
    const hub = new VirtualHub(yield* makeVirtualWires, daemons)
    for (let at = 0; at < nodes; at++) yield* hub.start(at)
    yield* hub.pass(sliceMillis)
    return hub
  })

/** Has one daemon and so many nodes do this under virtual time, and ends them. */
export const withOneDaemon = (nodes: number, work: Body<[hub: VirtualHub]>): Promise<void> =>
  Effect.gen(function* () {
    const hub = yield* startVirtualHub(nodes, 1)
    yield* effectOf(work)(hub)
    yield* hub.end()
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
