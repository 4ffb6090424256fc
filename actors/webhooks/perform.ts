/**
 * Performs what a subscriber decided. Each attempt and read is a child of the subscriber, so it ends with it. Decides
 * nothing.
 */
import { Effect, Exit } from "effect"
import type { FairDebts } from "../../src/domain/limits/fair-debts.ts"
import type { AttemptResult } from "../../src/domain/webhook/delivery.ts"
import { judge } from "../../src/domain/webhook/delivery.ts"
import { deliveryHeaders, type Endpoint, signingKeys } from "../../src/domain/webhook/signature.ts"
import { subscriberMailboxMax } from "../../src/limits/delivery.ts"
import { failed } from "../../src/outbound/http-client.ts"
import type { Outbound } from "../../src/outbound/post.ts"
import { attemptDurations, deliveryAges, observe } from "../../src/runtime/histograms.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import { AskedFor } from "../../src/store/sql/turns.ts"
import type { Deliveries, OutcomeRow, PendingDelivery } from "../../src/store/webhooks/deliveries.ts"
import { traceparentOf } from "../../src/tracing/trace-context.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"
import type { Actor, Behaviour } from "../runtime/actor.ts"
import { decide } from "./decide.ts"
import type { LeasedWebhook, SubscriberAction, SubscriberMessage, SubscriberState } from "./messages.ts"
import type { RecordAnswer } from "./outcomes.ts"
import type { ReadTurns } from "./read-turns.ts"

export type Subscriber = Actor<SubscriberMessage>

type ActionOf<T extends SubscriberAction["do"]> = Extract<SubscriberAction, { readonly do: T }>

/** What all subscribers of this node work with. */
export interface SubscriberContext {
  readonly timers: Timers["Service"]
  readonly outbound: Outbound["Service"]
  /** Who owes what reading the answers costs. */
  readonly node: FairDebts
  /** Undefined: nothing is traced. */
  readonly tracing?: Tracer | undefined
  readonly deliveries: Deliveries["Service"]
  readonly reads: ReadTurns
  /** Notes that a read failed. */
  readonly unread: (why: unknown) => void
  readonly record: RecordAnswer
  /** A number from 0 to 1. */
  readonly chance: () => number
  /** Reads the webhook again; the endpoint, or undefined when it is gone or paused. */
  readonly reread: (webhookId: string) => Effect.Effect<Endpoint | undefined>
  /** Told of the beginning and the end of each attempt, by whatever exit. */
  readonly attempts: { readonly begun: () => void; readonly ended: () => void }
  readonly ended: (webhook: LeasedWebhook) => void
}

const outcomeRow = (
  delivery: PendingDelivery,
  answer: AttemptResult,
  state: OutcomeRow["state"],
  startedAt: number,
  retryAt: number | undefined
): OutcomeRow => ({
  deliveryId: delivery.id,
  webhookId: delivery.webhookId,
  attempts: delivery.attempts + 1,
  state,
  dueAt: retryAt ?? startedAt,
  at: startedAt,
  statusCode: answer.statusCode,
  error: answer.error,
  body: answer.error === "blocked_address" ? "" : answer.body,
  truncated: answer.truncated,
  durationMs: answer.durationMs
})

/** Records an answer that no subscriber decides about: it crashed, or it ended with the answer unread. */
const recordWithoutSubscriber = (
  { timers, chance, record }: SubscriberContext,
  webhook: LeasedWebhook,
  delivery: PendingDelivery,
  answer: AttemptResult,
  startedAt: number
): void => {
  const attempt = delivery.attempts - delivery.earlierAttempts + 1
  const now = timers.now()
  const outcome = judge(answer, attempt, webhook.planned.slice(0, delivery.maxAttempts - 1), chance(), now)
  const retryAt = outcome.state === "retry" ? now + outcome.afterMillis : undefined
  record(webhook.accountId, {
    outcome: outcomeRow(delivery, answer, outcome.state, startedAt, retryAt),
    health: undefined,
    done: () => undefined
  })
}

const noHeaders: Readonly<Record<string, string>> = {}

const firstFailure = 300

/** Sends an attempt within the trace of its event, where it has one, and tells the receiver which. */
const traceAttempt = (
  tracing: Tracer | undefined,
  delivery: PendingDelivery,
  attempt: number,
  send: (headers: Readonly<Record<string, string>>) => Effect.Effect<AttemptResult>
): Effect.Effect<AttemptResult> => {
  if (tracing === undefined || !delivery.trace) return send(noHeaders)
  const span = tracing.goOn("attempt", "client", delivery.trace)
  if (span === undefined) return send(noHeaders)
  const { id, webhookId, event } = delivery
  span.about({ "hub.delivery.id": id, "hub.webhook.id": webhookId, "hub.event": event, "hub.attempt": attempt })
  const { state } = span.context
  const headers = { traceparent: traceparentOf(span.context), ...(state !== "" && { tracestate: state }) }
  return Effect.onExit(send(headers), (exit) =>
    Effect.sync(() => {
      if (Exit.isFailure(exit)) return span.end(true)
      const { statusCode, error } = exit.value
      if (statusCode !== undefined) span.about({ "http.response.status_code": statusCode })
      if (error !== undefined) span.about({ "error.type": error })
      span.end(error !== undefined || (statusCode ?? 0) >= firstFailure)
    })
  )
}

/**
 * One attempt. A defect is the subscriber's crash, and counts as an attempt that could not connect: a delivery whose
 * every attempt dies is tried as often as one to a dead receiver, and no more.
 */
