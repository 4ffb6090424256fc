/**
 * This node's line to the others through Redis: one channel for all and one inbox a node. Owns the connections, the
 * beats by which a node hears whether the line stands (and Redis takes what it writes), and the word that something may
 * have been lost; knows no message. Nothing said here waits or fails: it is heard, or it is counted and noticed as a
 * gap.
 */
import { randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { LRUCache } from "lru-cache"
import {
  busAwayCacheMillis,
  busBeatMillis,
  busPeersMax,
  busRedialMillis,
  busSilenceMillisMax,
  busStartMillisMax,
  busUnsentBytesMax,
  busWaitingBytesMax,
  busWrittenMillis
} from "../limits/nodes.ts"
import { count } from "../runtime/metrics.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { afterByClock, failureLog } from "../runtime/throttled-log.ts"
import { makeVoice, type Voice } from "./channel-publisher.ts"
import { makeEar, readSaid } from "./gap-detector.ts"
import { Pulse } from "./heartbeat.ts"
import { type Listeners, makeListeners } from "./listeners.ts"
import { type MessageAuthentication, messageAuthentication } from "./message-authentication.ts"
import { type Dialled, dial } from "./redis-client.ts"
import { troubleOf } from "./redis-errors.ts"

/** A message from a node. */
export interface Heard {
  readonly from: string
  readonly message: unknown
}

/** The line. */
export class RedisTransport extends Context.Service<
  RedisTransport,
  {
    /** This node's name, new at each start. */
    readonly node: string
    /** Set before the name of whatever is kept in Redis. */
    readonly prefix: string
    /** Tells all nodes (a message as JSON). This node hears it too, later. */
    readonly tellAll: (kind: string, json: string) => void
    /** Tells one node; `lost` is called when nobody heard it, or (`surely` false) when nobody can tell. */
    readonly tellNode: (node: string, kind: string, json: string, lost: (surely: boolean) => void) => void
    /** Hears a kind of message until the scope closes. */
    readonly hear: (kind: string, listener: (heard: Heard) => void) => Effect.Effect<void, never, Scope.Scope>
    /** Hears that messages may have been lost; once a second while the line is away. */
    readonly gaps: (listener: (stands: boolean) => void) => Effect.Effect<void, never, Scope.Scope>
    /** Whether this node does not hear itself, or Redis takes no writes. */
    readonly away: () => boolean
    /**
     * Since when the line has stood without a break, by the clock for spans (monotonic.ts); undefined while it is away.
     */
    readonly since: () => number | undefined
    /** Calls a command of Redis. Rejects while the line is away. */
    readonly call: Dialled["call"]
    /** The same for large texts, behind which nothing else waits. */
    readonly callLarge: Dialled["call"]
    /** For texts that are left in Redis for another node, by the name they have there. */
    readonly authentication: MessageAuthentication
  }
>()("hub/RedisTransport") {
  /**
   * A line to the Redis of this URL, for hubs of this secret key. Starts even when it is away. Not hearing itself, or
   * not written, for `silenceMillis` it is away.
   */
  static readonly layer = (
    redisUrl: string,
    secretKey: Uint8Array,
    silenceMillis = busSilenceMillisMax
  ): Layer.Layer<RedisTransport> => Layer.effect(RedisTransport, make(redisUrl, secretKey, silenceMillis))
}

interface Parts {
  readonly dialled: Dialled
  readonly node: string
  readonly everyone: string
  readonly inbox: string
  readonly messages: Listeners<Heard>
  readonly gap: () => void
  readonly pulse: Pulse
  readonly now: () => number
  readonly note: (stands: boolean) => void
  readonly failed: (error: unknown) => void
  readonly authentication: MessageAuthentication
  readonly refused: (why: Refused) => void
}

/** Why a message is not heard. */
type Refused = "not signed by this hub" | "not readable" | "repeated"

/** A beat came back on a channel, or was written. */
const came = ({ pulse, now, gap, note }: Parts, channel: string, beat: number): void => {
  if (!pulse.came(channel, beat, now())) return
  gap()
  note(true)
}

const listen = (parts: Parts): void => {
  const { dialled, node, everyone, inbox, messages, gap, pulse, now, note, authentication, refused } = parts
  const ears = new Map([everyone, inbox].map((channel) => [channel, makeEar()]))
  dialled.listen([everyone, inbox], (channel, text) => {
    const signed = authentication.verify(channel, text)
    if (signed === undefined) return refused("not signed by this hub")
    const said = readSaid(signed)
    if (said === undefined) return refused("not readable")
    const hearing = ears.get(channel)?.hear(said)
    if (hearing === "repeated") return refused("repeated")
    if (hearing === "lost" && pulse.awaySince === undefined) gap()
    for (const [kind, message] of said.parts) {
      if (kind !== "beat") messages.tell(kind, { from: said.from, message })
      else if (said.from === node) came(parts, channel, Number(message))
    }
  })
  dialled.lost(() => {
    if (!pulse.fell(now())) return
    gap()
    note(false)
  })
}

/**
 * A replica, or a server whose memory is full, goes on with messages: whether leases can be kept is only known by
 * writing.
 */
const write = (parts: Parts, beat: number): void => {
  const { dialled, failed } = parts
  const args = [`${dialled.prefix}{machines}:written`, beat, "PX", busWrittenMillis]
  dialled.call("SET", args).then(() => came(parts, "written", beat), failed)
}

const beats = (parts: Parts, voices: ReadonlyArray<Voice>) => {
  const { dialled, pulse, now, gap, note } = parts
  let saidAt = now()
  let dialledAt = now()
  return Effect.gen(function* () {
    while (true) {
      const beat = pulse.next()
      for (const voice of voices) voice.say("beat", String(beat))
      write(parts, beat)
      const dueAt = now() + busBeatMillis
      yield* Effect.sleep(busBeatMillis)
      pulse.heldUp(now() - dueAt)
      if (pulse.silent(now()) && pulse.fell(now())) {
        saidAt = now()
        gap()
        note(false)
      }
      if (pulse.awaySince === undefined) {
        dialledAt = now()
        continue
      }
      if (now() - saidAt >= busAwayCacheMillis - busBeatMillis) {
        saidAt = now()
        gap()
      }
      if (now() - Math.max(dialledAt, pulse.awaySince) >= busRedialMillis) {
        dialledAt = now()
        dialled.redial()
      }
    }
  })
}

/** Logs each reason once until the line stands. */
const makeTroubles = (log: (trouble: string) => void) => {
  const told = new Set<string>()
  return {
    failed: (error: unknown): void => {
      const trouble = troubleOf(error)
      if (trouble === undefined || told.has(trouble)) return
      told.add(trouble)
      log(trouble)
    },
    over: (): void => told.clear()
  }
}

const make = (redisUrl: string, secretKey: Uint8Array, silenceMillis: number) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const messages = yield* makeListeners<Heard>()
    const breaks = yield* makeListeners<boolean>()
    const node = `node_${randomBytes(9).toString("hex")}`
    const troubles = makeTroubles(
      (trouble) => void run(Effect.logWarning(`Redis does not serve this node: ${trouble}`))
    )
    const dialled = yield* Effect.acquireRelease(
      Effect.sync(() => dial(redisUrl, troubles.failed)),
      ({ close }) => Effect.sync(close)
    )
    const inboxOf = (name: string): string => `${dialled.prefix}inbox:${name}`
    const everyone = `${dialled.prefix}all`
    const now = (): number => monotonicMillis(clock)
    const pulse = new Pulse(3, silenceMillis, now())
    const authentication = messageAuthentication(secretKey, () => clock.currentTimeMillisUnsafe())
    const refusals = yield* failureLog<Refused>(yield* afterByClock, (why, heldBack) =>
      Effect.logWarning("a message on the bus is not heard", { why, heldBack })
    )
    let unsent = 0

    const send = async (channel: string, text: string): Promise<number> => {
      if (unsent + text.length > busUnsentBytesMax) throw new Error("too much is on its way to Redis")
      unsent += text.length
      try {
        return await dialled.publish(channel, authentication.sign(channel, text))
      } catch (error) {
        troubles.failed(error)
        throw error
      } finally {
        unsent -= text.length
      }
    }
    const voiceOf = (channel: string): Voice =>
      makeVoice({
        from: node,
        send: (text) => send(channel, text),
        soon: (work) => void setImmediate(work),
        bytesMax: busWaitingBytesMax,
        dropped: (parts) => count("hub_bus_dropped_total", "", parts)
      })
    const all = voiceOf(everyone)
    const inboxes = new LRUCache<string, Voice>({ max: busPeersMax })
    const inbox = (name: string): Voice => {
      const voice = inboxes.get(name) ?? voiceOf(inboxOf(name))
      inboxes.set(name, voice)
      return voice
    }

    const parts: Parts = {
      dialled,
      node,
      everyone,
      inbox: inboxOf(node),
      messages,
      gap: () => breaks.tell("gap", pulse.awaySince === undefined),
      pulse,
      now,
      failed: troubles.failed,
      authentication,
      refused: (why) => {
        count("hub_bus_refused_total", why)
        refusals.add(why, why)
      },
      note: (stands) => {
        if (stands) troubles.over()
        run(stands ? Effect.logInfo("the bus stands") : Effect.logWarning("the bus is away: this node is on its own"))
      }
    }
    listen(parts)
    yield* Effect.forkScoped(beats(parts, [all, inbox(node)]))
    for (let waited = 0; pulse.awaySince !== undefined && waited < busStartMillisMax; waited += 25) {
      yield* Effect.sleep(25)
    }

    const whileStanding =
      (call: Dialled["call"]): Dialled["call"] =>
      (command, args) =>
        pulse.awaySince === undefined ? call(command, args) : Promise.reject(new Error("the bus is away"))

    return RedisTransport.of({
      node,
      prefix: dialled.prefix,
      tellAll: (kind, json) => void all.say(kind, json),
      tellNode: (name, kind, json, lost) => void inbox(name).say(kind, json, lost),
      hear: messages.add,
      gaps: (listener) => breaks.add("gap", listener),
      authentication,
      away: () => pulse.awaySince !== undefined,
      since: () => pulse.standsSince,
      call: whileStanding(dialled.call),
      callLarge: whileStanding(dialled.callLarge)
    })
  })
