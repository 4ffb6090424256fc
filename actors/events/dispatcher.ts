/**
 * From an event to deliveries and live streams: finds which webhooks want it, has it committed, then wakes the
 * subscribers and the live streams. Owns the queue before the store. An event is committed before anything is sent; one
 * that no webhook wants costs no write, except of the agents' state that it announces, and one of a disabled account is
 * refused.
 */
import { Context, Effect, Exit, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import { StoreFailed } from "../../src/errors.ts"
import {
  deliveryBatchBytesMax,
  deliveryBatchMax,
  dispatchWaitingBytesMax,
  dispatchWaitingMax,
  embeddedDeliveryBatchMax,
  eventsRecentMax
} from "../../src/limits/delivery.ts"
import { DrainDeadline } from "../../src/runtime/drain-deadline.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import { makeGroupCommit } from "../../src/runtime/group-commit.ts"
import { count } from "../../src/runtime/metrics.ts"
import {
  Deliveries,
  dedupeKey,
  type Inserted,
  type NewDelivery,
  type PendingDelivery,
  type ToldRow
} from "../../src/store/webhooks/deliveries.ts"
import type { WebhookSubscription, WebhookSubscriptions } from "../../src/store/webhooks/webhook-subscriptions.ts"
import { Tracing } from "../../src/tracing/tracer.ts"
import { VolumeBudgets } from "../limits/volume-budgets.ts"
import {
  type AdmittedDeliveries,
  admitDeliveries,
  DropReporter,
  daemonWithUnknownTags,
  settleDeliveries,
  wants
} from "../webhooks/delivery-admission.ts"
import { Subscribers } from "../webhooks/service.ts"
import { SubscriptionIndex } from "../webhooks/subscription-index.ts"
import { DaemonTags } from "./daemon-tags.ts"
import { countingSeen } from "./seen-events.ts"

/** An event whose deliveries another write commits, together with what the event tells of. */
export interface PreparedEvent {
  /** The deliveries that there is room for. */
  readonly deliveries: ReadonlyArray<NewDelivery>
  /**
   * Tells the outcome of that write, once. `inserted`: the ids of deliveries that it inserted, of this event or others.
   * Undefined: the event did not happen.
   */
  readonly committed: (inserted: ReadonlySet<string> | undefined) => void
}

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Ends when the deliveries are committed, or at once when no webhook wants the event. False: its account is
     * disabled, and nothing was done: its daemon may send it again.
     */
    readonly dispatch: (hubEvent: HubEvent) => Effect.Effect<boolean, StoreFailed>
    /**
     * Handles an event at once if it is known that no webhook wants it: nothing is written, nothing is awaited, and no
     * fiber is started. False: nothing was done, dispatch it.
     */
    readonly dispatchUnwanted: (hubEvent: HubEvent) => boolean
    /** Prepares an event that another write commits; that of a disabled account has no deliveries and is not told. */
    readonly prepare: (hubEvent: HubEvent) => Effect.Effect<PreparedEvent, StoreFailed>
  }
>()("hub/Dispatcher") {
  static readonly layer = Layer.effect(Dispatcher)(Effect.suspend(() => make))
}

const taken = Effect.succeed(true)
const refused = Effect.succeed(false)
const refusedEvent: PreparedEvent = {
  deliveries: [],
  committed: (inserted) => void (inserted !== undefined && count("hub_events_refused_total"))
}
const tooMany = new StoreFailed({ operation: "commit deliveries", cause: new Error("too many events wait") })

const toldOf = ({ daemonId, told }: HubEvent): ReadonlyArray<ToldRow> =>
  daemonId === undefined || told === undefined ? [] : [{ daemonId, ...told }]

const keyOf = ({ dedupe }: HubEvent): string | undefined => (dedupe === undefined ? undefined : dedupeKey(dedupe))

const pendingOf = (delivery: NewDelivery, maxAttempts: number): PendingDelivery => ({
  id: delivery.id,
  webhookId: delivery.webhookId,
  event: delivery.event,
  body: delivery.body,
  attempts: 0,
  earlierAttempts: 0,
  maxAttempts,
  dueAt: delivery.createdAt,
  createdAt: delivery.createdAt,
  trace: delivery.trace
})

/** Publishes an event to the live streams, and reports what was dropped of it. */
type Tell = (event: Pick<AdmittedDeliveries, "hubEvent" | "dropped">) => void

