/**
 * Writes presence: claims of new connections and releases of times online that ended, in batches and one write at a
 * time, so that this node's rows change in one order; presence-releases.ts writes the ends. Tells the roster and the
 * events what a write committed. Decides nothing about a daemon.
 */
import { randomBytes } from "node:crypto"
import { Context, Effect, Layer, Option, Schedule, Semaphore } from "effect"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import { Config } from "../../src/config.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { type Overloaded, StoreFailed } from "../../src/errors.ts"
import {
  claimTriesMax,
  nodeStartBeatsMax,
  nodeStepDaemons,
  nodeStoreMillisMax,
  releaseAgainMillis,
  releasePreparedMax
} from "../../src/limits/nodes.ts"
import { count } from "../../src/runtime/metrics.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { atStart } from "../../src/runtime/start-work.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Nodes } from "../../src/store/daemons/nodes.ts"
import { type ClaimAnswer, type Claimed, type ClaimRequest, PresenceStore } from "../../src/store/daemons/presence.ts"
import { makeQueryBatcher } from "../../src/store/sql/query-batcher.ts"
import { DaemonEvents } from "../events/daemon-events.ts"
import type { PreparedEvent } from "../events/dispatcher.ts"
import {
  makeReleases,
  type PresenceRelease,
  type ReleaseContext,
  type WaitingRelease,
  writeReleases
} from "./presence-releases.ts"

/** A claim, with what is to follow its commit. Its time online begins when it is written. */
export interface PresenceClaim extends Omit<ClaimRequest, "deliveries" | "at"> {
  /** Prepares its `daemon:connect`, which happens at this time if a time online begins. */
  readonly event: (at: number) => Effect.Effect<PreparedEvent, StoreFailed>
  /**
   * Called when it is committed, before anyone else learns of it; also where its caller waits no more. `ended`: the
   * last of an older connection whose end came meanwhile and is not written, since its time online goes on.
   */
  readonly committed: (claimed: Claimed, ended?: Snapshot) => void
}

export class PresenceWriter extends Context.Service<
  PresenceWriter,
  {
    /** This node, as the others know it. */
    readonly node: string
    /** Undefined: there is no such daemon, or a newer connection holds it, or its time online has ended. */
    readonly claim: (claim: PresenceClaim) => Effect.Effect<Claimed | undefined, Overloaded | StoreFailed>
    /** Ends a time online; waits while the store is away. */
    readonly release: (release: PresenceRelease) => void
    /** Whether the end of its time online waits here to be written. */
    readonly isReleasing: (daemonId: string) => boolean
    /** Runs between two writes of this node. */
    readonly exclusive: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
    /** Whether the store may hold what this node does not know of, as when an answer was lost. Asked, it is reset. */
    readonly takeDoubt: () => boolean
    /** It may. */
    readonly doubt: () => void
  }
>()("hub/PresenceWriter") {
  static readonly layer = Layer.effect(PresenceWriter)(Effect.suspend(() => make))
}

interface WriterContext extends ReleaseContext {
  readonly now: () => number
  readonly tellMoved: (node: string, claimed: Claimed) => void
}

/** One that waits. `nth`: its place among the claims and ends of this node. */
interface WaitingClaim extends PresenceClaim {
  readonly nth: number
}

/** Cuts claims so that each part has one per daemon: of several connections of one daemon the last has it. */
const onePerDaemon = (claims: ReadonlyArray<WaitingClaim>): ReadonlyArray<ReadonlyArray<WaitingClaim>> => {
  const parts: Array<Array<WaitingClaim>> = []
  const seen = new Map<string, number>()
  for (const claim of claims) {
    const part = seen.get(claim.daemonId) ?? 0
    seen.set(claim.daemonId, part + 1)
    parts[part] ??= []
    parts[part].push(claim)
  }
  return parts
}

/** The ends of times online that came before these claims: who is back within its grace goes on. */
const earlierThan = (
  { releases }: WriterContext,
  claims: ReadonlyArray<WaitingClaim>
): ReadonlyArray<WaitingRelease> => {
  const earlier = new Set<WaitingRelease>()
  for (const { daemonId, nth } of claims) {
    const release = releases.get(daemonId)
    if (release !== undefined && release.nth < nth) earlier.add(release)
  }
  return [...earlier]
}

/** A claim with its event, prepared for the time at which its time online would begin. */
type PreparedClaim = readonly [WaitingClaim, PreparedEvent]

