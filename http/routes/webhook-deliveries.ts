/** The webhook routes about deliveries: the history, the test, and sending again. Owns how an attempt is shown. */
import { Clock, Effect } from "effect"
import { Subscribers } from "../../actors/webhooks/service.ts"
import { makeTestDelivery } from "../../actors/webhooks/test-delivery.ts"
import { Config } from "../../src/config.ts"
import { isId } from "../../src/domain/ids.ts"
import { pageOf } from "../../src/domain/page-cursor.ts"
import { deliveryHeaders, signingKeys } from "../../src/domain/webhook/signature.ts"
import { invalid, NotFound, type StoreFailed } from "../../src/errors.ts"
import { deliveryPageUsual } from "../../src/limits/delivery.ts"
import {
  type DeliveryEntry,
  DeliveryHistory,
  entryIdOf,
  type TestedDelivery
} from "../../src/store/webhooks/delivery-history.ts"
import type { WebhookRow } from "../../src/store/webhooks/webhooks.ts"
import type { Webhooks } from "../api/webhooks.ts"
import type { Routes } from "../pipeline/action.ts"
import { historyCursor, readHistoryCursor } from "./paging.ts"

const attemptless: ReadonlySet<string> = new Set(["pending", "expired", "cancelled"])

/** Without an answer the stored body is what the hub says of the failure. */
const answerOf = ({ statusCode, error, responseBody: body }: Entry) =>
  statusCode !== null || error === null || body === null || body === ""
    ? { responseBody: body }
    : { errorDetail: body, responseBody: "" }

type Entry = Omit<DeliveryEntry, "ordinal">

const shown = (entry: Entry) => ({
  id: entry.id,
  deliveryId: entry.deliveryId,
  event: entry.event,
  attempt: entry.attempt,
  maxAttempts: entry.maxAttempts,
  status: entry.status,
  willRetry: entry.status === "failed" && entry.nextAttemptAt !== null,
  ...(entry.nextAttemptAt !== null && { nextAttemptAt: entry.nextAttemptAt }),
  statusCode: entry.statusCode,
  ...(entry.error !== null && { error: entry.error }),
  ...answerOf(entry),
  responseTruncated: entry.responseTruncated,
  durationMs: entry.durationMs,
  requestedAt: attemptless.has(entry.status) ? null : entry.at
})

/** The one entry of a test that has just ended. */
const entryOfTest = ({ id, succeeded, statusCode, error, truncated, ...rest }: TestedDelivery): Entry => ({
  ...rest,
  id: entryIdOf(id, 1),
  deliveryId: id,
  attempt: 1,
  maxAttempts: 1,
  status: succeeded ? "succeeded" : "failed",
  nextAttemptAt: null,
  statusCode: statusCode ?? null,
  error: error ?? null,
  responseTruncated: truncated
})

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
      const after = yield* readHistoryCursor(query.cursor)
      const { id } = yield* owned(principal.accountId, params.webhookId)
      const { rows, last } = pageOf(yield* history.page(id, limit + 1, after), limit)
      return { deliveries: rows.map(shown), ...(last !== undefined && { nextCursor: historyCursor(last) }) }
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
      return { success: tested.succeeded, delivery: shown(entryOfTest(tested)) }
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
