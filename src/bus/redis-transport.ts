/**
 * Messages between nodes through Redis: one channel for all nodes and one inbox per node. Owns the connections, the
 * heartbeats that prove that this node receives messages and that Redis takes writes, and the notice that messages may
 * have been lost. It knows no message. Sending never waits and never fails: a message is received, or its loss is
 * counted and detected as a gap.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { LRUCache } from "lru-cache"
import {
  busAwayCacheMillis,
  busBeatMillis,
  busLeaveMillisMax,
  busPeersMax,
  busRedialMillis,
  busSilenceMillisMax,
  busStartMillisMax,
  busUnsentBytesMax,
  busWaitingBytesMax,
  busWrittenMillis
} from "../limits/nodes.ts"
import { count, watchInScope } from "../runtime/metrics.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { NodeId } from "../runtime/node-id.ts"
import { afterByClock, failureLog } from "../runtime/throttled-log.ts"
import { type ChannelPublisher, makeChannelPublisher } from "./channel-publisher.ts"
import { type MessageFault, makeGapDetector, readChannelMessage } from "./gap-detector.ts"
import { HeartbeatMonitor } from "./heartbeat.ts"
import { type Listeners, makeListeners } from "./listeners.ts"
import { type MessageAuthentication, messageAuthentication } from "./message-authentication.ts"
import { withCallTimes } from "./redis-call-times.ts"
import type { RedisClient } from "./redis-client.ts"
import { redisErrorReason } from "./redis-errors.ts"

/** A message and the node that sent it. */
export interface ReceivedMessage {
  readonly from: string
  readonly message: unknown
}

export class RedisTransport extends Context.Service<
  RedisTransport,
  {
    /** This node's id, new at each start. */
    readonly node: string
    /** The prefix of every name in Redis. */
    readonly prefix: string
    /** Sends JSON to all nodes. This node receives it too, later. */
    readonly tellAll: (kind: string, json: string) => void
    /** Sends to one node. `lost` is called when no node received it, or (`surely` false) when that is unknown. */
    readonly tellNode: (node: string, kind: string, json: string, lost: (surely: boolean) => void) => void
    /** Subscribes to one kind of message until the scope closes. */
    readonly hear: (kind: string, listener: (heard: ReceivedMessage) => void) => Effect.Effect<void, never, Scope.Scope>
    /** Calls the listener when messages may have been lost, and once per second while the connection is down. */
    readonly gaps: (listener: (stands: boolean) => void) => Effect.Effect<void, never, Scope.Scope>
    /** Whether this node does not receive its own messages, or Redis takes no writes. */
    readonly away: () => boolean
    /** Calls a command of Redis. Rejects while the connection is down. */
    readonly call: RedisClient["call"]
    /** The same for large texts, on a connection of its own. */
    readonly callLarge: RedisClient["call"]
    /** Signs texts that are stored in Redis for another node, by the name they are stored under. */
    readonly authentication: MessageAuthentication
  }
>()("hub/RedisTransport") {
  /**
   * The transport over the Redis of this URL, for hubs with this secret key. It starts even while Redis is down. The
   * connection counts as down after `silenceMillis` without an own heartbeat or a write.
   */
  static readonly layer = (
    redisUrl: string,
    secretKey: Uint8Array,
    silenceMillis = busSilenceMillisMax
  ): Layer.Layer<RedisTransport, never, NodeId> =>
    Layer.effect(RedisTransport, make(redisUrl, secretKey, silenceMillis))
}

interface TransportContext {
  readonly client: RedisClient
  readonly node: string
  readonly broadcast: string
  readonly inbox: string
  readonly messages: Listeners<ReceivedMessage>
  readonly gap: () => void
  readonly heartbeat: HeartbeatMonitor
  readonly now: () => number
  readonly logState: (stands: boolean) => void
  readonly failed: (error: unknown) => void
  readonly authentication: MessageAuthentication
  readonly refused: (why: RefusalReason) => void
}

/** Why a message is refused. */
type RefusalReason = "not signed by this hub" | MessageFault | "of an unknown kind" | "repeated"

