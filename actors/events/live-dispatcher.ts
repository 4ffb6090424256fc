/**
 * The live dispatcher: finds which webhooks want an event, commits it together with those that came meanwhile, then
 * wakes the subscribers and the live streams. Owns the queue before the store. An event that no webhook wants is not
 * written, and one of a disabled account is refused.
 */
import { Effect, Exit, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import { StoreFailed } from "../../src/errors.ts"
import {
  deliveryBatchBytesMax,
  deliveryBatchMax,
  dispatchWaitingMax,
  eventsRecentMax
} from "../../src/limits/delivery.ts"
import { DrainDeadline } from "../../src/runtime/drain-deadline.ts"
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
import { type AdmittedDeliveries, admitDeliveries, settleDeliveries } from "../webhooks/delivery-admission.ts"
import { DropReporter } from "../webhooks/dropped-deliveries.ts"
import { Subscribers } from "../webhooks/service.ts"
import { SubscriptionIndex } from "../webhooks/subscription-index.ts"
import { DaemonTags } from "./daemon-tags.ts"
import { Dispatcher, type PreparedEvent } from "./dispatcher.ts"
import { countingSeen } from "./seen-events.ts"
import { type EventTrace, traceEvent } from "./trace-event.ts"
import { daemonWithUnknownTags, wants } from "./wanting-webhooks.ts"

type Ended = (exit: Exit.Exit<void, StoreFailed>) => void

interface Waiting extends AdmittedDeliveries {
  /** All who dispatched the same numbered event meanwhile. */
  readonly ended: Array<Ended>
  readonly trace: EventTrace | undefined
}

const taken = Effect.succeed(true)
const refused = Effect.succeed(false)
const tooMany = new StoreFailed({ operation: "commit deliveries", cause: new Error("too many events wait") })

const toldOf = ({ daemonId, told }: HubEvent): ReadonlyArray<ToldRow> =>
  daemonId === undefined || told === undefined ? [] : [{ daemonId, ...told }]

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

export const dispatcherLayer = Layer.effect(Dispatcher)(Effect.suspend(() => make))

/** Publishes an event to the live streams, and reports what was dropped of it. */
type Tell = (event: Pick<AdmittedDeliveries, "hubEvent" | "dropped">) => void

/** The last numbered events, as `dedupeKey` names them. */
type Recent = LRUCache<string, true>

const unwritten = (event: Pick<AdmittedDeliveries, "hubEvent" | "dropped">, tell: Tell, recent: Recent): void => {
  const { dedupe } = event.hubEvent
  if (dedupe !== undefined) {
    const key = dedupeKey(dedupe)
    if (recent.has(key)) return
    recent.set(key, true)
  }
  tell(event)
}

/** The deliveries of an event for another write, which says what became of them. */
const preparing = Effect.fnUntraced(function* (tell: Tell) {
  const { webhookRetriesSeconds } = yield* Config
  const subscribers = yield* Subscribers
  const index = yield* SubscriptionIndex
  const { pending } = yield* VolumeBudgets
  const tracing = yield* Tracing
  const maxAttempts = webhookRetriesSeconds.length + 1

  const prepared = (hubEvent: HubEvent, subscriptions: WebhookSubscriptions): PreparedEvent => {
    if (subscriptions === "disabled") {
      return {
        deliveries: [],
        committed: (inserted) => {
          if (inserted !== undefined) count("hub_events_refused_total")
        }
      }
    }
    const wanting = subscriptions.filter((one) => wants(one, hubEvent))
    const trace = traceEvent(tracing, hubEvent, wanting.length)
    const event = admitDeliveries(pending, hubEvent, wanting, trace?.text)
    return {
      deliveries: event.deliveries,
      committed: (inserted) => {
        settleDeliveries(event, inserted)
        if (inserted === undefined) return
        trace?.committed(false)
        const due = event.deliveries.filter(({ id }) => inserted.has(id)).map((one) => pendingOf(one, maxAttempts))
        tell(event)
        if (due.length > 0) subscribers.offer(due)
      }
    }
  }

  const daemonTags = yield* DaemonTags

  /** A command may end while its daemon is on no node. */
  const withTags = (hubEvent: HubEvent): Effect.Effect<HubEvent, StoreFailed> => {
    const { daemonId, tags } = hubEvent
    if (daemonId === undefined || tags !== undefined) return Effect.succeed(hubEvent)
    return Effect.map(daemonTags.read(daemonId), (read) => ({ ...hubEvent, tags: read }))
  }

  return (hubEvent: HubEvent) =>
    Effect.flatMap(withTags(hubEvent), (event) =>
      Effect.map(index.subscriptions(event.accountId), (subscriptions) => prepared(event, subscriptions))
    )
})

/** The line of commits: what comes while one is written is written together by the next. */
const committing = Effect.fnUntraced(function* (tell: Tell, recent: Recent) {
  const deliveries = yield* Deliveries
  const subscribers = yield* Subscribers
  const { pending } = yield* VolumeBudgets
  const seen = yield* countingSeen
  const tracing = yield* Tracing
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const maxAttempts = (yield* Config).webhookRetriesSeconds.length + 1
  // The callers that wait for a numbered event. Emptied at the end, since V8 keeps a map's outgrown tables for long.
  const numbered = new Map<string, Array<Ended>>()
  let last: Inserted | undefined

  const committed = (batch: ReadonlyArray<Waiting>, inserted: Inserted): void => {
    const due: Array<PendingDelivery> = []
    for (const waiting of batch) {
      const { hubEvent, deliveries } = waiting
      const key = hubEvent.dedupe === undefined ? undefined : dedupeKey(hubEvent.dedupe)
      const fresh = key === undefined || inserted.fresh.has(key)
      if (key !== undefined) recent.set(key, true)
      if (!fresh) continue
      if (hubEvent.dedupe !== undefined) seen(hubEvent.dedupe.daemonId)
      for (const one of deliveries) if (inserted.deliveryIds.has(one.id)) due.push(pendingOf(one, maxAttempts))
      tell(waiting)
    }
    if (due.length > 0) subscribers.offer(due)
  }

  const line = makeGroupCommit<Waiting, StoreFailed>(run, {
    name: "deliveries",
    rowsMax: deliveryBatchMax,
    rowsOf: ({ deliveries }) => Math.max(1, deliveries.length),
    bytesMax: deliveryBatchBytesMax,
    bytesOf: ({ hubEvent, deliveries }) =>
      (deliveries[0]?.body.length ?? 0) * deliveries.length + (hubEvent.told?.states.length ?? 0),
    waitingMax: dispatchWaitingMax,
    write: (batch) =>
      Effect.tap(
        deliveries.insert(
          batch.flatMap((one) => one.deliveries),
          maxAttempts,
          batch.flatMap(({ hubEvent }) => toldOf(hubEvent))
        ),
        (inserted) =>
          Effect.sync(() => {
            last = inserted
          })
      ),
    written: (batch, exit) => {
      const answer = Exit.isSuccess(exit) ? Exit.void : (exit as Exit.Exit<never, StoreFailed>)
      if (Exit.isSuccess(exit)) committed(batch, last!)
      for (const one of batch) {
        settleDeliveries(one, Exit.isSuccess(exit) ? last!.deliveryIds : undefined)
        one.trace?.committed(Exit.isFailure(exit))
        if (one.hubEvent.dedupe !== undefined) numbered.delete(dedupeKey(one.hubEvent.dedupe))
        for (const end of one.ended.splice(0)) end(answer)
      }
    }
  })

  const commit = (hubEvent: HubEvent, wanting: ReadonlyArray<WebhookSubscription>): Effect.Effect<void, StoreFailed> =>
    Effect.callback<void, StoreFailed>((resume) => {
      const key = hubEvent.dedupe === undefined ? undefined : dedupeKey(hubEvent.dedupe)
      const same = key === undefined ? undefined : numbered.get(key)
      if (same !== undefined) {
        same.push(resume)
        return
      }
      const trace = traceEvent(tracing, hubEvent, wanting.length)
      const waiting: Waiting = { ...admitDeliveries(pending, hubEvent, wanting, trace?.text), ended: [resume], trace }
      if (waiting.deliveries.length === 0 && hubEvent.told === undefined) {
        unwritten(waiting, tell, recent)
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
  const bus = yield* Bus
  const index = yield* SubscriptionIndex
  const dropReporter = yield* DropReporter
  const daemonTags = yield* DaemonTags
  const recent: Recent = new LRUCache<string, true>({ max: eventsRecentMax })

  const tell: Tell = ({ hubEvent, dropped }) => {
    const { accountId, daemonId, event, payload, timestamp } = hubEvent
    const tags = hubEvent.tags ?? (daemonId === undefined ? undefined : daemonTags.here(daemonId))
    count("hub_events_total", event)
    bus.publish("event_happened", { accountId, event, payload, timestamp, ...(tags !== undefined && { tags }) })
    if (dropped.length > 0) dropReporter.tell({ hubEvent, dropped })
  }

  const { commit, line } = yield* committing(tell, recent)
  const prepare = yield* preparing(tell)
  const announceUnwanted = (hubEvent: HubEvent): void => unwritten({ hubEvent, dropped: [] }, tell, recent)

  const dispatchTo = (hubEvent: HubEvent, subscriptions: WebhookSubscriptions): Effect.Effect<boolean, StoreFailed> => {
    if (subscriptions === "disabled") {
      count("hub_events_refused_total")
      return refused
    }
    const wanting = subscriptions.filter((one) => wants(one, hubEvent))
    if (wanting.length > 0 || hubEvent.told !== undefined) return Effect.as(commit(hubEvent, wanting), true)
    announceUnwanted(hubEvent)
    return taken
  }

  const dispatchTagged = (hubEvent: HubEvent, subscriptions: WebhookSubscriptions) => {
    const daemonId = subscriptions === "disabled" ? undefined : daemonWithUnknownTags(subscriptions, hubEvent)
    if (daemonId === undefined) return dispatchTo(hubEvent, subscriptions)
    return Effect.flatMap(daemonTags.read(daemonId), (tags) => dispatchTo({ ...hubEvent, tags }, subscriptions))
  }

  const unwanted = (hubEvent: HubEvent): boolean => {
    if (hubEvent.told !== undefined) return false
    const subscriptions = index.cached(hubEvent.accountId)
    if (subscriptions === undefined || subscriptions === "disabled") return false
    const daemonId = daemonWithUnknownTags(subscriptions, hubEvent)
    const tags = daemonId === undefined ? undefined : daemonTags.here(daemonId)
    if (daemonId !== undefined && tags === undefined) return false
    const event = tags === undefined ? hubEvent : { ...hubEvent, tags }
    if (subscriptions.some((one) => wants(one, event))) return false
    announceUnwanted(event)
    return true
  }

  yield* Effect.addFinalizer(() => ending.step("events", line.empty, { remains: line.waiting }))

  return Dispatcher.of({
    prepare,
    dispatch: (hubEvent) =>
      Effect.flatMap(index.subscriptions(hubEvent.accountId), (all) => dispatchTagged(hubEvent, all)),
    dispatchUnwanted: unwanted
  })
})