const attempt = (
  context: SubscriberContext,
  webhook: LeasedWebhook,
  { delivery, attempt }: ActionOf<"attempt">
): Effect.Effect<SubscriberMessage> => {
  const { timers, outbound, attempts, node } = context
  const charge = (cost: number): void => node.owe(webhook.accountId, cost)
  const startedAt = timers.now()
  const { id: deliveryId, event, body } = delivery
  const { endpoint } = webhook
  const sent = Effect.suspend(() => {
    attempts.begun()
    const payload = { deliveryId, event, attempt, body }
    const headers = deliveryHeaders(payload, signingKeys(endpoint, startedAt), startedAt)
    return traceAttempt(context.tracing, delivery, attempt, (more) =>
      outbound.post({ url: endpoint.url, headers: { ...headers, ...more }, body, charge })
    )
  })
  const ended = (exit: Exit.Exit<AttemptResult>): Effect.Effect<void> => {
    attempts.ended()
    if (Exit.hasDies(exit)) {
      const answer = { ...failed("connect"), durationMs: Math.max(0, timers.now() - startedAt) }
      recordWithoutSubscriber(context, webhook, delivery, answer, startedAt)
    }
    return Effect.void
  }
  return Effect.map(Effect.onExit(sent, ended), (answer) => {
    const [chance, now] = [context.chance(), timers.now()]
    return { type: "answered", delivery, answer, startedAt, chance, now }
  })
}

/** All subscribers that read have one turn together: after a flood of events there are many. */
const subscribersTurn = "subscribers"

/** Reads what is due. While the store is away the subscriber tries again later. */
const fetch = (
  { deliveries, reads, timers, unread }: SubscriberContext,
  { webhookId, accountId }: LeasedWebhook,
  { limit, except }: ActionOf<"fetch">
): Effect.Effect<SubscriberMessage> =>
  reads
    .within(
      accountId,
      Effect.suspend(() => deliveries.soonest(webhookId, limit, except))
    )
    .pipe(
      Effect.provideService(AskedFor, subscribersTurn),
      Effect.map((rows): SubscriberMessage => ({ type: "found", rows, now: timers.now() })),
      Effect.catch((failure) => {
        unread(failure.cause)
        return Effect.succeed({ type: "unfound", now: timers.now() } satisfies SubscriberMessage)
      })
    )

/**
 * Hands an outcome over to be recorded, which outlives the subscriber. No child waits for it: a fiber for each delivery
 * is more than the rest of its recording.
 */
const settle = (
  { record, timers }: SubscriberContext,
  webhook: LeasedWebhook,
  { delivery, answer, outcome, startedAt, retryAt, health }: ActionOf<"settle">,
  tell: (message: SubscriberMessage) => void
): void => {
  webhook.health = health
  webhook.lastAttemptAt = startedAt
  count("hub_attempts_total", outcome.state)
  observe(attemptDurations[outcome.state], answer.durationMs / 1_000)
  if (outcome.state !== "retry" && delivery.earlierAttempts === 0) {
    // another node's clock may be ahead
    observe(deliveryAges[outcome.state], Math.max(0, timers.now() - delivery.createdAt) / 1_000)
  }
  record(webhook.accountId, {
    outcome: outcomeRow(delivery, answer, outcome.state, startedAt, retryAt),
    health: {
      webhookId: webhook.webhookId,
      failures: health.failures,
      failingSince: health.failingSince,
      lastDeliveryAt: startedAt,
      lastStatusCode: answer.statusCode
    },
    done: (recorded) => tell({ type: "settled", deliveryId: delivery.id, retryAt, recorded, now: timers.now() })
  })
}

const reread = (context: SubscriberContext, webhook: LeasedWebhook): Effect.Effect<SubscriberMessage> =>
  Effect.map(context.reread(webhook.webhookId), (endpoint) => {
    if (endpoint !== undefined) webhook.endpoint = endpoint
    return { type: "profile", there: endpoint !== undefined, now: context.timers.now() }
  })

const perform = (
  context: SubscriberContext,
  action: SubscriberAction,
  { webhook }: SubscriberState,
  self: Subscriber
): void => {
  const { timers } = context
  switch (action.do) {
    case "attempt":
      self.pipeToSelf(attempt(context, webhook, action))
      return
    case "fetch":
      self.pipeToSelf(fetch(context, webhook, action))
      return
    case "settle":
      settle(context, webhook, action, self.resultToSelf())
      return
    case "reread":
      self.pipeToSelf(reread(context, webhook))
      return
    case "wakeAt":
      return self.wakeAfter("plan", Math.max(0, action.at - timers.now()), () => ({ type: "wake", now: timers.now() }))
    case "leave":
      // a message that waits keeps it: it will plan again
      self.leave()
      return
    case "quit":
      self.kill()
      return
  }
}

/** How subscribers behave on this node. */
export const subscriberBehaviour = (
  context: SubscriberContext
): Behaviour<SubscriberState, SubscriberMessage, SubscriberAction> => ({
  kind: "subscriber",
  mailboxMax: subscriberMailboxMax,
  opening: { type: "wake", now: 0 },
  decide,
  perform: (action, state, self) => perform(context, action, state, self),
  ended: ({ webhook }, _, unread) => {
    for (const message of unread) {
      if (message.type !== "answered") continue
      recordWithoutSubscriber(context, webhook, message.delivery, message.answer, message.startedAt)
    }
    context.ended(webhook)
  }
})
