/**
 * All of what is alive about daemons, without a socket and under virtual time: peers whose frames are kept, daemon
 * events that are written down, and a store of daemons that is a map unless a real one is given. Owns no rule of the
 * hub.
 */
import { Effect, Layer } from "effect"
import { Connections } from "../../actors/connections/connections.ts"
import type { Connection, Peer } from "../../actors/daemon/socket-port.ts"
import { DaemonEvents } from "../../actors/events/daemon-events.ts"
import type { PreparedEvent } from "../../actors/events/dispatcher.ts"
import { daemonsLayer } from "../../actors/layer.ts"
import { Supervisor } from "../../actors/runtime/supervisor.ts"
import { hashCredential } from "../../src/auth/api-key.ts"
import { makeDaemonToken } from "../../src/auth/daemon-token.ts"
import type { Bus } from "../../src/bus/bus.ts"
import { layerMemory } from "../../src/bus/memory.ts"
import { Config, defaultSettings, type Settings } from "../../src/config.ts"
import { newId } from "../../src/domain/ids.ts"
import { Ice } from "../../src/outbound/ice.ts"
import type { StatusEvent } from "../../src/protocol/frames.ts"
import type { HubFrame } from "../../src/protocol/hub-frames.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Commands } from "../../src/store/daemons/commands.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { Nodes } from "../../src/store/daemons/nodes.ts"
import { PresenceStore } from "../../src/store/daemons/presence.ts"
import { type FakeCommands, fakeCommands } from "./memory-commands.ts"
import { type FakeStore, fakeDaemons, newOwner } from "./memory-daemons.ts"
import { fakeNodes, fakePresence, type StoreFaults } from "./memory-presence.ts"
import { scriptedBudgets } from "./scripted-volume-budgets.ts"
import { snapshot } from "./snapshots.ts"

/** A frame the hub sent. */
export type Sent = HubFrame & { readonly data: Readonly<Record<string, unknown>> }

/** The socket's other side, as a record of what came over it. */
export class FakePeer implements Peer {
  readonly address: string
  readonly frames: Array<Sent> = []
  closes: Array<number> = []
  readonly pings: Array<string> = []
  answer: "sent" | "buffered" | "dropped" = "sent"
  link!: Connection

  constructor(address = "192.0.2.1") {
    this.address = address
  }

  send(text: string): "sent" | "buffered" | "dropped" {
    if (this.answer !== "dropped") this.frames.push(JSON.parse(text) as Sent)
    return this.answer
  }
  ping(payload: string): void {
    this.pings.push(payload)
  }
  buffered(): number {
    return 0
  }
  close(code: number): void {
    this.closes.push(code)
  }
  cut(): void {
    this.closes.push(1006)
  }

  /** Sends a frame as the daemon. */
  say(type: string, data: unknown): void {
    this.text(JSON.stringify({ type, data }))
  }
  text(text: string): void {
    this.link.receive(text, Buffer.byteLength(text))
  }
  /** The frames of one type. */
  of(type: HubFrame["type"]): ReadonlyArray<Sent["data"]> {
    return this.frames.filter((frame) => frame.type === type).map(({ data }) => data)
  }
}

/** What daemon events were told, in order, as words. */
export interface Told {
  readonly log: Array<string>
  readonly reported: Array<{ readonly event: StatusEvent; readonly ack: (id: string) => void }>
}

const recording = (told: Told): DaemonEvents["Service"] => ({
  reported: (_snapshot, event, ack) => {
    told.log.push(`reported ${event.event}`)
    told.reported.push({ event, ack })
  },
  approvals: (_snapshot, { requested, resolved }) => {
    for (const { activeModal } of requested) told.log.push(`asked ${activeModal.promptId}`)
    for (const { session, answered } of resolved)
      told.log.push(`answered ${session.activeModal.promptId} by ${answered.by.kind}`)
  },
  decided: (_snapshot, { rule }) => void told.log.push(`decided by ${rule}`),
  snapshotChanged: (snapshot) => told.log.push(`changed to ${snapshot.sessions.length} sessions`),
  copied: ({ daemonId }, formerHostname) => told.log.push(`copied ${daemonId} of ${formerHostname}`),
  moved: (daemonId) => told.log.push(`moved ${daemonId}`),
  commandEnded: ({ command, state }) =>
    announcing(told, "command:completed", `command of ${command.daemonId} ${state}`),
  connecting: (snapshot) => announcing(told, "daemon:connect", `connected ${snapshot.hostname}`),
  disconnecting: (snapshot, { reason, connectedMs }) =>
    reason === undefined
      ? Effect.succeed({ deliveries: [], committed: () => void told.log.push(`moved ${snapshot.daemonId}`) })
      : announcing(
          told,
          "daemon:disconnect",
          `disconnected ${snapshot.hostname}: ${reason} after ${connectedMs}`,
          `moved ${snapshot.daemonId}`
        )
})