/** A heartbeat came back on a channel, or was written. */
const receiveBeat = ({ heartbeat, now, gap, logState }: TransportContext, channel: string, beat: number): void => {
  if (!heartbeat.receive(channel, beat, now())) return
  gap()
  logState(true)
}

const receiveMessages = (context: TransportContext): void => {
  const { client, node, broadcast, inbox, messages, gap, heartbeat, now, logState, authentication, refused } = context
  const detectors = new Map([broadcast, inbox].map((channel) => [channel, makeGapDetector()]))
  client.subscribe([broadcast, inbox], (channel, text) => {
    const signed = authentication.verify(channel, text)
    if (signed === undefined) return refused("not signed by this hub")
    const channelMessage = readChannelMessage(signed)
    if (typeof channelMessage === "string") return refused(channelMessage)
    const sequence = detectors.get(channel)?.check(channelMessage)
    if (sequence === "repeated") return refused("repeated")
    if (sequence === "lost" && heartbeat.downSince === undefined) gap()
    for (const [kind, message] of channelMessage.parts) {
      if (kind === "beat") {
        if (channelMessage.from === node) receiveBeat(context, channel, Number(message))
      } else if (!messages.notify(kind, { from: channelMessage.from, message })) refused("of an unknown kind")
    }
  })
  client.onClose(() => {
    if (!heartbeat.disconnect(now())) return
    gap()
    logState(false)
  })
}

/** A replica, or a server whose memory is full, still carries messages. Only a write shows that leases can be kept. */
const writeBeat = (context: TransportContext, beat: number): void => {
  const { client, failed } = context
  const args = [`${client.prefix}{machines}:written`, beat, "PX", busWrittenMillis]
  client.call("SET", args).then(() => receiveBeat(context, "written", beat), failed)
}

const heartbeatLoop = (context: TransportContext, publishers: ReadonlyArray<ChannelPublisher>) => {
  const { client, heartbeat, now, gap, logState } = context
  let gapAt = now()
  let connectedAt = now()
  return Effect.gen(function* () {
    while (true) {
      const beat = heartbeat.next()
      for (const publisher of publishers) publisher.publish("beat", String(beat))
      writeBeat(context, beat)
      const dueAt = now() + busBeatMillis
      yield* Effect.sleep(busBeatMillis)
      heartbeat.excuse(now() - dueAt)
      if (heartbeat.isSilent(now()) && heartbeat.disconnect(now())) {
        gapAt = now()
        gap()
        logState(false)
      }
      if (heartbeat.downSince === undefined) {
        connectedAt = now()
        continue
      }
      if (now() - gapAt >= busAwayCacheMillis - busBeatMillis) {
        gapAt = now()
        gap()
      }
      if (now() - Math.max(connectedAt, heartbeat.downSince) >= busRedialMillis) {
        connectedAt = now()
        client.reconnect()
      }
    }
  })
}

/** Logs each reason once per outage. */
const makeErrorLog = (log: (reason: string) => void) => {
  const logged = new Set<string>()
  return {
    failed: (error: unknown): void => {
      const reason = redisErrorReason(error)
      if (reason === undefined || logged.has(reason)) return
      logged.add(reason)
      log(reason)
    },
    reset: (): void => logged.clear()
  }
}

/** The publishers of a node: one for all nodes and one per inbox, which together hold a bounded amount on its way. */
const makePublishers = (
  client: RedisClient,
  node: string,
  sign: MessageAuthentication["sign"],
  failed: (error: unknown) => void
) => {
  let unsent = 0
  const send = async (channel: string, text: string): Promise<number> => {
    if (unsent + text.length > busUnsentBytesMax) throw new Error("too much is on its way to Redis")
    unsent += text.length
    try {
      return await client.publish(channel, sign(channel, text))
    } catch (error) {
      failed(error)
      throw error
    } finally {
      unsent -= text.length
    }
  }
  const publisherOf = (channel: string): ChannelPublisher =>
    makeChannelPublisher({
      from: node,
      send: (text) => send(channel, text),
      afterTick: (work) => void setImmediate(work),
      bytesMax: busWaitingBytesMax,
      dropped: (parts) => count("hub_bus_dropped_total", "", parts)
    })
  const inboxes = new LRUCache<string, ChannelPublisher>({ max: busPeersMax })
  return {
    broadcast: publisherOf(broadcastChannel(client)),
    inbox: (name: string): ChannelPublisher => {
      const publisher = inboxes.get(name) ?? publisherOf(inboxChannel(client, name))
      inboxes.set(name, publisher)
      return publisher
    }
  }
}

