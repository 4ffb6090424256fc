/**
 * The subscribers of this node. Owns which webhooks it holds: leases are taken in batches when there is work, renewed in
 * one statement, given back when a subscriber leaves; a sweep finds due deliveries that nobody holds. Restarts are the
 * supervisor's, sending is perform.ts's.
 */
import { randomBytes, randomInt } from "node:crypto"
import { Context, Effect, Exit, Layer, Schedule } from "effect"
import { Sealed } from "../../src/auth/sealed.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import { Ending } from "../../src/ending.ts"
import type { StoreFailed } from "../../src/errors.ts"
import {
  accountsIndexedMax,
  deliveryBatchMax,
  leaseMillis,
  leaseRenewMillis,
  leaseSweepMax,
  leaseSweepMillis,
  subscriberReadyMax
} from "../../src/limits/delivery.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { Deliveries, type PendingDelivery } from "../../src/store/deliveries.ts"
import { type Held, Leases } from "../../src/store/leases.ts"
import type { WebhookRow } from "../../src/store/webhooks.ts"
import { watch } from "../../src/telemetry.ts"
import { makeLine } from "../batch.ts"
import { Supervisor } from "../supervisor.ts"
import { Wheel } from "../wheel.ts"
import { drained } from "./draining.ts"
import { WebhookIndex } from "./index.ts"
import type { SubscriberMessage } from "./messages.ts"
import { Outcomes } from "./outcomes.ts"
import { type Endpoint, type Entry, openEndpoint, type Subscriber, subscriberBehaviour } from "./perform.ts"
import { makePlaces, type Places } from "./places.ts"
import { begin } from "./subscriber.ts"

/** The subscribers. */
export class Subscribers extends Context.Service<
  Subscribers,
  {
    /** Committed deliveries, due now: sent by this node if it holds or gets their webhooks, else their holder is told. */
    readonly offer: (deliveries: ReadonlyArray<PendingDelivery>) => void
    /** Something of a webhook fell due in the store. */
    readonly look: (webhookId: string) => void
    /** Whether this node holds a webhook now. */
    readonly holds: (webhookId: string) => boolean
    /** Looks for due deliveries that nobody holds, now. */
    readonly sweep: Effect.Effect<void, StoreFailed>
    /** What signs for a webhook and where it is, as stored. */
    readonly endpoint: (row: WebhookRow) => Effect.Effect<Endpoint, StoreFailed>
    /** Where a test of a webhook has its place among what is under way. */
    readonly places: Places
    /** Starts no further attempt; ends when those under way are recorded and the leases are given back. */
    readonly drain: Effect.Effect<void>
  }
>()("hub/Subscribers") {
  static readonly layer: Layer.Layer<
    Subscribers,
    StoreFailed,
    Bus | Config | Deliveries | Ending | Leases | Outbound | Outcomes | Sealed | Supervisor | WebhookIndex | Wheel
  > = Layer.effect(
    Subscribers,
    Effect.suspend(() => make)
  )
}

const chanceSteps = 1_000_000
const nothing: ReadonlyArray<PendingDelivery> = []

