/**
 * All of what is alive about daemons, without a socket and under virtual time: peers whose frames are kept, daemon
 * events that are written down, and stores in memory. Owns no rule of the hub.
 */
import { Effect, Layer } from "effect"
import { clusterLayer } from "../../actors/cluster/live-cluster.ts"
import { CommandRecords } from "../../actors/command-records/command-records.ts"
import { Directory } from "../../actors/commands/directory.ts"
import { Connections } from "../../actors/connections/connections.ts"
import { TokenCache } from "../../actors/connections/token-cache.ts"
import type { Connection, Peer } from "../../actors/daemon/socket-port.ts"
import { DaemonEvents } from "../../actors/events/daemon-events.ts"
import { DaemonTags } from "../../actors/events/daemon-tags.ts"
import type { PreparedEvent } from "../../actors/events/dispatcher.ts"
import { PresenceWriter } from "../../actors/presence/presence-writer.ts"
import { Roster } from "../../actors/presence/roster.ts"
import { SnapshotWriter } from "../../actors/presence/snapshot-writer.ts"
import { Supervisor } from "../../actors/runtime/supervisor.ts"
import { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { hashCredential } from "../../src/auth/api-key.ts"
import { daemonTokens } from "../../src/auth/checksummed-token.ts"
import type { Bus } from "../../src/bus/bus.ts"
import { layerMemory } from "../../src/bus/memory.ts"
import { Config, defaultSettings, type Settings } from "../../src/config.ts"
import { newId } from "../../src/domain/ids.ts"
import type { Ice } from "../../src/outbound/ice.ts"
import type { StatusEvent } from "../../src/protocol/frames.ts"
import type { HubFrame } from "../../src/protocol/hub-frames.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { makeMemoryStore, memoryStores, onlyWebhook } from "./memory-stores.ts"
import { scriptedBudgets } from "./scripted-volume-budgets.ts"
import { snapshot } from "./snapshots.ts"
import { stunOnly } from "./stun-only.ts"

/** In the order of src/hub/layers.ts: sockets close first, and the snapshot writer closes last. */
const daemonsLayer = Layer.mergeAll(Connections.layer, Directory.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(TokenCache.layer, clusterLayer)),
  Layer.provideMerge(Roster.layer),
  Layer.provideMerge(PresenceWriter.layer),
  Layer.provideMerge(Layer.mergeAll(SnapshotWriter.layer, WorkerThread.layer, CommandRecords.layer, DaemonTags.layer))
)

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
  belongsTo(): void {}
  ping(payload: string): void {
    this.pings.push(payload)
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
    const delivery = {
      id: newId("delivery"),
      webhookId: onlyWebhook,
      event,
      body: words,
      createdAt: 0,
      dedupe: undefined
    }
    return {
      deliveries: [delivery],
      committed: (inserted) => {
        if (inserted?.has(delivery.id)) told.log.push(words)
        else if (otherwise !== undefined) told.log.push(otherwise)
      }
    }
  })

/** A daemon that may connect. */
export interface Enrolled {
  readonly daemonId: string
  readonly accountId: string
  readonly token: string
}

/** A world on tables in memory. */
export const makeWorld = (ice: Layer.Layer<Ice> = stunOnly) => {
  const told: Told = { log: [], reported: [] }
  const store = makeMemoryStore()
  const { accounts, daemons, tokens } = store.tables
  /** A token, made so many milliseconds after the first one. */
  const tokenOf = (accountId: string, daemonId: string, createdAt: number): Enrolled => {
    const token = daemonTokens.make()
    tokens.set(hashCredential(token), { daemonId, accountId, createdAt, revokedAt: undefined })
    return { daemonId, accountId, token }
  }
  const enrol = (accountId = newId("account")): Enrolled => {
    const daemonId = newId("daemon")
    if (!accounts.has(accountId)) accounts.set(accountId, { plan: "pro", disabled: false })
    daemons.set(daemonId, {
      accountId,
      revoked: false,
      snapshot: snapshot([], { daemonId, accountId, online: false, epoch: 0 }),
      snapshotEpoch: 0,
      told: undefined,
      ownerTags: undefined
    })
    return tokenOf(accountId, daemonId, 0)
  }
  const node = (own: Told, bus: Layer.Layer<Bus>, settings: Partial<Settings>, apart = () => false) =>
    Layer.fresh(worldLayer(own, memoryStores(store, apart), ice, bus, settings))
  return {
    told,
    store,
    tables: store.tables,
    enrol,
    /** A newer token for the same daemon. */
    enrolAgain: ({ accountId, daemonId }: Enrolled): Enrolled => tokenOf(accountId, daemonId, 1),
    layer: worldLayer(
      told,
      memoryStores(store, () => false),
      ice
    ),
    /** A node of its own on the same store, which fails for this node while `apart` says so. */
    node
  }
}

/** The layer of a world. */
const worldLayer = (
  told: Told,
  stores: ReturnType<typeof memoryStores>,
  ice: Layer.Layer<Ice>,
  bus: Layer.Layer<Bus> = layerMemory,
  own: Partial<Settings> = {}
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
    Layer.provideMerge(scriptedBudgets()),
    Layer.provideMerge(Layer.mergeAll(settings, bus, stores, Layer.succeed(DaemonEvents, recording(told))))
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