/** How events are told, and the last numbered ones: one without a row is told once as long as it is among them. */
const telling = Effect.gen(function* () {
  const bus = yield* Bus
  const dropReporter = yield* DropReporter
  const daemonTags = yield* DaemonTags
  const recent = new LRUCache<string, true>(entriesAtMost(eventsRecentMax))
  const tell: Tell = ({ hubEvent, dropped }) => {
    const { accountId, daemonId, event, payload, timestamp } = hubEvent
    const tags = hubEvent.tags ?? (daemonId === undefined ? undefined : daemonTags.here(daemonId))
    count("hub_events_total", event)
    bus.publish("event_happened", { accountId, event, payload, timestamp, ...(tags !== undefined && { tags }) })
    if (dropped.length > 0) dropReporter.tell({ hubEvent, dropped })
  }
  const unwritten: Tell = (event) => {
    const key = keyOf(event.hubEvent)
    if (key !== undefined && recent.has(key)) return
    if (key !== undefined) recent.set(key, true)
    tell(event)
  }
  return { tell, unwritten, recent }
})

/** The one way of an event with deliveries: it is admitted, written by a batch or with what it tells of, then told. */
const admitting = Effect.fnUntraced(function* (tell: Tell) {
  const maxAttempts = (yield* Config).webhookRetriesSeconds.length + 1
  const subscribers = yield* Subscribers
  const { pending } = yield* VolumeBudgets
  const tracing = yield* Tracing

  const admit = (hubEvent: HubEvent, wanting: ReadonlyArray<WebhookSubscription>): AdmittedDeliveries =>
    admitDeliveries(pending, hubEvent, wanting, tracing)
  /** Those of a batch that happened are told, and then what is due of them is offered together. */
  const happened = (events: ReadonlyArray<AdmittedDeliveries>, inserted: ReadonlySet<string>): void => {
    const due: Array<PendingDelivery> = []
    for (const event of events) {
      for (const one of event.deliveries) if (inserted.has(one.id)) due.push(pendingOf(one, maxAttempts))
      tell(event)
    }
    if (due.length > 0) subscribers.offer(due)
  }
  return { admit, happened, maxAttempts }
})

type Admitting = Effect.Success<ReturnType<typeof admitting>>

interface Waiting extends AdmittedDeliveries {
  /** All who dispatched the same numbered event meanwhile. */
  readonly ended: Array<(exit: Exit.Exit<void, StoreFailed>) => void>
}

/** The line of commits: what comes while one is written is written together by the next. */
const committing = Effect.fnUntraced(function* (
  { admit, happened, maxAttempts }: Admitting,
  recent: LRUCache<string, true>,
  unwritten: Tell
) {
  const { databaseUrl } = yield* Config
  const deliveries = yield* Deliveries
  const seen = yield* countingSeen
  const run = Effect.runForkWith(yield* Effect.context<never>())
  // The callers that wait for a numbered event. Emptied at the end, since V8 keeps a map's outgrown tables for long.
  const numbered = new Map<string, Waiting["ended"]>()

  const isFresh = ({ hubEvent }: Waiting, { fresh }: Inserted): boolean => {
    const key = keyOf(hubEvent)
    if (key === undefined) return true
    recent.set(key, true)
    if (!fresh.has(key)) return false
    seen(hubEvent.dedupe!.daemonId)
    return true
  }

  const line = makeGroupCommit<Waiting, StoreFailed, Inserted>(run, {
    name: "deliveries",
    rowsMax: databaseUrl === undefined ? embeddedDeliveryBatchMax : deliveryBatchMax,
    rowsOf: ({ deliveries }) => Math.max(1, deliveries.length),
    bytesMax: deliveryBatchBytesMax,
    bytesOf: ({ hubEvent, deliveries }) =>
      (deliveries[0]?.body.length ?? 0) * deliveries.length + (hubEvent.told?.states.length ?? 0),
    ownerOf: ({ hubEvent }) => hubEvent.accountId,
    waitingMax: dispatchWaitingMax,
    waitingBytesMax: dispatchWaitingBytesMax,
    write: (batch) =>
      deliveries.insert(
        batch.flatMap((one) => one.deliveries),
        maxAttempts,
        batch.flatMap(({ hubEvent }) => toldOf(hubEvent))
      ),
    written: (batch, exit) => {
      const inserted = Exit.isSuccess(exit) ? exit.value : undefined
      if (inserted !== undefined) {
        happened(
          batch.filter((one) => isFresh(one, inserted)),
          inserted.deliveryIds
        )
      }
      for (const one of batch) {
        settleDeliveries(one, inserted?.deliveryIds)
        one.trace?.committed(inserted === undefined)
        const key = keyOf(one.hubEvent)
        if (key !== undefined) numbered.delete(key)
        for (const end of one.ended.splice(0)) end(Exit.asVoid(exit))
      }
    }
  })

  const commit = (hubEvent: HubEvent, wanting: ReadonlyArray<WebhookSubscription>): Effect.Effect<void, StoreFailed> =>
    Effect.callback<void, StoreFailed>((resume) => {
      const key = keyOf(hubEvent)
      const same = key === undefined ? undefined : numbered.get(key)
      if (same !== undefined) return void same.push(resume)
      const waiting: Waiting = { ...admit(hubEvent, wanting), ended: [resume] }
      if (waiting.deliveries.length === 0 && hubEvent.told === undefined) {
        unwritten(waiting)
        return resume(Effect.void)
      }
      if (!line.add(waiting)) {
        settleDeliveries(waiting, undefined)
        return resume(Effect.fail(tooMany))
      }
      if (key !== undefined) numbered.set(key, waiting.ended)
    })
  return { commit, line }
})

