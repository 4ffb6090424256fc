/** The webhook routes about deliveries: the history, the test, and sending again. */
import { Clock, Effect } from "effect"
import { Subscribers } from "../../actors/webhooks/service.ts"
import { makeTestDelivery } from "../../actors/webhooks/test-delivery.ts"
import { Config } from "../../src/config.ts"
import { isId } from "../../src/domain/ids.ts"
import { deliveryHeaders, signingKeys } from "../../src/domain/webhook/signature.ts"
import { invalid, NotFound, type StoreFailed } from "../../src/errors.ts"
import { deliveryPageUsual } from "../../src/limits/delivery.ts"
import { DeliveryHistory, entryIdOf } from "../../src/store/webhooks/delivery-history.ts"
import type { WebhookRow } from "../../src/store/webhooks/webhooks.ts"
import type { Webhooks } from "../api/webhooks.ts"
import type { Routes } from "../pipeline/action.ts"
import { entryRecord, pageCursor, pagePlace, testedRecord } from "./deliveries.ts"

/** Reads a webhook of an account. */
export type OwnedWebhook = (accountId: string, webhookId: string) => Effect.Effect<WebhookRow, NotFound | StoreFailed>

/** The routes of `Webhooks` that are about deliveries. */
export const makeDeliveryRoutes = Effect.fnUntraced(function* (owned: OwnedWebhook) {
  const history = yield* DeliveryHistory
  const subscribers = yield* Subscribers
  const clock = yield* Clock.Clock
  const sendTest = yield* makeTestDelivery
  const maxAttempts = (yield* Config).webhookRetriesSeconds.length + 1
  const now = (): number => clock.currentTimeMillisUnsafe()

  const active = Effect.fnUntraced(function* (accountId: string, webhookId: string) {
    const row = yield* owned(accountId, webhookId)
    return row.active ? row : yield* invalid("webhookId", "is not active: nothing is sent to it")
  })

  const routes: Pick<Routes<typeof Webhooks>, "deliveries" | "delivery" | "test" | "retry" | "recover"> = {
    deliveries: Effect.fnUntraced(function* ({ principal, params, query }) {
      const limit = query.limit ?? deliveryPageUsual
      const place = pagePlace(query.cursor)
      if (place === null) return yield* invalid("cursor", "must be a nextCursor of this list")
      const { id } = yield* owned(principal.accountId, params.webhookId)
      const entries = yield* history.page(id, limit + 1, place)
      const shown = entries.slice(0, limit)
      const deliveries = shown.map(entryRecord)
      return entries.length > limit ? { deliveries, nextCursor: pageCursor(shown.at(-1)!) } : { deliveries }
    }),

    delivery: Effect.fnUntraced(function* ({ principal, params: { webhookId, deliveryId } }) {
      const row = yield* owned(principal.accountId, webhookId)
      const stored = isId("delivery", deliveryId) ? yield* history.request(row.id, deliveryId) : undefined
      if (stored === undefined) return yield* new NotFound()
      const { event, body, createdAt } = stored
      const endpoint = yield* subscribers.endpoint(row)
      const signed = { deliveryId, event, attempt: Math.max(1, stored.attempts), body }
      const headers = deliveryHeaders(signed, signingKeys(endpoint, now()), now())
      return { deliveryId, event, createdAt, url: endpoint.url, headers, body }
    }),

    test: Effect.fnUntraced(function* ({ principal, params }) {
      const row = yield* owned(principal.accountId, params.webhookId)
      const tested = yield* sendTest(row)
      return { success: tested.succeeded, delivery: testedRecord(tested, entryIdOf(tested.id, 1)) }
    }),

    retry: Effect.fnUntraced(function* ({ principal, params }) {
      const { id } = yield* active(principal.accountId, params.webhookId)
      const { deliveryId } = params
      const resent = isId("delivery", deliveryId)
        ? yield* history.resend(id, deliveryId, maxAttempts, now())
        : "unknown"
      if (resent === "unknown") return yield* new NotFound()
      subscribers.look(id)
      return { success: true as const, deliveryId, status: "pending" as const }
    }),

    recover: Effect.fnUntraced(function* ({ principal, params, payload }) {
      const { id } = yield* active(principal.accountId, params.webhookId)
      const recovered = yield* history.recover(id, payload.since, maxAttempts, now())
      if (recovered > 0) subscribers.look(id)
      return { success: true as const, recovered }
    })
  }
  return routes
})
