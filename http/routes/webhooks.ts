/**
 * The routes of webhooks. Owns what an integrator sees, and the order of checks: validation, ownership, maximum. The
 * store has the rows, the subscribers send.
 */
import { Clock, Effect, Result } from "effect"
import { Subscribers } from "../../actors/webhooks/service.ts"
import { SubscriptionIndex } from "../../actors/webhooks/subscription-index.ts"
import { makeTestDelivery } from "../../actors/webhooks/test-delivery.ts"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Config } from "../../src/config.ts"
import { planLimits } from "../../src/domain/account/plans.ts"
import { subscribed, subscriptionWarnings } from "../../src/domain/event/events.ts"
import { isId, newId } from "../../src/domain/ids.ts"
import { makeSecret } from "../../src/domain/webhook/signature.ts"
import { checkWebhookUrl } from "../../src/domain/webhook/webhook-url.ts"
import { NotFound, ValidationFailed, WebhookLimitReached } from "../../src/errors.ts"
import { deliveryPageUsual, secretOverlapMillis } from "../../src/limits/delivery.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { DeliveryHistory, entryIdOf } from "../../src/store/webhooks/delivery-history.ts"
import { type WebhookRow, Webhooks as WebhookStore } from "../../src/store/webhooks/webhooks.ts"
import type { Webhooks } from "../api/webhooks.ts"
import { entryRecord, pageCursor, pagePlace, testedRecord } from "./deliveries.ts"
import type { Routes } from "./group.ts"

const record = (row: WebhookRow) => ({
  id: row.id,
  url: row.url,
  events: row.events,
  active: row.active,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  health: row.failingSince === null ? ("ok" as const) : ("failing" as const),
  lastDeliveryAt: row.lastDeliveryAt,
  lastStatusCode: row.lastStatusCode,
  droppedDeliveries: row.dropped,
  lastDroppedAt: row.lastDroppedAt
})

const warningsMember = (events: ReadonlyArray<string>) => {
  const warnings = subscriptionWarnings(events)
  return warnings === undefined ? {} : { warnings }
}

const invalid = (path: string, message: string) => new ValidationFailed({ issues: [{ path, message }] })

/** The routes of `Webhooks`. */
export const webhookRoutes = Effect.gen(function* () {
  const store = yield* WebhookStore
  const history = yield* DeliveryHistory
  const secretBox = yield* SecretBox
  const index = yield* SubscriptionIndex
  const subscribers = yield* Subscribers
  const outbound = yield* Outbound
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const sendTest = yield* makeTestDelivery
  const maxAttempts = settings.webhookRetriesSeconds.length + 1
  const now = (): number => clock.currentTimeMillisUnsafe()

  const requireOwned = Effect.fnUntraced(function* (accountId: string, webhookId: string) {
    const row = isId("webhook", webhookId) ? yield* store.get(accountId, webhookId) : undefined
    return row ?? (yield* new NotFound())
  })

  const active = Effect.fnUntraced(function* (accountId: string, webhookId: string) {
    const row = yield* requireOwned(accountId, webhookId)
    return row.active ? row : yield* invalid("webhookId", "is not active: nothing is sent to it")
  })

  const checkedUrl = Effect.fnUntraced(function* (given: string) {
    const url = checkWebhookUrl(given, outbound.allowed)
    return Result.isFailure(url) ? yield* invalid("url", url.failure) : url.success
  })

  const routes: Routes<typeof Webhooks> = {
    list: ({ principal }) => Effect.map(store.list(principal.accountId), (rows) => ({ webhooks: rows.map(record) })),

    create: Effect.fnUntraced(function* ({ principal, payload }) {
      const url = yield* checkedUrl(payload.url)
      const limit = planLimits[principal.plan].webhooks
      const id = newId("webhook")
      const secret = makeSecret()
      const at = now()
      const draft = {
        id,
        accountId: principal.accountId,
        url,
        events: subscribed(payload.events),
        secret: secretBox.seal(secret, id)
      }
      if (!(yield* store.create(draft, Math.min(limit, Number.MAX_SAFE_INTEGER), at))) {
        return yield* new WebhookLimitReached({ limit, plan: principal.plan })
      }
      index.changed(principal.accountId)
      const { events } = draft
      const times = { createdAt: at, updatedAt: at, lastDeliveryAt: null, lastStatusCode: null }
      const drops = { droppedDeliveries: 0, lastDroppedAt: null }
      return {
        id,
        url,
        events,
        active: true,
        health: "ok" as const,
        ...times,
        ...drops,
        ...warningsMember(events),
        secret
      }
    }),

    update: Effect.fnUntraced(function* ({ principal, params, payload }) {
      const { accountId } = principal
      const { active, url, events } = payload
      if (active === undefined && url === undefined && events === undefined) {
        return yield* invalid("", "needs at least one of active, url and events")
      }
      const change = {
        active,
        url: url === undefined ? undefined : yield* checkedUrl(url),
        events: events === undefined ? undefined : subscribed(events)
      }
      yield* requireOwned(accountId, params.webhookId)
      yield* store.change(accountId, params.webhookId, change, now())
      index.changed(accountId)
      const row = yield* requireOwned(accountId, params.webhookId)
      return { ...record(row), ...(events === undefined ? {} : warningsMember(row.events)) }
    }),

    remove: Effect.fnUntraced(function* ({ principal, params }) {
      const { webhookId } = params
      if (!isId("webhook", webhookId) || !(yield* store.remove(principal.accountId, webhookId, now()))) {
        return yield* new NotFound()
      }
      index.changed(principal.accountId)
      return { success: true as const, id: webhookId }
    }),

    deliveries: Effect.fnUntraced(function* ({ principal, params, query }) {
      const limit = query.limit ?? deliveryPageUsual
      const place = pagePlace(query.cursor)
      if (place === null) return yield* invalid("cursor", "must be a nextCursor of this list")
      const { id } = yield* requireOwned(principal.accountId, params.webhookId)
      const entries = yield* history.page(id, limit + 1, place)
      const shown = entries.slice(0, limit)
      const deliveries = shown.map(entryRecord)
      return entries.length > limit ? { deliveries, nextCursor: pageCursor(shown.at(-1)!) } : { deliveries }
    }),

    test: Effect.fnUntraced(function* ({ principal, params }) {
      const row = yield* requireOwned(principal.accountId, params.webhookId)
      const tested = yield* sendTest(row)
      return { success: tested.succeeded, delivery: testedRecord(tested, entryIdOf(tested.id, 1)) }
    }),

    rotateSecret: Effect.fnUntraced(function* ({ principal, params }) {
      const { accountId } = principal
      const { id } = yield* requireOwned(accountId, params.webhookId)
      const secret = makeSecret()
      const at = now()
      const previousSecretUntil = at + secretOverlapMillis
      yield* store.rotate(accountId, id, secretBox.seal(secret, id), previousSecretUntil, at)
      index.changed(accountId)
      return { ...record(yield* requireOwned(accountId, id)), secret, previousSecretUntil }
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