const make = Effect.gen(function* () {
  const ending = yield* DrainDeadline
  const index = yield* SubscriptionIndex
  const daemonTags = yield* DaemonTags
  const { tell, unwritten, recent } = yield* telling
  const admitted = yield* admitting(tell)
  const { commit, line } = yield* committing(admitted, recent, unwritten)

  /** A command may end while its daemon is on no node. */
  const withTags = (hubEvent: HubEvent, daemonId: string | undefined): Effect.Effect<HubEvent, StoreFailed> =>
    daemonId === undefined || hubEvent.tags !== undefined
      ? Effect.succeed(hubEvent)
      : Effect.map(daemonTags.read(daemonId), (tags) => ({ ...hubEvent, tags }))

  const prepared = (hubEvent: HubEvent, subscriptions: WebhookSubscriptions): PreparedEvent => {
    if (subscriptions === "disabled") return refusedEvent
    const event = admitted.admit(
      hubEvent,
      subscriptions.filter((one) => wants(one, hubEvent))
    )
    return {
      deliveries: event.deliveries,
      committed: (inserted) => {
        settleDeliveries(event, inserted)
        if (inserted === undefined) return
        event.trace?.committed(false)
        admitted.happened([event], inserted)
      }
    }
  }

  const dispatchTo = (given: HubEvent, subscriptions: WebhookSubscriptions): Effect.Effect<boolean, StoreFailed> => {
    if (subscriptions === "disabled") {
      count("hub_events_refused_total")
      return refused
    }
    return Effect.flatMap(withTags(given, daemonWithUnknownTags(subscriptions, given)), (hubEvent) => {
      const wanting = subscriptions.filter((one) => wants(one, hubEvent))
      if (wanting.length > 0 || hubEvent.told !== undefined) return Effect.as(commit(hubEvent, wanting), true)
      unwritten({ hubEvent, dropped: [] })
      return taken
    })
  }

  const dispatchUnwanted = (given: HubEvent): boolean => {
    if (given.told !== undefined) return false
    const subscriptions = index.cached(given.accountId)
    if (subscriptions === undefined || subscriptions === "disabled") return false
    const daemonId = daemonWithUnknownTags(subscriptions, given)
    const tags = daemonId === undefined ? undefined : daemonTags.here(daemonId)
    if (daemonId !== undefined && tags === undefined) return false
    const hubEvent = tags === undefined ? given : { ...given, tags }
    if (subscriptions.some((one) => wants(one, hubEvent))) return false
    unwritten({ hubEvent, dropped: [] })
    return true
  }

  yield* Effect.addFinalizer(() => ending.step("events", line.empty, { remains: line.waiting }))
  return Dispatcher.of({
    prepare: (given) =>
      Effect.flatMap(withTags(given, given.daemonId), (hubEvent) =>
        Effect.map(index.subscriptions(hubEvent.accountId), (subscriptions) => prepared(hubEvent, subscriptions))
      ),
    dispatch: (hubEvent) => Effect.flatMap(index.subscriptions(hubEvent.accountId), (all) => dispatchTo(hubEvent, all)),
    dispatchUnwanted
  })
})