/** An event with one delivery, which is written down once it is committed. */
const announcing = (told: Told, event: string, words: string, otherwise?: string): Effect.Effect<PreparedEvent> =>
  Effect.sync(() => {
    const delivery = { id: newId("delivery"), webhookId: "w", event, body: words, createdAt: 0, dedupe: undefined }
    return {
      deliveries: [delivery],
      committed: (inserted) => {
        if (inserted?.has(delivery.id)) told.log.push(words)
        else if (otherwise !== undefined) told.log.push(otherwise)
      }
    }
  })

const storesOf = (store: FakeStore, faults: StoreFaults) =>
  Layer.mergeAll(
    Layer.succeed(Daemons, fakeDaemons(store, faults.apart)),
    Layer.succeed(Nodes, fakeNodes(store, faults)),
    Layer.succeed(PresenceStore, fakePresence(store, faults))
  )

const always: StoreFaults = { apart: () => false }

/** A daemon that may connect. */
export interface Enrolled {
  readonly daemonId: string
  readonly accountId: string
  readonly token: string
}

/** A world on a map. */
export const makeWorld = (ice: Layer.Layer<Ice, never, Config> = Ice.layerStun) => {
  const told: Told = { log: [], reported: [] }
  const commands: FakeCommands = new Map()
  const store: FakeStore = {
    owners: new Map(),
    stored: new Map(),
    storedEpochs: new Map(),
    saves: 0,
    lookups: 0,
    failing: false,
    hold: undefined,
    nodes: new Map(),
    presence: new Map(),
    announced: []
  }
  const enrol = (accountId = newId("account")): Enrolled => {
    const daemonId = newId("daemon")
    const token = makeDaemonToken()
    store.owners.set(hashCredential(token), newOwner(daemonId, accountId))
    store.stored.set(daemonId, snapshot([], { daemonId, accountId, online: false, epoch: 0 }))
    return { daemonId, accountId, token }
  }
  const enrolAgain = ({ daemonId, accountId }: Enrolled): Enrolled => {
    const token = makeDaemonToken()
    store.owners.set(hashCredential(token), { ...newOwner(daemonId, accountId), tokenAt: 1, supersedes: true })
    return { daemonId, accountId, token }
  }
  return {
    told,
    store,
    /** The rows of stored commands. */
    commands,
    enrol,
    /** A newer token for the same daemon. */
    enrolAgain,
    layer: worldLayer(told, storesOf(store, always), ice, undefined, undefined, commands),
    /** A node of its own on the same store, which fails for this node alone. */
    node: (own: Told, bus: Layer.Layer<Bus>, settings: Partial<Settings>, faults = always) =>
      Layer.fresh(worldLayer(own, storesOf(store, faults), ice, bus, settings, commands))
  }
}

/** The layer of a world, on any store. */
const worldLayer = <E, R>(
  told: Told,
  daemons: Layer.Layer<Daemons | Nodes | PresenceStore, E, R>,
  ice: Layer.Layer<Ice, never, Config> = Ice.layerStun,
  bus: Layer.Layer<Bus> = layerMemory,
  own: Partial<Settings> = {},
  commands: FakeCommands = new Map()
) => {
  const settings = Config.layer({
    ...defaultSettings,
    secretKey: new Uint8Array(32),
    connectsPerSecond: 1_000_000,
    ...own
  })
  return daemonsLayer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(ice, Layer.provideMerge(Layer.merge(Supervisor.layer, NodeCost.layer), Timers.layer))
    ),
    Layer.provideMerge(Layer.mergeAll(scriptedBudgets(), Layer.succeed(Commands, fakeCommands(commands)))),
    Layer.provideMerge(Layer.mergeAll(settings, bus, daemons, Layer.succeed(DaemonEvents, recording(told))))
  )
}

/** The first frame of a daemon. */
export const authOf = (token: string, more: Readonly<Record<string, unknown>> = {}) => ({
  token,
  protocol: 1,
  instanceId: "i",
  version: "1.2.3",
  hostname: "box",
  platform: "linux",
  ...more
})

/** A socket from an address that is open and has said nothing. */
export const dialFrom = (address?: string) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const peer = new FakePeer(address)
    if (!connections.admits(peer.address)) return undefined
    peer.link = connections.open(peer)
    return peer
  })

/** The same from an address of no interest. */
export const dial = dialFrom()

/** A daemon that is connected. */
export const connect = (token: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    const peer = (yield* dial)!
    peer.say("auth", authOf(token, more))
    yield* settle
    return peer
  })

/** Lets what was resumed in this tick run. */
export const settle = Effect.andThen(Effect.yieldNow, Effect.andThen(Effect.yieldNow, Effect.yieldNow))
