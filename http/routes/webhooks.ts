/**
 * The routes of webhooks. Owns what an integrator sees, and the order of checks: validation, ownership, maximum.
 * webhook-deliveries.ts has the routes about deliveries, the store has the rows.
 */
import { Clock, Effect, Result } from "effect"
import { SubscriptionIndex } from "../../actors/webhooks/subscription-index.ts"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { planLimits } from "../../src/domain/account/plans.ts"
import { boundText, readSelector } from "../../src/domain/daemon/selector.ts"
import {
  shownSubscription,
  subscribed,
  subscriptionChange,
  subscriptionWarnings
} from "../../src/domain/event/subscription.ts"
import { isId, newId } from "../../src/domain/ids.ts"
import { makeSecret } from "../../src/domain/webhook/signature.ts"
import { checkWebhookUrl } from "../../src/domain/webhook/webhook-url.ts"
import { invalid, NotFound, WebhookLimitReached } from "../../src/errors.ts"
import { secretOverlapMillis } from "../../src/limits/delivery.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { type WebhookRow, Webhooks as WebhookStore } from "../../src/store/webhooks/webhooks.ts"
import type { Webhooks } from "../api/webhooks.ts"
import type { Routes } from "../pipeline/action.ts"
import { makeDeliveryRoutes } from "./webhook-deliveries.ts"

const record = (row: WebhookRow) => ({
  id: row.id,
  url: row.url,
  ...shownSubscription(row.events),
  active: row.active,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  health: row.failingSince === null ? ("ok" as const) : ("failing" as const),
  lastDeliveryAt: row.lastDeliveryAt,
  lastStatusCode: row.lastStatusCode,
  droppedDeliveries: row.dropped,
  lastDroppedAt: row.lastDroppedAt,
  selector: row.selector
})

type SubscriptionFields = Pick<WebhookRow, "id" | "url" | "events" | "selector">

const newRecord = ({ id, url, events, selector }: SubscriptionFields, at: number) => ({
  id,
  url,
  ...shownSubscription(events),
  active: true,
  health: "ok" as const,
  createdAt: at,
  updatedAt: at,
  lastDeliveryAt: null,
  lastStatusCode: null,
  droppedDeliveries: 0,
  lastDroppedAt: null,
  selector
})

const warningsMember = (...about: Parameters<typeof subscriptionWarnings>) => {
  const warnings = subscriptionWarnings(...about)
  return warnings.length === 0 ? {} : { warnings }
}

/** The one way to write a selector; null: an empty one, which leaves out no daemon. */
const checkedSelector = (given: string) => Effect.fromResult(Result.map(readSelector(given), boundText))

const nothingToChange =
  "needs at least one of active, url, events, additionalEvents and selector; an empty selector takes it away"

/** The routes of `Webhooks`. */
export const webhookRoutes = Effect.gen(function* () {
  const store = yield* WebhookStore
  const secretBox = yield* SecretBox
  const index = yield* SubscriptionIndex
  const outbound = yield* Outbound
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()

  const requireOwned = Effect.fnUntraced(function* (accountId: string, webhookId: string) {
    const row = isId("webhook", webhookId) ? yield* store.get(accountId, webhookId) : undefined
    return row ?? (yield* new NotFound())
  })

  const checkedUrl = Effect.fnUntraced(function* (given: string) {
    const url = checkWebhookUrl(given, outbound.allowed)
    return Result.isFailure(url) ? yield* invalid("url", url.failure) : url.success
  })

  const routes: Routes<typeof Webhooks> = {
    ...(yield* makeDeliveryRoutes(requireOwned)),

    list: ({ principal }) => Effect.map(store.list(principal.accountId), (rows) => ({ webhooks: rows.map(record) })),

    create: Effect.fnUntraced(function* ({ principal, payload }) {
      const url = yield* checkedUrl(payload.url)
      const limit = planLimits[principal.plan].webhooks
      const [id, secret, at] = [newId("webhook"), makeSecret(), now()]
      const draft = {
        id,
        accountId: principal.accountId,
        url,
        events: subscribed(payload),
        secret: secretBox.seal(secret, id),
        selector: yield* checkedSelector(payload.selector ?? "")
      }
      if (!(yield* store.create(draft, Math.min(limit, Number.MAX_SAFE_INTEGER), at))) {
        return yield* new WebhookLimitReached({ limit, plan: principal.plan })
      }
      index.changed(principal.accountId)
      return { ...newRecord(draft, at), ...warningsMember(payload.events, draft.events), secret }
    }),

    update: Effect.fnUntraced(function* ({ principal, params, payload }) {
      const { accountId } = principal
      const { active, url, events, selector } = payload
      const subscription = subscriptionChange(payload)
      if (Object.values(payload).every((member) => member === undefined)) return yield* invalid("", nothingToChange)
      const change = {
        active,
        url: url === undefined ? undefined : yield* checkedUrl(url),
        events: subscription,
        selector: selector === undefined ? undefined : yield* checkedSelector(selector)
      }
      yield* requireOwned(accountId, params.webhookId)
      yield* store.change(accountId, params.webhookId, change, now())
      index.changed(accountId)
      const row = yield* requireOwned(accountId, params.webhookId)
      return { ...record(row), ...(subscription === undefined ? {} : warningsMember(events ?? [], row.events)) }
    }),

    remove: Effect.fnUntraced(function* ({ principal, params }) {
      const { webhookId } = params
      if (!isId("webhook", webhookId) || !(yield* store.remove(principal.accountId, webhookId, now()))) {
        return yield* new NotFound()
      }
      index.changed(principal.accountId)
      return { success: true as const, id: webhookId }
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
    })
  }
  return routes
})
