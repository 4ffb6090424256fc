/**
 * Doing what a subscriber decided: attempts, readings, recordings, wakings. Owns the entry of one held webhook on this
 * node (address, keys, lease, timer); decides nothing.
 */
import { type Cause, Effect } from "effect"
import type { SecretBox } from "../../src/auth/secret-box.ts"
import type { Answered, Health } from "../../src/domain/webhook/delivery.ts"
import { judge } from "../../src/domain/webhook/delivery.ts"
import { deliveryHeaders, type SigningKey, signingKey } from "../../src/domain/webhook/signature.ts"
import { subscriberMailboxMax } from "../../src/limits/delivery.ts"
import { failed } from "../../src/outbound/http-exchange.ts"
import type { Outbound } from "../../src/outbound/post.ts"
import { attemptDurations, observe } from "../../src/runtime/histograms.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import type { Deliveries, OutcomeRow, PendingDelivery } from "../../src/store/webhooks/deliveries.ts"
import type { WebhookRow } from "../../src/store/webhooks/webhooks.ts"
import type { Actor, Behaviour } from "../runtime/actor.ts"
import { decide } from "./decide.ts"
import type { RecordAnswer } from "./kept-answers.ts"
import type { SubscriberAction, SubscriberMessage, SubscriberState } from "./messages.ts"

/** What is secret and changeable of a held webhook. */
export interface Endpoint {
  readonly url: string
  readonly key: SigningKey
  readonly oldKey: SigningKey | undefined
  readonly oldKeyUntil: number
}

/** One webhook held by this node. */
export interface Entry {
  readonly webhookId: string
  readonly accountId: string
  readonly fence: number
  /** When the lease was taken, by this node's clock: a renewal that began before cannot know it. */
  readonly heldAt: number
  readonly planned: ReadonlyArray<number>
  endpoint: Endpoint
  health: Health
  lastAttemptAt: number | undefined
  timer: Timer | undefined
}

/** A subscriber. */
export type Subscriber = Actor<SubscriberMessage>

/** What all subscribers of this node work with. */
export interface Surroundings {
  readonly run: (effect: Effect.Effect<unknown>) => unknown
  readonly timers: Timers["Service"]
  readonly outbound: Outbound["Service"]
  readonly deliveries: Deliveries["Service"]
  readonly record: RecordAnswer
  readonly entries: ReadonlyMap<string, Entry>
  /** A number from 0 to 1. */
  readonly chance: () => number
  /** Reads the webhook again; the endpoint, or undefined when it is gone or paused. */
  readonly reread: (entry: Entry) => Effect.Effect<Endpoint | undefined>
  /** One more attempt is under way, or one fewer. */
  readonly underway: (change: 1 | -1) => void
  /** An attempt died of a fault of the hub, which is logged. */
  readonly died: (deliveryId: string, cause: Cause.Cause<never>) => void
  /** The test of a webhook may begin. */
  readonly admit: (webhookId: string) => void
  readonly ended: (webhookId: string) => void
}

/** What signs for a webhook and where it is, as stored. */
export const openEndpoint = Effect.fnUntraced(function* (sealed: SecretBox["Service"], row: WebhookRow) {
  const key = signingKey(yield* sealed.open(row.secret, row.id))
  const oldKey = row.oldSecret === null ? undefined : signingKey(yield* sealed.open(row.oldSecret, row.id))
  return { url: row.url, key, oldKey, oldKeyUntil: row.oldSecretUntil ?? 0 } satisfies Endpoint
})

/** The keys that sign now: the new one, and beside it the old one while it overlaps. */
export const signingKeys = (endpoint: Endpoint, now: number): ReadonlyArray<SigningKey> =>
  endpoint.oldKey !== undefined && now < endpoint.oldKeyUntil ? [endpoint.key, endpoint.oldKey] : [endpoint.key]

