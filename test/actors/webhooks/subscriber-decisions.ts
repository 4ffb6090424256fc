/** One subscriber's decisions, for tests without a fiber. Owns what tells it and what it asked for; asserts nothing. */
import { begin, decide } from "../../../actors/webhooks/decide.ts"
import type {
  LeasedWebhook,
  SubscriberAction,
  SubscriberMessage,
  SubscriberState
} from "../../../actors/webhooks/messages.ts"
import { healthy } from "../../../src/domain/webhook/delivery.ts"
import { makeSecret, signingKey } from "../../../src/domain/webhook/signature.ts"
import type { PendingDelivery } from "../../../src/store/webhooks/deliveries.ts"

/** The delay before each retry. */
const planned = [5_000, 60_000, 720_000]
/** When every test begins. */
export const start = 1_000_000

/** A delivery due at the start. */
export const delivery = (id: string, members: Partial<PendingDelivery> = {}): PendingDelivery => ({
  id,
  webhookId: "w",
  event: "agent:stopped",
  body: "{}",
  attempts: 0,
  earlierAttempts: 0,
  maxAttempts: 4,
  dueAt: start,
  createdAt: start,
  ...members
})

const key = signingKey(makeSecret())

const leasedWebhook: LeasedWebhook = {
  webhookId: "w",
  accountId: "acc",
  fence: 1,
  leasedAt: 0,
  planned,
  endpoint: { url: "https://example.com", key, oldKey: undefined, oldKeyUntil: 0 },
  health: healthy,
  lastAttemptAt: undefined
}

/** A subscriber under test: remembers what it asked for. */
export const subject = (health = healthy, lastAttemptAt = 0) => {
  const state: SubscriberState = begin({ ...leasedWebhook, health, lastAttemptAt })
  let now = start
  const tell = (message: SubscriberMessage) => decide(state, message).actions
  const of = <T extends SubscriberAction["do"]>(actions: ReadonlyArray<SubscriberAction>, what: T) =>
    actions.filter((action): action is Extract<SubscriberAction, { do: T }> => action.do === what)
  const answer = (one: PendingDelivery, statusCode: number) =>
    tell({
      type: "answered",
      delivery: one,
      answer: { statusCode, error: undefined, retryAfter: undefined, body: "", truncated: false, durationMs: 1 },
      startedAt: now,
      chance: 0.5,
      now
    })
  const settled = (deliveryId: string, retryAt?: number, recorded = true) =>
    tell({ type: "settled", deliveryId, retryAt, recorded, now })
  const attempts = (actions: ReadonlyArray<SubscriberAction>) => of(actions, "attempt").map((one) => one.delivery.id)
  return {
    state,
    tell,
    of,
    answer,
    settled,
    attempts,
    due: (...deliveries: ReadonlyArray<PendingDelivery>) => tell({ type: "due", deliveries, now }),
    found: (...rows: ReadonlyArray<PendingDelivery>) => tell({ type: "found", rows, now }),
    wake: () => tell({ type: "wake", now }),
    pass: (millis: number) => {
      now += millis
    },
    now: () => now
  }
}
