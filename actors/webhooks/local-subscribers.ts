/**
 * The subscribers that live on this node, an entry and an actor each. Owns who is here, what they are told, and who has
 * missed something; takes no lease, and gives one back only as a subscriber ends.
 */
import { randomInt } from "node:crypto"
import { type Cause, Effect, Schedule } from "effect"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Config } from "../../src/config.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { count } from "../../src/runtime/metrics.ts"
import { failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Deliveries, type PendingDelivery } from "../../src/store/webhooks/deliveries.ts"
import { type Held, Leases } from "../../src/store/webhooks/leases.ts"
import { VolumeBudgets } from "../limits/volume-budgets.ts"
import type { Behaviour } from "../runtime/actor.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { begin } from "./decide.ts"
import { keepingAnswers } from "./kept-answers.ts"
import type { SubscriberAction, SubscriberMessage, SubscriberState } from "./messages.ts"
import { Outcomes } from "./outcomes.ts"
import {
  type Endpoint,
  type Entry,
  openEndpoint,
  type Subscriber,
  type Surroundings,
  subscriberBehaviour
} from "./perform.ts"
import { makePlaces, type Places } from "./test-slot.ts"

const chanceSteps = 1_000_000

/** What they work with. */
interface Around extends Omit<Surroundings, "entries" | "admit" | "ended"> {
  readonly supervisor: Supervisor["Service"]
  /** The delay before each retry. */
  readonly planned: ReadonlyArray<number>
  /** Gives the lease of one that ended back. */
  readonly release: (entry: Entry) => void
}

/** An attempt that died. */
interface Died {
  readonly deliveryId: string
  readonly cause: Cause.Cause<never>
}

/** The residents. */
export class LocalSubscribers {
  /** Told more than their mailboxes take: the store is read for them instead. */
  readonly missed = new Set<string>()
  /** Where a test of a webhook has its place among what is under way. */
  readonly places: Places
  private readonly around: Around
  private readonly behaviour: Behaviour<SubscriberState, SubscriberMessage, SubscriberAction>
  private readonly byId = new Map<string, Entry>()
  private readonly ofAccount = new Map<string, Set<string>>()
  private holding = true

  constructor(around: Around) {
    this.around = around
    this.places = makePlaces((webhookId, message) => this.tell(webhookId, message), around.timers.now)
    this.behaviour = subscriberBehaviour({
      ...around,
      entries: this.byId,
      admit: this.places.given,
      ended: (webhookId) => this.ended(webhookId)
    })
  }

  /** The entries, by webhook. */
  get entries(): ReadonlyMap<string, Entry> {
    return this.byId
  }

  /** The subscriber of a webhook, if it lives. */
  find(webhookId: string): Subscriber | undefined {
    return this.around.supervisor.find<SubscriberMessage>("subscriber", webhookId)
  }

  /** False where there is no such subscriber. */
  tell(webhookId: string, message: SubscriberMessage): boolean {
    const subscriber = this.find(webhookId)
    if (subscriber === undefined) return false
    // a full mailbox loses nothing: the store is read instead
    if (!subscriber.tell(message)) this.missed.add(webhookId)
    return true
  }

  /** To whoever lives here now. */
  tellAll(message: SubscriberMessage): void {
    this.around.supervisor.tellAll<SubscriberMessage>("subscriber", message)
  }

  /** The webhooks of an account changed. */
  changed(accountId: string): void {
    for (const id of this.ofAccount.get(accountId) ?? []) {
      this.tell(id, { type: "changed", now: this.around.timers.now() })
    }
  }

  /** Whether the leases hold: while they may have ended nothing new is sent, by those that start now neither. */
  hold(held: boolean): void {
    if (this.holding === held) return
    this.holding = held
    this.tellAll({ type: "hold", held, now: this.around.timers.now() })
  }

  /** A lease was taken. */
  start(held: Held, endpoint: Endpoint, deliveries: ReadonlyArray<PendingDelivery>): void {
    const { timers, planned, supervisor } = this.around
    const entry: Entry = {
      webhookId: held.id,
      accountId: held.accountId,
      fence: held.fence,
      heldAt: timers.steady(),
      planned,
      endpoint,
      health: { failures: held.failures, failingSince: held.failingSince ?? undefined },
      lastAttemptAt: held.lastDeliveryAt ?? undefined,
      timer: undefined
    }
    this.byId.set(held.id, entry)
    const state = () => begin(held.id, planned, entry.health, entry.lastAttemptAt)
    if (supervisor.spawnDormant(this.behaviour, held.id, state) === undefined) return this.ended(held.id)
    const ids = this.ofAccount.get(held.accountId) ?? new Set()
    this.ofAccount.set(held.accountId, ids.add(held.id))
    this.places.begun(held.id)
    if (!this.holding) this.tell(held.id, { type: "hold", held: false, now: timers.now() })
    if (deliveries.length > 0) this.tell(held.id, { type: "due", deliveries, now: timers.now() })
  }

  /** Ends them all. */
  leave(): void {
    for (const id of [...this.byId.keys()]) this.find(id)?.kill()
  }

  private ended(webhookId: string): void {
    const entry = this.byId.get(webhookId)
    if (entry === undefined) return
    entry.timer?.clear()
    this.byId.delete(webhookId)
    const ids = this.ofAccount.get(entry.accountId)
    ids?.delete(webhookId)
    if (ids?.size === 0) this.ofAccount.delete(entry.accountId)
    this.around.release(entry)
    this.places.given(webhookId)
  }
}

/** Nobody lives here yet. */
export const makeResidents = Effect.fnUntraced(function* ({ release, underway }: Pick<Around, "release" | "underway">) {
  const { webhookRetriesSeconds } = yield* Config
  const leases = yield* Leases
  const sealed = yield* SecretBox

  const reread = (entry: Entry): Effect.Effect<Endpoint | undefined> =>
    leases.profile(entry.webhookId).pipe(
      Effect.flatMap((row) => (row === undefined ? Effect.succeed(undefined) : openEndpoint(sealed, row))),
      Effect.retry(Schedule.spaced("1 second"))
    ) as Effect.Effect<Endpoint | undefined>

  const timers = yield* Timers
  const failures = yield* failureLog<Died>(timers.after, ({ deliveryId, cause }, heldBack) =>
    Effect.logError(
      "an attempt died of a bug; it counts as one that could not connect",
      { deliveryId, heldBack },
      cause
    )
  )
  const died = (deliveryId: string, cause: Cause.Cause<never>): void => {
    count("hub_defects_total", "attempt")
    failures.add(kindOf(cause), { deliveryId, cause })
  }

  return new LocalSubscribers({
    run: Effect.runForkWith(yield* Effect.context<never>()),
    died,
    timers,
    outbound: yield* Outbound,
    deliveries: yield* Deliveries,
    record: keepingAnswers((yield* VolumeBudgets).pending, (yield* Outcomes).record),
    supervisor: yield* Supervisor,
    planned: webhookRetriesSeconds.map((seconds) => seconds * 1_000),
    chance: () => randomInt(chanceSteps) / chanceSteps,
    reread,
    underway,
    release
  })
})