const broadcastChannel = (client: RedisClient): string => `${client.prefix}all`
const inboxChannel = (client: RedisClient, node: string): string => `${client.prefix}inbox:${node}`

/** Calls that fail at once while the connection is down. */
const whileUp =
  (heartbeat: HeartbeatMonitor, call: RedisClient["call"]): RedisClient["call"] =>
  (command, args) =>
    heartbeat.downSince === undefined ? call(command, args) : Promise.reject(new Error("the bus is away"))

const make = (redisUrl: string, secretKey: Uint8Array, silenceMillis: number) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const messages = yield* makeListeners<ReceivedMessage>()
    const gapListeners = yield* makeListeners<boolean>()
    const node = yield* NodeId
    const errorLog = makeErrorLog((reason) => void run(Effect.logWarning(`Redis does not serve this node: ${reason}`)))
    // a hub without Redis loads none of it
    const { connectRedis } = yield* Effect.promise(() => import("./redis-client.ts"))
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => withCallTimes(connectRedis(redisUrl, errorLog.failed), clock)),
      ({ leave, close }) => {
        const left = Effect.interruptible(Effect.promise(() => leave().catch(errorLog.failed)))
        // unanswered, a request that was sent to this node would fail its caller
        return Effect.andThen(Effect.timeoutOption(left, busLeaveMillisMax), Effect.sync(close))
      }
    )
    const now = (): number => monotonicMillis(clock)
    const heartbeat = new HeartbeatMonitor(3, silenceMillis, now())
    const authentication = messageAuthentication(secretKey, () => clock.currentTimeMillisUnsafe())
    const refusals = yield* failureLog<RefusalReason>(yield* afterByClock, (why, heldBack) =>
      Effect.logWarning("a message on the bus is refused", { why, heldBack })
    )
    const publishers = makePublishers(client, node, authentication.sign, errorLog.failed)
    const context: TransportContext = {
      client,
      node,
      broadcast: broadcastChannel(client),
      inbox: inboxChannel(client, node),
      messages,
      gap: () => {
        count("hub_bus_gaps_total")
        gapListeners.notify("gap", heartbeat.downSince === undefined)
      },
      heartbeat,
      now,
      failed: errorLog.failed,
      authentication,
      refused: (why) => {
        count("hub_bus_refused_total", why)
        refusals.add(why, why)
      },
      logState: (stands) => {
        if (stands) errorLog.reset()
        run(
          stands
            ? Effect.logInfo("the bus is connected")
            : Effect.logWarning("the bus is away: this node is on its own")
        )
      }
    }
    yield* watchInScope("hub_bus_away", () => (heartbeat.downSince === undefined ? 0 : 1))
    receiveMessages(context)
    yield* Effect.forkScoped(heartbeatLoop(context, [publishers.broadcast, publishers.inbox(node)]))
    for (let waited = 0; heartbeat.downSince !== undefined && waited < busStartMillisMax; waited += 25) {
      yield* Effect.sleep(25)
    }

    return RedisTransport.of({
      node,
      prefix: client.prefix,
      tellAll: (kind, json) => void publishers.broadcast.publish(kind, json),
      tellNode: (name, kind, json, lost) => void publishers.inbox(name).publish(kind, json, lost),
      hear: messages.add,
      gaps: (listener) => gapListeners.add("gap", listener),
      authentication,
      away: () => heartbeat.downSince !== undefined,
      call: whileUp(heartbeat, client.call),
      callLarge: whileUp(heartbeat, client.callLarge)
    })
  })