const make = Effect.gen(function* () {
  const config = yield* Config
  const bus = yield* Bus
  const leases = yield* Leases
  const supervisor = yield* Supervisor
  const wheel = yield* Wheel
  const sealed = yield* Sealed
  const index = yield* WebhookIndex
  const outcomes = yield* Outcomes
  const ending = yield* Ending
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const node = `${process.pid}-${randomBytes(9).toString("base64url")}`
  const planned = config.webhookRetriesSeconds.map((seconds) => seconds * 1_000)
  const entries = new Map<string, Entry>()
  const ofAccount = new Map<string, Set<string>>()
  const taking = new Map<string, ReadonlyArray<PendingDelivery>>()
  const missed = new Set<string>()
  let underway = 0
  let quiet: (() => void) | undefined
  let draining = false
  let holding = true
  let renewedAt = wheel.steady()

  // One user only: whoever held these leases is dead.
  if (config.databaseUrl === undefined) yield* leases.reclaim

  const endpoint = (row: WebhookRow) => openEndpoint(sealed, row)

  const find = (webhookId: string): Subscriber | undefined =>
    supervisor.find<SubscriberMessage>("subscriber", webhookId)

  const releasing = makeLine<Entry, StoreFailed>(run, {
    rowsMax: deliveryBatchMax,
    bytesMax: Number.POSITIVE_INFINITY,
    bytesOf: () => 1,
    waitingMax: accountsIndexedMax,
    write: (some) => leases.release(node, some),
    // what is not given back ends by itself
    written: () => undefined
  })

  const ended = (webhookId: string): void => {
    const entry = entries.get(webhookId)
    if (entry === undefined) return
    entry.timer?.clear()
    entries.delete(webhookId)
    const ids = ofAccount.get(entry.accountId)
    ids?.delete(webhookId)
    if (ids?.size === 0) ofAccount.delete(entry.accountId)
    releasing.add(entry)
    places.given(webhookId)
  }

  const reread = (entry: Entry): Effect.Effect<Endpoint | undefined> =>
    leases.profile(entry.webhookId).pipe(
      Effect.flatMap((row) => (row === undefined ? Effect.succeed(undefined) : endpoint(row))),
      Effect.retry(Schedule.spaced("1 second"))
    ) as Effect.Effect<Endpoint | undefined>

  const behaviour = subscriberBehaviour({
    run,
    wheel,
    outbound: yield* Outbound,
    deliveries: yield* Deliveries,
    outcomes,
    entries,
    chance: () => randomInt(chanceSteps) / chanceSteps,
    reread,
    underway: (change) => {
      underway += change
      if (underway === 0) quiet?.()
    },
    admit: (webhookId) => places.given(webhookId),
    ended
  })

  const tell = (webhookId: string, message: SubscriberMessage): boolean => {
    const subscriber = find(webhookId)
    if (subscriber === undefined) return false
    // a full mailbox loses nothing: the store is read instead
    if (!subscriber.tell(message)) missed.add(webhookId)
    return true
  }

  const places = makePlaces(tell, wheel.now)

  const start = (held: Held, where: Endpoint, deliveries: ReadonlyArray<PendingDelivery>): void => {
    const entry: Entry = {
      webhookId: held.id,
      accountId: held.accountId,
      fence: held.fence,
      heldAt: wheel.steady(),
      planned,
      endpoint: where,
      health: { failures: held.failures, failingSince: held.failingSince ?? undefined },
      lastAttemptAt: held.lastDeliveryAt ?? undefined,
      timer: undefined
    }
    entries.set(held.id, entry)
    const state = () => begin(held.id, planned, entry.health, entry.lastAttemptAt)
    if (supervisor.spawnDormant(behaviour, held.id, state) === undefined) return ended(held.id)
    const ids = ofAccount.get(held.accountId) ?? new Set()
    ofAccount.set(held.accountId, ids.add(held.id))
    places.begun(held.id)
    if (!holding) tell(held.id, { type: "hold", held: false, now: wheel.now() })
    if (deliveries.length > 0) tell(held.id, { type: "due", deliveries, now: wheel.now() })
  }

  const taken = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const foreign = new Set(ids)
    for (const held of yield* leases.take(node, ids)) {
      foreign.delete(held.id)
      const where = yield* Effect.result(endpoint(held))
      const deliveries = taking.get(held.id) ?? nothing
      taking.delete(held.id)
      if (find(held.id) !== undefined) continue
      if (where._tag === "Success") start(held, where.success, deliveries)
      else yield* Effect.logError("a webhook's secret does not open", held.id, where.failure.cause)
    }
    if (foreign.size > 0) bus.publish("deliveries_due", { webhookIds: [...foreign] })
  })

  const acquiring = makeLine<string, StoreFailed>(run, {
    rowsMax: deliveryBatchMax,
    bytesMax: Number.POSITIVE_INFINITY,
    bytesOf: () => 1,
    waitingMax: accountsIndexedMax,
    write: taken,
    written: (ids, exit) => {
      for (const id of ids) taking.delete(id)
      if (Exit.isFailure(exit)) run(Effect.logWarning("leases could not be taken", exit.cause))
    }
  })

  const want = (webhookId: string, deliveries: ReadonlyArray<PendingDelivery>): void => {
    if (draining) return
    const waiting = taking.get(webhookId)
    if (waiting !== undefined) {
      // what does not fit is found in the store
      if (waiting.length + deliveries.length <= subscriberReadyMax) taking.set(webhookId, [...waiting, ...deliveries])
      return
    }
    taking.set(webhookId, deliveries.length <= subscriberReadyMax ? deliveries : nothing)
    if (!acquiring.add(webhookId)) taking.delete(webhookId)
  }

  const offer = (deliveries: ReadonlyArray<PendingDelivery>): void => {
    const byWebhook = new Map<string, Array<PendingDelivery>>()
    for (const delivery of deliveries) {
      const some = byWebhook.get(delivery.webhookId)
      if (some === undefined) byWebhook.set(delivery.webhookId, [delivery])
      else some.push(delivery)
    }
    const now = wheel.now()
    for (const [webhookId, some] of byWebhook) {
      if (!tell(webhookId, { type: "due", deliveries: some, now })) want(webhookId, some)
    }
  }

  const look = (webhookId: string): void => {
    if (!tell(webhookId, { type: "look", now: wheel.now() })) want(webhookId, nothing)
  }

  const sweep = Effect.map(
    Effect.suspend(() => leases.unheld(wheel.now(), leaseSweepMax)),
    (ids) => {
      for (const id of ids) look(id)
    }
  )

  const hold = (held: boolean): void => {
    if (holding === held) return
    holding = held
    supervisor.tellAll<SubscriberMessage>("subscriber", { type: "hold", held, now: wheel.now() })
  }

  const renew = Effect.gen(function* () {
    const began = wheel.steady()
    if (began - renewedAt > leaseMillis) hold(false)
    const still = yield* leases.renew(node)
    for (const [id, entry] of [...entries]) {
      if (entry.heldAt < began && still.get(id) !== entry.fence) find(id)?.tell({ type: "lost" })
    }
    renewedAt = wheel.steady()
    hold(true)
    for (const id of missed) {
      missed.delete(id)
      look(id)
    }
  })

  const loud = <E>(what: string, effect: Effect.Effect<void, E>) =>
    Effect.catchCause(effect, (cause) => Effect.logWarning(what, cause))

  yield* index.heard((accountId) => {
    for (const id of ofAccount.get(accountId) ?? []) tell(id, { type: "changed", now: wheel.now() })
  })
  yield* bus.subscribe("deliveries_due", ({ webhookIds }) => {
    for (const id of webhookIds) tell(id, { type: "look", now: wheel.now() })
  })
  yield* Effect.forkScoped(Effect.repeat(loud("leases could not be renewed", renew), Schedule.spaced(leaseRenewMillis)))
  yield* Effect.forkScoped(
    Effect.repeat(loud("due deliveries could not be looked for", sweep), Schedule.spaced(leaseSweepMillis))
  )

  const calm = Effect.callback<void>((resume) => {
    quiet = () => resume(Effect.void)
    if (underway === 0) quiet()
  })
  // Once: a node asks for it first, its scope again.
  const drain = yield* Effect.cached(
    Effect.suspend(() => {
      draining = true
      supervisor.tellAll<SubscriberMessage>("subscriber", { type: "drain", now: wheel.now() })
      const leave = (): void => {
        for (const id of [...entries.keys()]) find(id)?.kill()
      }
      return drained({ ending, outcomes, underway: () => underway, calm, leave, releasing })
    })
  )
  const unwatch = watch("hub_subscribers", () => entries.size)
  yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(unwatch), drain))

  return Subscribers.of({ offer, look, holds: (webhookId) => entries.has(webhookId), sweep, endpoint, places, drain })
})
