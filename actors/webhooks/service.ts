/**
 * The port to the subscribers of this node. Owns the periodic work: the renewal of leases, the sweep for due deliveries
 * without a lease, the drain. local-subscribers.ts owns the subscribers, leases.ts the leases, supervisor.ts the
 * restarts, perform.ts the sending.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import type { Endpoint } from "../../src/domain/webhook/signature.ts"
import type { StoreFailed } from "../../src/errors.ts"
import {
  leaseRenewMillis,
  leaseSweepMax,
  leaseSweepMillis,
  sweepRestMillisMax,
  sweepRestTimes
} from "../../src/limits/delivery.ts"
import { DrainDeadline } from "../../src/runtime/drain-deadline.ts"
import { watchInScope } from "../../src/runtime/metrics.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { atStart } from "../../src/runtime/start-work.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { PendingDelivery } from "../../src/store/webhooks/deliveries.ts"
import { Leases } from "../../src/store/webhooks/leases.ts"
import type { WebhookRow } from "../../src/store/webhooks/webhooks.ts"
import { makeAcquiring, makeReleasing, makeRenewal } from "./leases.ts"
import { makeLocalSubscribers, openEndpoint } from "./local-subscribers.ts"
import { Outcomes } from "./outcomes.ts"
import { SubscriptionIndex } from "./subscription-index.ts"

export class Subscribers extends Context.Service<
  Subscribers,
  {
    /**
     * Committed deliveries, due now: sent by this node if it holds or gets their webhooks, else their holder is told.
     */
    readonly offer: (deliveries: ReadonlyArray<PendingDelivery>) => void
    /** Something of a webhook fell due in the store. */
    readonly look: (webhookId: string) => void
    /** Whether this node holds a webhook now. */
    readonly holds: (webhookId: string) => boolean
    /** Looks for due deliveries without a lease, now. */
    readonly sweep: Effect.Effect<void, StoreFailed>
    /** What signs for a webhook and where it is, as stored. */
    readonly endpoint: (row: WebhookRow) => Effect.Effect<Endpoint, StoreFailed>
    /** Starts no further attempt; ends when those under way are recorded and the leases are given back. */
    readonly drain: Effect.Effect<void>
  }
>()("hub/Subscribers") {
  static readonly layer = Layer.effect(Subscribers)(Effect.suspend(() => make))
}

/** What is due, by webhook. */
const byWebhook = (deliveries: ReadonlyArray<PendingDelivery>): ReadonlyMap<string, ReadonlyArray<PendingDelivery>> => {
  const byId = new Map<string, Array<PendingDelivery>>()
  for (const delivery of deliveries) {
    const some = byId.get(delivery.webhookId)
    if (some === undefined) byId.set(delivery.webhookId, [delivery])
    else some.push(delivery)
  }
  return byId
}

/** Attempts may take this share of a drain; the rest is for recording them. */
const attemptsShare = 0.85

/** The attempts under way, counted. */
class AttemptCounter {
  private size = 0
  private readonly idle = Latch.makeUnsafe(true)

  /** An attempt begins. */
  readonly begun = (): void => {
    if (this.size++ === 0) this.idle.closeUnsafe()
  }

  /** An attempt has ended, by whatever exit. */
  readonly ended = (): void => {
    if (--this.size === 0) this.idle.openUnsafe()
  }

  /** How many there are. */
  readonly count = (): number => this.size

  /** Ends when there is none. */
  readonly none = this.idle.await
}

const make = Effect.gen(function* () {
  const { databaseUrl } = yield* Config
  const bus = yield* Bus
  const leases = yield* Leases
  const timers = yield* Timers
  const box = yield* SecretBox
  const index = yield* SubscriptionIndex
  const outcomes = yield* Outcomes
  const ending = yield* DrainDeadline
  const node = yield* NodeId
  let draining = false

  // The database has one user: the holders of these leases are dead.
  if (databaseUrl === undefined) yield* atStart(leases.reclaim)

  const attempts = new AttemptCounter()
  const releasing = yield* makeReleasing(node)
  const subscribers = yield* makeLocalSubscribers({ release: releasing.add, attempts })
  const acquire = yield* makeAcquiring(node, subscribers)

  const offer = (deliveries: ReadonlyArray<PendingDelivery>): void => {
    const now = timers.now()
    for (const [webhookId, some] of byWebhook(deliveries)) {
      if (!subscribers.tell(webhookId, { type: "due", deliveries: some, now }) && !draining) acquire(webhookId, some)
    }
  }

  const look = (webhookId: string): void => {
    if (!subscribers.tell(webhookId, { type: "look", now: timers.now() }) && !draining) acquire(webhookId)
  }

  const sweep = Effect.map(
    Effect.suspend(() => leases.unheld(timers.now(), leaseSweepMax)),
    (ids) => {
      for (const id of ids) look(id)
    }
  )
  const renew = yield* makeRenewal(node, subscribers, look)

  yield* index.onChange((accountId) => subscribers.changed(accountId))
  yield* bus.subscribe("deliveries_due", ({ webhookIds }) => {
    for (const id of webhookIds) subscribers.tell(id, { type: "look", now: timers.now() })
  })
  yield* repeatEvery(leaseRenewMillis, "leases could not be renewed", renew, { onceReady: true })
  yield* repeatEvery(leaseSweepMillis, "due deliveries could not be looked for", sweep, {
    onceReady: true,
    rest: { times: sweepRestTimes, millisMax: sweepRestMillisMax }
  })

  // Once: a node asks for it first, its scope again.
  const drain = yield* Effect.cached(
    Effect.suspend(() => {
      draining = true
      subscribers.tellAll({ type: "drain", now: timers.now() })
      const endSubscribers = Effect.suspend(() => subscribers.endAll(ending.left()))
      // an attempt under way after its share is interrupted: its delivery stays pending, for the next holder
      return ending
        .step("attempts", attempts.none, { share: attemptsShare, remains: attempts.count })
        .pipe(
          Effect.andThen(ending.step("outcomes of deliveries", outcomes.empty)),
          Effect.andThen(ending.step("subscribers", endSubscribers)),
          Effect.andThen(ending.step("leases", releasing.empty, { remains: releasing.waiting })),
          Effect.asVoid
        )
    })
  )
  yield* watchInScope("hub_subscribers", () => subscribers.webhooks.size)
  yield* Effect.addFinalizer(() => drain)

  return Subscribers.of({
    offer,
    look,
    holds: (webhookId) => subscribers.webhooks.has(webhookId),
    sweep,
    endpoint: (row) => openEndpoint(box, row),
    drain
  })
})
