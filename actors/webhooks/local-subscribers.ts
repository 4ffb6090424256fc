/**
 * The subscribers of this node, each with a leased webhook and an actor. Owns which there are, and which missed a
 * message. Takes no lease, and releases one only when its subscriber ends.
 */

import { randomInt } from "node:crypto"
import { Effect, Schedule } from "effect"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Config } from "../../src/config.ts"
import { type Endpoint, signingKey } from "../../src/domain/webhook/signature.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { failureLog } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Deliveries, type PendingDelivery } from "../../src/store/webhooks/deliveries.ts"
import { type LeasedWebhookRow, Leases } from "../../src/store/webhooks/leases.ts"
import type { WebhookRow } from "../../src/store/webhooks/webhooks.ts"
import { Tracing } from "../../src/tracing/tracer.ts"
import { VolumeBudgets } from "../limits/volume-budgets.ts"
import type { Behaviour } from "../runtime/actor.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { begin } from "./decide.ts"
import type { LeasedWebhook, SubscriberAction, SubscriberMessage, SubscriberState } from "./messages.ts"
import { Outcomes, recordWithinBudget } from "./outcomes.ts"
import { type Subscriber, type SubscriberContext, subscriberBehaviour } from "./perform.ts"
import { ReadTurns } from "./read-turns.ts"

/** Where a webhook is and what signs for it, as its row has them sealed. */
export const openEndpoint = Effect.fnUntraced(function* (box: SecretBox["Service"], row: WebhookRow) {
  const key = signingKey(yield* box.open(row.secret, row.id))
  const oldKey = row.oldSecret === null ? undefined : signingKey(yield* box.open(row.oldSecret, row.id))
  return { url: row.url, key, oldKey, oldKeyUntil: row.oldSecretUntil ?? 0 } satisfies Endpoint
})

const chanceSteps = 1_000_000

/** What the subscribers of this node work with. */
interface LocalSubscribersContext extends Omit<SubscriberContext, "ended"> {
  readonly supervisor: Supervisor["Service"]
  /** The delay before each retry. */
  readonly planned: ReadonlyArray<number>
  /** Releases the lease of a subscriber that ended. */
  readonly release: (webhook: LeasedWebhook) => void
}

/** The subscribers of this node. */
export class LocalSubscribers {
  /** Webhooks whose subscriber refused a message: their store is read instead. */
  readonly missed = new Set<string>()
  /** Leased webhooks whose secret does not open: they have no subscriber, and get none until there is more to send. */
  readonly sealed = new Set<string>()
  private readonly context: LocalSubscribersContext
  private readonly behaviour: Behaviour<SubscriberState, SubscriberMessage, SubscriberAction>
  private readonly byId = new Map<string, LeasedWebhook>()
  private readonly byAccount = new Map<string, Set<string>>()
  private leasesHold = true

  constructor(context: LocalSubscribersContext) {
    this.context = context
    this.behaviour = subscriberBehaviour({ ...context, ended: (webhook) => this.ended(webhook) })
  }

  /** The held webhooks, by id. */
  get webhooks(): ReadonlyMap<string, LeasedWebhook> {
    return this.byId
  }

  /** The subscriber of a webhook, if it lives. */
  find(webhookId: string): Subscriber | undefined {
    return this.context.supervisor.find<SubscriberMessage>("subscriber", webhookId)
  }

  /** False where there is no such subscriber. */
  tell(webhookId: string, message: SubscriberMessage): boolean {
    const subscriber = this.find(webhookId)
    if (subscriber === undefined) return false
    // a full mailbox loses nothing: the store is read instead
    if (!subscriber.tell(message)) this.missed.add(webhookId)
    return true
  }

  tellAll(message: SubscriberMessage): void {
    this.context.supervisor.tellAll<SubscriberMessage>("subscriber", message)
  }

  /** The webhooks of an account changed. */
  changed(accountId: string): void {
    for (const id of this.byAccount.get(accountId) ?? []) {
      this.tell(id, { type: "changed", now: this.context.timers.now() })
    }
  }

  /** Whether the leases hold. While they may have ended, no subscriber sends anything new. */
  hold(held: boolean): void {
    if (this.leasesHold === held) return
    this.leasesHold = held
    this.tellAll({ type: "hold", held, now: this.context.timers.now() })
  }

  /** A lease was taken. */
  start(held: LeasedWebhookRow, endpoint: Endpoint, deliveries: ReadonlyArray<PendingDelivery>): void {
    const { timers, planned, supervisor } = this.context
    const webhook: LeasedWebhook = {
      webhookId: held.id,
      accountId: held.accountId,
      fence: held.fence,
      leasedAt: timers.monotonic(),
      planned,
      endpoint,
      health: { failures: held.failures, failingSince: held.failingSince ?? undefined },
      lastAttemptAt: held.lastDeliveryAt ?? undefined
    }
    const state = () => begin(webhook)
    // refused at the cap, and while the subscriber of an earlier lease ends
    const subscriber = supervisor.spawn(this.behaviour, held.id, state)
    if (subscriber === undefined) return this.context.release(webhook)
    this.byId.set(held.id, webhook)
    const ids = this.byAccount.get(held.accountId) ?? new Set()
    this.byAccount.set(held.accountId, ids.add(held.id))
    if (!this.leasesHold) this.tell(held.id, { type: "hold", held: false, now: timers.now() })
    if (deliveries.length > 0) this.tell(held.id, { type: "due", deliveries, now: timers.now() })
  }

  /** Ends them all, and waits until they have ended. */
  endAll(deadlineMillis: number): Effect.Effect<unknown> {
    return Effect.suspend(() => {
      for (const id of [...this.byId.keys()]) this.find(id)?.kill()
      return this.context.supervisor.awaitEmpty(deadlineMillis, ["subscriber"])
    })
  }

  private ended(webhook: LeasedWebhook): void {
    const { webhookId, accountId } = webhook
    this.byId.delete(webhookId)
    const ids = this.byAccount.get(accountId)
    ids?.delete(webhookId)
    if (ids?.size === 0) this.byAccount.delete(accountId)
    this.context.release(webhook)
  }
}

/** Makes the subscribers of this node. */
export const makeLocalSubscribers = Effect.fnUntraced(function* ({
  release,
  attempts
}: Pick<LocalSubscribersContext, "release" | "attempts">) {
  const { webhookRetriesSeconds } = yield* Config
  const leases = yield* Leases
  const box = yield* SecretBox
  const timers = yield* Timers
  const unread = yield* failureLog<unknown>(timers.after, (cause, heldBack) =>
    Effect.logWarning("due deliveries could not be read", { heldBack }, cause)
  )

  const reread = (webhookId: string): Effect.Effect<Endpoint | undefined> =>
    leases.profile(webhookId).pipe(
      Effect.flatMap((row) => (row === undefined ? Effect.succeed(undefined) : openEndpoint(box, row))),
      Effect.retry(Schedule.spaced("1 second"))
    ) as Effect.Effect<Endpoint | undefined>

  return new LocalSubscribers({
    timers,
    outbound: yield* Outbound,
    node: yield* NodeCost,
    tracing: yield* Tracing,
    deliveries: yield* Deliveries,
    reads: new ReadTurns(),
    unread: (cause) => unread.add("", cause),
    record: recordWithinBudget((yield* VolumeBudgets).pending, (yield* Outcomes).record),
    supervisor: yield* Supervisor,
    planned: webhookRetriesSeconds.map((seconds) => seconds * 1_000),
    chance: () => randomInt(chanceSteps) / chanceSteps,
    reread,
    attempts,
    release
  })
})
