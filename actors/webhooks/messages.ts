/**
 * The state, the messages and the actions of a subscriber: the shapes between the pure decision (decide.ts) and
 * perform.ts. Owns no rule.
 */
import type { AttemptResult, Health, Outcome } from "../../src/domain/webhook/delivery.ts"
import type { Endpoint } from "../../src/domain/webhook/signature.ts"
import type { PendingDelivery } from "../../src/store/webhooks/deliveries.ts"

/** One webhook whose lease this node holds. It outlives a crash of its subscriber. */
export interface LeasedWebhook {
  readonly webhookId: string
  readonly accountId: string
  /** The fencing token of the lease. */
  readonly fence: number
  /** When the lease was taken, by this node's clock: a renewal that began before cannot know it. */
  readonly leasedAt: number
  /** The delay before each retry. */
  readonly planned: ReadonlyArray<number>
  endpoint: Endpoint
  health: Health
  lastAttemptAt: number | undefined
}

/** One subscriber's state; changed in place by `decide`. */
export interface SubscriberState {
  readonly webhook: LeasedWebhook
  health: Health
  /** Names of the events whose last attempt failed. */
  readonly failedEvents: Set<string>
  /** Due deliveries in memory, oldest first. */
  ready: Array<PendingDelivery>
  /** Ids that are ready, in flight or not yet recorded: what the store says of them is old. */
  readonly known: Set<string>
  /** Ids recorded while the store was being read: the answer may still show them pending. */
  readonly settledMeanwhile: Set<string>
  inFlight: number
  settling: number
  /** The store may hold due ones that are not here. */
  more: boolean
  fetching: boolean
  /** How many the running fetch asked for. */
  asked: number
  /** When the last one began. */
  fetchedAt: number
  /** When the next one in the store falls due. */
  nextDueAt: number | undefined
  lastAttemptAt: number
  /** The lease may have ended, or the webhook changed and is being read again: nothing new is sent. */
  held: boolean
  stale: boolean
  draining: boolean
  /** The webhook is gone or paused, or its account disabled: it ends with the last attempt under way. */
  finishing: boolean
  /** The lease ended. Another node may hold it, unless the webhook is not served at all any more. */
  lost: boolean
  idleSince: number | undefined
  wakeAt: number | undefined
}

/** The messages of a subscriber. `now` is the time of the message. */
export type SubscriberMessage =
  | { readonly type: "due"; readonly deliveries: ReadonlyArray<PendingDelivery>; readonly now: number }
  | { readonly type: "look"; readonly now: number }
  | { readonly type: "found"; readonly rows: ReadonlyArray<PendingDelivery>; readonly now: number }
  | { readonly type: "unfound"; readonly now: number }
  | {
      readonly type: "answered"
      readonly delivery: PendingDelivery
      readonly answer: AttemptResult
      readonly startedAt: number
      readonly chance: number
      readonly now: number
    }
  | {
      readonly type: "settled"
      readonly deliveryId: string
      readonly retryAt: number | undefined
      readonly recorded: boolean
      readonly now: number
    }
  | { readonly type: "wake"; readonly now: number }
  | { readonly type: "changed"; readonly now: number }
  | { readonly type: "profile"; readonly there: boolean; readonly now: number }
  | { readonly type: "hold"; readonly held: boolean; readonly now: number }
  | { readonly type: "lost"; readonly now: number }
  | { readonly type: "drain"; readonly now: number }

/** The actions of a subscriber. */
export type SubscriberAction =
  | { readonly do: "attempt"; readonly delivery: PendingDelivery; readonly attempt: number }
  | { readonly do: "fetch"; readonly limit: number; readonly except: ReadonlyArray<string> }
  | {
      readonly do: "settle"
      readonly delivery: PendingDelivery
      readonly outcome: Outcome
      readonly answer: AttemptResult
      readonly startedAt: number
      readonly retryAt: number | undefined
      readonly health: Health
    }
  | { readonly do: "reread" }
  | { readonly do: "wakeAt"; readonly at: number }
  /** Idle: ends until there is work. */
  | { readonly do: "leave" }
  /** No longer ours, or no longer there. */
  | { readonly do: "quit" }