/** Writes claims, one per daemon, whose times online would begin at this time. */
const writeClaimsAt = (
  context: WriterContext,
  part: ReadonlyArray<WaitingClaim>,
  at: number
): Effect.Effect<ClaimAnswer, StoreFailed> =>
  Effect.gen(function* () {
    const { node, maxAttempts, store, releases, tellMoved } = context
    const prepared: Array<PreparedClaim> = []
    const lost = Effect.sync(() => {
      for (const [, event] of prepared) event.committed(undefined)
    })
    const written = Effect.gen(function* () {
      const prepare = (claim: WaitingClaim) =>
        Effect.map(claim.event(at), (event) => void prepared.push([claim, event]))
      yield* Effect.forEach(part, prepare, { concurrency: releasePreparedMax, discard: true })
      const requests = prepared.map(([{ committed: _, event: __, nth: ___, ...rest }, { deliveries }]) => ({
        ...rest,
        at,
        deliveries
      }))
      return yield* store.claim(node, requests, maxAttempts)
    })
    const answer = yield* Effect.onError(written, () => lost)
    for (const [claim, event] of prepared) {
      const found = answer.claimed.get(claim.daemonId)
      if (found !== undefined) {
        const ended = releases.get(claim.daemonId)?.snapshot
        const goesOn = ended !== undefined && ended.epoch < found.epoch
        if (goesOn) releases.delete(claim.daemonId)
        claim.committed(found, goesOn ? ended : undefined)
      }
      if (found?.began === true) count("hub_presence_changes_total", "online")
      event.committed(found?.began === true ? answer.deliveryIds : undefined)
      if (found?.from !== undefined) tellMoved(found.from, found)
    }
    return answer
  })

/**
 * Writes claims, one per daemon. A time online begins when it is written, so that it follows the end of the last; where
 * the last ended later by then, on another node, it begins at that end.
 */
const writePart = (
  context: WriterContext,
  part: ReadonlyArray<WaitingClaim>
): Effect.Effect<ReadonlyMap<string, Claimed>, StoreFailed> =>
  Effect.gen(function* () {
    const claimed = new Map<string, Claimed>()
    let rest = part
    let notBefore = 0
    for (let tries = 0; rest.length > 0; tries++) {
      if (tries === claimTriesMax) {
        const cause = new Error("daemons came and went on other nodes meanwhile")
        return yield* new StoreFailed({ operation: "claim daemons", cause })
      }
      const answer = yield* writeClaimsAt(context, rest, Math.max(context.now(), notBefore))
      for (const [daemonId, one] of answer.claimed) claimed.set(daemonId, one)
      notBefore = Math.max(notBefore, ...answer.early.values())
      rest = rest.filter(({ daemonId }) => answer.early.has(daemonId))
    }
    return claimed
  })

/** Writes claims, after the ends of earlier times online of the same daemons. */
const writeClaims = (
  context: WriterContext,
  claims: ReadonlyArray<WaitingClaim>
): Effect.Effect<ReadonlyArray<Claimed | undefined>, StoreFailed> =>
  Effect.gen(function* () {
    const answers = new Map<WaitingClaim, Claimed | undefined>()
    const earlier = earlierThan(context, claims)
    if (earlier.length > 0) yield* writeReleases(context, earlier)
    for (const part of onePerDaemon(claims)) {
      const claimed = yield* writePart(context, part)
      for (const claim of part) answers.set(claim, claimed.get(claim.daemonId))
    }
    return claims.map((claim) => answers.get(claim))
  }).pipe(Effect.onError(() => Effect.sync(context.doubt)))

const again = Schedule.spaced(releaseAgainMillis)

const make = Effect.gen(function* () {
  const { webhookRetriesSeconds } = yield* Config
  const nodes = yield* Nodes
  const wire = Option.getOrUndefined(yield* Effect.serviceOption(RedisTransport))
  const exclusive = yield* Semaphore.make(1)
  // the id under which the node says which secret keys it holds, where it has one
  const own = Option.getOrElse(yield* Effect.serviceOption(NodeId), () => `node_${randomBytes(9).toString("hex")}`)
  const node = wire?.node ?? own
  let doubtful = false
  const doubt = (): void => {
    doubtful = true
  }
  const releases = new Map<string, WaitingRelease>()
  let came = 0
  const context: WriterContext = {
    node,
    maxAttempts: webhookRetriesSeconds.length + 1,
    now: (yield* Timers).now,
    store: yield* PresenceStore,
    events: yield* DaemonEvents,
    releases,
    nextNth: () => came++,
    doubt,
    tellMoved: (to, { daemonId, epoch }) => wire?.tellNode(to, "moved", JSON.stringify({ daemonId, epoch }), () => {})
  }
  // a node starts though a connection breaks just then
  yield* atStart(Effect.retry(nodes.beat(node, wire?.away() === false), { schedule: again, times: nodeStartBeatsMax }))
  const release = yield* makeReleases(context, exclusive)
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.timeoutOption(Effect.andThen(release.flush, Effect.ignore(nodes.leave(node))), nodeStoreMillisMax),
      Effect.void
    )
  )
  const write = yield* makeQueryBatcher<WaitingClaim, Claimed | undefined>({
    name: "claim daemons",
    queue: "claims",
    maxBatch: nodeStepDaemons,
    run: (claims) => exclusive.withPermits(1)(writeClaims(context, claims))
  })
  return PresenceWriter.of({
    node,
    claim: (claim) => Effect.suspend(() => write({ ...claim, nth: context.nextNth() })),
    release: release.add,
    isReleasing: (daemonId) => releases.has(daemonId),
    exclusive: (effect) => exclusive.withPermits(1)(effect),
    takeDoubt: () => {
      const was = doubtful
      doubtful = false
      return was
    },
    doubt
  })
})
