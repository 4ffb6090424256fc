/**
 * Deliveries in the store, for tests: making webhooks, deliveries and outcomes. Owns the rows' defaults; asserts
 * nothing.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { newId } from "../../src/domain/ids.ts"
import { Deliveries, type HealthRow, type NewDelivery, type OutcomeRow } from "../../src/store/webhooks/deliveries.ts"
import { DeliveryHistory } from "../../src/store/webhooks/delivery-history.ts"
import { DeliveryRetention } from "../../src/store/webhooks/delivery-retention.ts"
import { Webhooks } from "../../src/store/webhooks/webhooks.ts"
import { useStore } from "./store-services.ts"

/** When every test begins. */
export const now = 1_790_000_000_000

/** Registers a store with the test file that calls it, and gives what its tests use. `more`: further stores. */
export const useDeliveries = <S = never>(more?: Layer.Layer<S, never, SqlClient.SqlClient>) => {
  const own = Layer.mergeAll(Webhooks.layer, Deliveries.layer, DeliveryHistory.layer, DeliveryRetention.layer)
  const services = Layer.merge(own, more ?? (Layer.empty as Layer.Layer<never>)) as Layer.Layer<
    S | Layer.Success<typeof own>,
    never,
    SqlClient.SqlClient
  >
  const { run, using, account } = useStore(services)
  const insert = (batch: ReadonlyArray<NewDelivery>) => run(Effect.flatMap(Deliveries, (one) => one.insert(batch, 4)))
  const soonest = (id: string, limit = 100, except: ReadonlyArray<string> = []) =>
    run(Effect.flatMap(Deliveries, (one) => one.soonest(id, limit, except)))
  const settle = (outcomes: ReadonlyArray<OutcomeRow>, health: ReadonlyArray<HealthRow> = []) =>
    run(Effect.flatMap(Deliveries, (one) => one.settle(outcomes, health)))
  const page = (id: string, limit = 100) =>
    run(Effect.flatMap(DeliveryHistory, (one) => one.page(id, limit, undefined)))
  const resend = (webhookId: string, id: string, at = now) =>
    run(Effect.flatMap(DeliveryHistory, (one) => one.resend(webhookId, id, 4, at)))

  const webhook = async () => {
    const accountId = await account()
    const id = newId("webhook")
    const draft = { id, accountId, url: "https://example.com", events: ["*"], secret: "sealed" }
    await run(Effect.flatMap(Webhooks, (one) => one.create(draft, 10, now)))
    return { id, accountId }
  }
  const fresh = (webhookId: string, members: Partial<NewDelivery> = {}): NewDelivery => ({
    id: newId("delivery"),
    webhookId,
    event: "agent:stopped",
    body: '{"a":"\\u0000é😀\'\\"{}"}',
    createdAt: now,
    dedupe: undefined,
    ...members
  })
  const outcome = (one: NewDelivery, members: Partial<OutcomeRow> = {}): OutcomeRow => ({
    deliveryId: one.id,
    webhookId: one.webhookId,
    attempts: 1,
    state: "succeeded",
    dueAt: now,
    at: now + 10,
    statusCode: 200,
    error: undefined,
    body: "ok",
    truncated: false,
    durationMs: 12,
    ...members
  })

  return { run, using, insert, soonest, settle, page, resend, webhook, fresh, outcome }
}
