/** The subscribers of a node over a scripted store, lease table and receiver. Owns the script; asserts nothing. */
import { Effect, Layer } from "effect"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Outcomes } from "../../../actors/webhooks/outcomes.ts"
import { Subscribers } from "../../../actors/webhooks/service.ts"
import { SubscriptionIndex } from "../../../actors/webhooks/subscription-index.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { AttemptResult } from "../../../src/domain/webhook/delivery.ts"
import { makeSecret } from "../../../src/domain/webhook/signature.ts"
import { Outbound } from "../../../src/outbound/post.ts"
import { DrainDeadline } from "../../../src/runtime/drain-deadline.ts"
import { NodeCost } from "../../../src/runtime/node-cost.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Deliveries, type OutcomeRow, type PendingDelivery } from "../../../src/store/webhooks/deliveries.ts"
import { type LeasedWebhookRow, Leases } from "../../../src/store/webhooks/leases.ts"
import { scriptedBudgets } from "../../support/scripted-volume-budgets.ts"
import { delivery } from "./subscriber-decisions.ts"

const secret = makeSecret()

const heldOf = (id: string): LeasedWebhookRow => ({
  id,
  accountId: "acc",
  url: "http://127.0.0.1:1/",
  events: [],
  active: true,
  secret,
  oldSecret: null,
  oldSecretUntil: null,
  createdAt: 0,
  updatedAt: 0,
  failures: 0,
  failingSince: null,
  lastDeliveryAt: null,
  lastStatusCode: null,
  dropped: 0,
  lastDroppedAt: null,
  selector: null,
  fence: 1
})

/** What is pending, and what is done with it; nothing by default. */
export interface Sending {
  readonly take?: Leases["Service"]["take"]
  readonly soonest?: Deliveries["Service"]["soonest"]
  readonly record?: Outcomes["Service"]["record"]
  readonly post?: Outbound["Service"]["post"]
}

/** A pending delivery of the webhook `w`. */
export const deliveryOf = (id: string): PendingDelivery => delivery(id, { dueAt: 0 })

/** What a receiver that takes a delivery answers. */
export const accepted: AttemptResult = {
  statusCode: 200,
  error: undefined,
  retryAfter: undefined,
  body: "",
  truncated: false,
  durationMs: 1
}

/** `unheld`: webhooks with something due. `fetch`: how the store is read, told how often it was before. */
export const world = (
  unheld: ReadonlyArray<string>,
  fetch: (nth: number) => void = () => {},
  sending: Sending = {}
) => {
  const held = new Set<string>()
  const sweeps: Array<number> = []
  let fetches = 0
  const store = Layer.mergeAll(
    Layer.mock(Leases, {
      reclaim: Effect.void,
      take:
        sending.take ??
        ((_, ids) =>
          Effect.sync(() => {
            for (const id of ids) held.add(id)
            return ids.map(heldOf)
          })),
      renew: () => Effect.sync(() => new Map([...held].map((id) => [id, 1] as const))),
      release: (_, some) =>
        Effect.sync(() => {
          for (const { webhookId } of some) held.delete(webhookId)
        }),
      unheld: (_, limit) =>
        Effect.sync(() => {
          const found = unheld.filter((id) => !held.has(id)).slice(0, limit)
          sweeps.push(found.length)
          return found
        })
    }),
    Layer.mock(Deliveries, {
      soonest: (...asked) => {
        fetch(fetches++)
        return Effect.andThen(Effect.yieldNow, sending.soonest?.(...asked) ?? Effect.succeed([]))
      }
    }),
    Layer.mock(Outcomes, { record: sending.record ?? (() => {}), waiting: () => 0, empty: Effect.void }),
    Layer.mock(Outbound, { allowed: () => true, origins: () => 0, ...(sending.post && { post: sending.post }) }),
    Layer.mock(SecretBox, {
      seal: (text) => text,
      open: (text) => Effect.succeed(text),
      derive: () => new Uint8Array(32)
    }),
    Layer.mock(SubscriptionIndex, { cached: () => undefined, changed: () => {}, onChange: () => Effect.void }),
    scriptedBudgets()
  )
  const published: Array<unknown> = []
  const publish = (topic: string, message: unknown) => void published.push([topic, message])
  const bus = Layer.succeed(Bus, { publish, subscribe: () => Effect.void, gaps: () => Effect.void })
  const config = Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) })
  const services = Layer.mergeAll(
    bus,
    Layer.provideMerge(Layer.merge(Supervisor.layer, NodeCost.layer), Timers.layer),
    DrainDeadline.layer,
    NodeId.layer()
  ).pipe(Layer.provideMerge(config))
  const layer = Subscribers.layer.pipe(Layer.provide(store), Layer.provideMerge(services))
  return { layer, held, sweeps, published, fetches: () => fetches }
}

/** Six pending deliveries and what is recorded of them. */
export const sixPending = () => {
  const pending = new Map(Array.from({ length: 6 }, (_, nth) => [`dlv_${nth}`, deliveryOf(`dlv_${nth}`)]))
  const outcomes: Array<OutcomeRow> = []
  const sending: Sending = {
    soonest: (_, limit, except) =>
      Effect.succeed([...pending.values()].filter(({ id }) => !except.includes(id)).slice(0, limit)),
    record: ({ outcome, done }) => {
      outcomes.push(outcome)
      const { deliveryId: id, state, attempts, dueAt } = outcome
      if (state === "retry") pending.set(id, { ...deliveryOf(id), attempts, dueAt })
      else pending.delete(id)
      done(true)
    }
  }
  return { pending, outcomes, sending }
}

/** Until a lease is taken, the store is read and requests are under way. */
export const started = Effect.repeat(Effect.yieldNow, { times: 10 })
