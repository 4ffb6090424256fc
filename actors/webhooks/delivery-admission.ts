/**
 * From an event to its deliveries: which webhooks want it, which of them have room among the pending ones of their
 * account, and the spans of its commit. Owns an event's entry in the queue of commits, whose deliveries count from here
 * on, and how it is reported that deliveries were dropped: counted at once, logged with a throttle, shown by their
 * webhooks within a second. Finds no tags out, and writes no delivery.
 */
import { Context, Effect, Layer } from "effect"
import { type Beyond, noVolume } from "../../src/domain/account/volume.ts"
import { matches } from "../../src/domain/daemon/selector.ts"
import { deliveryBody } from "../../src/domain/event/event-payload.ts"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import { subscribes } from "../../src/domain/event/subscription.ts"
import { newTimedId } from "../../src/domain/ids.ts"
import { dropsFlushMillis, dropsWebhooksMax } from "../../src/limits/volumes.ts"
import { count } from "../../src/runtime/metrics.ts"
import { flushEvery } from "../../src/runtime/repeat-every.ts"
import { failureLog } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { NewDelivery } from "../../src/store/webhooks/deliveries.ts"
import { type DropRow, Drops } from "../../src/store/webhooks/dropped-deliveries.ts"
import type { WebhookSubscription } from "../../src/store/webhooks/webhook-subscriptions.ts"
import { traceText } from "../../src/tracing/trace-context.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"
import type { AccountVolume, VolumeBudget } from "../limits/volume-budgets.ts"

/** Whether a webhook wants an event. By a selector it hears of no event without tags: one that tells of no daemon. */
export const wants = ({ events, selector }: WebhookSubscription, hubEvent: HubEvent): boolean =>
  subscribes(events, hubEvent.event) &&
  (selector === undefined || (hubEvent.tags !== undefined && matches(selector, hubEvent)))

/** The daemon whose tags decide who wants an event, where the event does not say them. */
export const daemonWithUnknownTags = (
  subscriptions: ReadonlyArray<WebhookSubscription>,
  { event, daemonId, tags }: HubEvent
): string | undefined =>
  tags === undefined &&
  subscriptions.some(({ events, selector }) => selector !== undefined && subscribes(events, event))
    ? daemonId
    : undefined

/** The trace of an event, where it is kept. */
interface EventTrace {
  /** What its deliveries carry. */
  readonly text: string
  readonly committed: (failed: boolean) => void
}

/** Begins the spans of an event that webhooks want: from its coming to its commit, and the commit. */
const traceEvent = (
  tracing: Tracer | undefined,
  { event, accountId, daemonId }: HubEvent,
  wanting: number
): EventTrace | undefined => {
  if (tracing === undefined) return undefined
  const span = tracing.begin(`event ${event}`, "internal", "")
  if (span === undefined) return undefined
  span.about({ "hub.event": event, "hub.account.id": accountId, "hub.webhooks": wanting })
  if (daemonId !== undefined) span.about({ "hub.daemon.id": daemonId })
  const commit = span.child("commit")
  return {
    text: traceText(commit.context),
    committed: (failed) => {
      commit.end(failed)
      span.end(failed)
    }
  }
}

/** A webhook that an event is not delivered to, and what would be exceeded. */
interface Dropped {
  readonly webhookId: string
  readonly beyond: Beyond
}

/** An event with the deliveries it comes to. */
export interface AdmittedDeliveries {
  readonly hubEvent: HubEvent
  readonly deliveries: ReadonlyArray<NewDelivery>
  readonly dropped: ReadonlyArray<Dropped>
  /** Bytes of one delivery's body. */
  readonly bytes: number
  readonly account: AccountVolume | undefined
  /** Of an event that does not happen nothing is kept. */
  readonly trace: EventTrace | undefined
}

const none: ReadonlyArray<never> = []

/** The deliveries of an event to the webhooks that want it; they count from now on. */
export const admitDeliveries = (
  held: VolumeBudget,
  hubEvent: HubEvent,
  wanting: ReadonlyArray<WebhookSubscription>,
  tracing: Tracer | undefined
): AdmittedDeliveries => {
  if (wanting.length === 0)
    return { hubEvent, deliveries: none, dropped: none, bytes: 0, account: undefined, trace: undefined }
  const trace = traceEvent(tracing, hubEvent, wanting.length)
  const { accountId, event, timestamp, dedupe } = hubEvent
  const body = deliveryBody(event, hubEvent.payload, timestamp)
  const bytes = Buffer.byteLength(body)
  const one = { number: 1, bytes }
  const account = held.of(accountId)
  const deliveries: Array<NewDelivery> = []
  const dropped: Array<Dropped> = []
  for (const { id: webhookId } of wanting) {
    const beyond = held.beyond(account, one, webhookId)
    if (beyond !== undefined) {
      dropped.push({ webhookId, beyond })
      continue
    }
    account.begin(webhookId, one)
    deliveries.push({
      id: newTimedId("delivery", timestamp),
      webhookId,
      event,
      body,
      createdAt: timestamp,
      dedupe,
      trace: trace?.text
    })
  }
  return { hubEvent, deliveries, dropped, bytes, account, trace }
}

/** What of it is pending now. */
export const settleDeliveries = (
  { account, deliveries, bytes }: AdmittedDeliveries,
  inserted: ReadonlySet<string> | undefined
): void => {
  const one = { number: 1, bytes }
  for (const { id, webhookId } of deliveries) account?.end(webhookId, one, inserted?.has(id) === true ? one : noVolume)
}

export class DropReporter extends Context.Service<
  DropReporter,
  {
    /** These were dropped. */
    readonly tell: (event: Pick<AdmittedDeliveries, "hubEvent" | "dropped">) => void
  }
>()("hub/DropReporter") {
  static readonly layer = Layer.effect(DropReporter)(Effect.suspend(() => make))
}

interface Said extends Dropped {
  readonly accountId: string
}

const make = Effect.gen(function* () {
  const store = yield* Drops
  const timers = yield* Timers
  const waiting = new Map<string, DropRow>()
  const log = yield* failureLog<Said>(timers.after, ({ beyond, ...told }, heldBack) =>
    Effect.logWarning("deliveries are dropped: as many are pending as the plan allows", {
      ...told,
      by: beyond,
      heldBack
    })
  )

  const add = (webhookId: string, number: number, at: number): void => {
    const before = waiting.get(webhookId)
    if (before === undefined && waiting.size >= dropsWebhooksMax) return
    waiting.set(webhookId, { webhookId, number: number + (before?.number ?? 0), at: Math.max(at, before?.at ?? 0) })
  }

  const flush = Effect.suspend(() => {
    if (waiting.size === 0) return Effect.void
    const rows = [...waiting.values()]
    waiting.clear()
    return Effect.tapError(store.add(rows), () =>
      Effect.sync(() => {
        for (const { webhookId, number, at } of rows) add(webhookId, number, at)
      })
    )
  })
  yield* flushEvery(dropsFlushMillis, "dropped deliveries could not be recorded", flush)

  return DropReporter.of({
    tell: ({ hubEvent, dropped }) => {
      for (const { webhookId, beyond } of dropped) {
        count("hub_deliveries_dropped_total", beyond)
        log.add(hubEvent.accountId, { accountId: hubEvent.accountId, webhookId, beyond })
        add(webhookId, 1, timers.now())
      }
    }
  })
})