const outcomeRow = (
  delivery: PendingDelivery,
  answer: Answered,
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

/** How subscribers behave on this node. */
export const subscriberBehaviour = (
  around: Surroundings
): Behaviour<SubscriberState, SubscriberMessage, SubscriberAction> => {
  const { timers } = around

  // The actor that asked is gone (lease lost, crashed): what was learned is recorded all the same.
  const orphaned = (entry: Entry, delivery: PendingDelivery, answer: Answered, startedAt: number): void => {
    const attempt = delivery.attempts - delivery.earlierAttempts + 1
    const now = timers.now()
    const outcome = judge(answer, attempt, entry.planned.slice(0, delivery.maxAttempts - 1), around.chance(), now)
    const retryAt = outcome.state === "retry" ? now + outcome.afterMillis : undefined
    around.record(entry.accountId, {
      outcome: outcomeRow(delivery, answer, outcome.state, startedAt, retryAt),
      health: undefined,
      done: () => undefined
    })
  }

  const attempt = (entry: Entry, delivery: PendingDelivery, number: number, self: Subscriber): void => {
    const startedAt = timers.now()
    const { id: deliveryId, event, body } = delivery
    const letter = { deliveryId, event, attempt: number, body }
    const sent = Effect.suspend(() => {
      const headers = deliveryHeaders(letter, signingKeys(entry.endpoint, startedAt), startedAt)
      return around.outbound.post({ url: entry.endpoint.url, headers, body })
    })
    // an attempt like any other, so that a bug that comes back each time is met as seldom and as often as a dead
    // receiver
    const died = (cause: Cause.Cause<never>): Answered => {
      around.died(deliveryId, cause)
      return { ...failed("connect"), durationMs: Math.max(0, timers.now() - startedAt) }
    }
    const answered = (answer: Answered): void => {
      const now = timers.now()
      const told = self.tell({ type: "answered", delivery, answer, startedAt, chance: around.chance(), now })
      if (!told) orphaned(entry, delivery, answer, startedAt)
    }
    around.underway(1)
    around.run(
      sent.pipe(
        Effect.catchCause((cause) => Effect.sync(() => died(cause))),
        Effect.map(answered),
        Effect.ensuring(Effect.sync(() => around.underway(-1)))
      )
    )
  }

  const fetch = (webhookId: string, limit: number, except: ReadonlyArray<string>, self: Subscriber): void => {
    around.run(
      around.deliveries.soonest(webhookId, limit, except).pipe(
        Effect.map((rows) => self.tell({ type: "found", rows, now: timers.now() })),
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logWarning("due deliveries could not be read", cause),
            Effect.sync(() => self.tell({ type: "unfound", now: timers.now() }))
          )
        )
      )
    )
  }

  const settle = (
    entry: Entry,
    action: Extract<SubscriberAction, { readonly type: "settle" }>,
    self: Subscriber
  ): void => {
    const { delivery, answer, outcome, startedAt, retryAt, health } = action
    entry.health = health
    entry.lastAttemptAt = startedAt
    count("hub_attempts_total", outcome.state)
    observe(attemptDurations[outcome.state], answer.durationMs / 1_000)
    around.record(entry.accountId, {
      outcome: outcomeRow(delivery, answer, outcome.state, startedAt, retryAt),
      health: {
        webhookId: entry.webhookId,
        failures: health.failures,
        failingSince: health.failingSince,
        lastDeliveryAt: startedAt,
        lastStatusCode: answer.statusCode
      },
      done: (recorded) => self.tell({ type: "settled", deliveryId: delivery.id, retryAt, recorded, now: timers.now() })
    })
  }

  const reread = (entry: Entry, self: Subscriber): void => {
    around.run(
      Effect.map(around.reread(entry), (endpoint) => {
        if (endpoint !== undefined) entry.endpoint = endpoint
        self.tell({ type: "profile", there: endpoint !== undefined, now: timers.now() })
      })
    )
  }

  return {
    kind: "subscriber",
    mailboxMax: subscriberMailboxMax,
    opening: { type: "wake", now: 0 },
    decide,
    perform: (action, state, self) => {
      const entry = around.entries.get(state.webhookId)
      if (entry === undefined) return self.kill()
      switch (action.type) {
        case "attempt":
          return attempt(entry, action.delivery, action.attempt, self)
        case "fetch":
          return fetch(state.webhookId, action.limit, action.except, self)
        case "settle":
          return settle(entry, action, self)
        case "reread":
          return reread(entry, self)
        case "admit":
          return around.admit(state.webhookId)
        case "wakeAt": {
          entry.timer?.clear()
          entry.timer = timers.after(Math.max(0, action.at - timers.now()), () =>
            self.tell({ type: "wake", now: timers.now() })
          )
          return
        }
        case "leave":
          // a message that waits keeps it: it will plan again
          self.leave()
          return
        case "quit":
          return self.kill()
      }
    },
    ended: (state) => around.ended(state.webhookId)
  }
}
