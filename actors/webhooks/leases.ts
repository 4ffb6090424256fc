/**
 * Takes, renews and releases leases under this node's name. Owns what waits for a lease, and when the last renewal was.
 * Deliveries of a webhook that another node holds are announced to that node. No subscriber sends anything new under a
 * lease that may have ended.
 */
import { Effect, Exit } from "effect"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { accountsIndexedMax, deliveryBatchMax, leaseMillis, subscriberReadyMax } from "../../src/limits/delivery.ts"
import { type GroupCommitOptions, makeGroupCommit } from "../../src/runtime/group-commit.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { PendingDelivery } from "../../src/store/webhooks/deliveries.ts"
import { Leases } from "../../src/store/webhooks/leases.ts"
import { type LocalSubscribers, openEndpoint } from "./local-subscribers.ts"
import type { LeasedWebhook } from "./messages.ts"

const nothing: ReadonlyArray<PendingDelivery> = []

/** Leases are small: they are counted by the row. */
const byRow = {
  rowsMax: deliveryBatchMax,
  bytesMax: Number.POSITIVE_INFINITY,
  bytesOf: () => 1,
  waitingMax: accountsIndexedMax
} satisfies Partial<GroupCommitOptions<unknown, unknown>>

/** The queue of leases that are given back. */
export const makeReleasing = Effect.fnUntraced(function* (node: string) {
  const leases = yield* Leases
  const run = Effect.runForkWith(yield* Effect.context<never>())
  return makeGroupCommit<LeasedWebhook, StoreFailed>(run, {
    name: "leases returned",
    ...byRow,
    write: (some) => leases.release(node, some),
    // what is not given back ends by itself
    written: () => undefined
  })
})

/** Wants a webhook, with what is due of it: its subscriber starts when this node gets the lease. */
export const makeAcquiring = Effect.fnUntraced(function* (node: string, subscribers: LocalSubscribers) {
  const bus = yield* Bus
  const leases = yield* Leases
  const box = yield* SecretBox
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const taking = new Map<string, ReadonlyArray<PendingDelivery>>()

  const taken = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const foreign = new Set(ids)
    for (const held of yield* leases.take(node, ids)) {
      foreign.delete(held.id)
      const endpoint = yield* Effect.result(openEndpoint(box, held))
      const deliveries = taking.get(held.id) ?? nothing
      taking.delete(held.id)
      if (subscribers.find(held.id) !== undefined) continue
      if (endpoint._tag === "Success") {
        subscribers.sealed.delete(held.id)
        subscribers.start(held, endpoint.success, deliveries)
        continue
      }
      subscribers.sealed.add(held.id)
      yield* Effect.logError("a webhook's secret does not open", held.id, endpoint.failure.cause)
    }
    if (foreign.size > 0) bus.publish("deliveries_due", { webhookIds: [...foreign] })
  })

  const acquiring = makeGroupCommit<string, StoreFailed>(run, {
    name: "leases taken",
    ...byRow,
    write: taken,
    written: (ids, exit) => {
      for (const id of ids) taking.delete(id)
      if (Exit.isSuccess(exit)) return
      // what the answer would have said is not known: other nodes may hold them
      bus.publish("deliveries_due", { webhookIds: ids })
      run(Effect.logWarning("leases could not be taken", exit.cause))
    }
  })

  return (webhookId: string, deliveries: ReadonlyArray<PendingDelivery> = nothing): void => {
    const waiting = taking.get(webhookId)
    if (waiting !== undefined) {
      // what does not fit is found in the store
      if (waiting.length + deliveries.length <= subscriberReadyMax) taking.set(webhookId, [...waiting, ...deliveries])
      return
    }
    taking.set(webhookId, deliveries.length <= subscriberReadyMax ? deliveries : nothing)
    if (!acquiring.add(webhookId)) taking.delete(webhookId)
  }
})

/**
 * The renewal of all leases. Subscribers that missed a message look into the store after it, and leases of this node
 * that have no subscriber get one.
 */
export const makeRenewal = Effect.fnUntraced(function* (
  node: string,
  subscribers: LocalSubscribers,
  look: (webhookId: string) => void
) {
  const leases = yield* Leases
  const timers = yield* Timers
  let renewedAt = timers.monotonic()

  return Effect.gen(function* () {
    const began = timers.monotonic()
    if (began - renewedAt > leaseMillis) subscribers.hold(false)
    const still = yield* leases.renew(node)
    for (const [id, webhook] of [...subscribers.webhooks]) {
      if (webhook.leasedAt >= began || still.get(id) === webhook.fence) continue
      subscribers.tell(id, { type: "lost", now: timers.now() })
    }
    renewedAt = timers.monotonic()
    subscribers.hold(true)
    // an answer was lost, or a release: no node would send for a webhook whose lease is only renewed
    for (const id of still.keys()) if (!subscribers.webhooks.has(id) && !subscribers.sealed.has(id)) look(id)
    for (const id of subscribers.sealed) if (!still.has(id)) subscribers.sealed.delete(id)
    // one whose mailbox is still full has missed this too, and its turn is at the next renewal
    for (const id of [...subscribers.missed]) {
      subscribers.missed.delete(id)
      look(id)
    }
  })
})
