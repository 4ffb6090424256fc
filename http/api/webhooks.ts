/** The contract of webhooks and their deliveries. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { additionalEvents, subscribableEvents } from "../../src/domain/event/events.ts"
import { attemptErrors, deliveryStates } from "../../src/domain/webhook/delivery.ts"
import { deliveryPageMax, deliveryPageUsual } from "../../src/limits/delivery.ts"
import { access } from "./access.ts"
import { bodyFailures, failures, idempotentFailures, recentLoginFailures, scopedFailures } from "./failures.ts"
import { optional, optionalWord } from "./optional.ts"
import { millis, nextCursor, pageQuery, removed, Words } from "./shapes.ts"

const maybe = Schema.optionalKey

/** A webhook as its owner sees it: never its secret. */
const WebhookRecord = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Schema.String).annotate({ description: "What is subscribed; other names were dropped" }),
  additionalEvents: Schema.Array(Schema.String).annotate({ description: "What is subscribed beside that, by name" }),
  active: Schema.Boolean,
  createdAt: millis,
  updatedAt: millis,
  health: Schema.Literals(["ok", "failing"]).annotate({
    description: "failing: ten failures in a row of the endpoint; deliveries are parked and one is tried each minute"
  }),
  lastDeliveryAt: Schema.NullOr(millis),
  lastStatusCode: Schema.NullOr(Schema.Int),
  droppedDeliveries: Schema.Int.annotate({
    description: "Events that were not queued for it, as its account had as much pending as its plan allows"
  }),
  lastDroppedAt: Schema.NullOr(millis).annotate({ description: "When the last of them came" }),
  selector: Schema.NullOr(Schema.String).annotate({
    description: "The daemons whose events it gets, by their tags; null: all of the account"
  })
}).annotate({ identifier: "Webhook" })

const AdditionalEvents = Schema.Array(Schema.Literals(additionalEvents))

const NewWebhook = Schema.Struct({
  url: Schema.String,
  events: Schema.Array(Schema.String).annotate({
    description: `Of ${subscribableEvents.map((name) => `\`${name}\``).join(", ")} and \`*\`; other names are dropped, with a warning`
  }),
  additionalEvents: optional(
    AdditionalEvents,
    "What `events` has no name for; `*` has those of agents, not those of commands and jobs"
  ),
  selector: optionalWord(Schema.String, "Only events of daemons with these tags, such as `env=prod,gpu`")
}).annotate({ identifier: "NewWebhook" })

const WebhookChange = Schema.Struct({
  active: optional(Schema.Boolean, "false cancels what is pending"),
  url: optional(Schema.String, "Attempts that begin from now on go there, those of pending deliveries too"),
  events: optional(Schema.Array(Schema.String), "In place of those before; what is pending stays"),
  additionalEvents: optional(AdditionalEvents, "Likewise"),
  selector: optional(
    Schema.String,
    "In place of the one before, for later events; an empty text takes it away: all daemons. null leaves it as it is"
  )
}).annotate({ identifier: "WebhookChange", description: "At least one member" })

const warnings = maybe(Schema.Array(Schema.String)).annotate({
  description: "What was taken but is hardly meant: names that were dropped, and why; that nothing is subscribed"
})
const ChangedWebhook = Schema.Struct({ ...WebhookRecord.fields, warnings }).annotate({ identifier: "ChangedWebhook" })

const CreatedWebhook = Schema.Struct({
  ...ChangedWebhook.fields,
  secret: maybe(Schema.String).annotate({ description: "Shown once" })
}).annotate({ identifier: "CreatedWebhook" })

const RotatedWebhook = Schema.Struct({
  ...WebhookRecord.fields,
  secret: CreatedWebhook.fields.secret,
  previousSecretUntil: millis.annotate({ description: "Until then the old secret signs beside the new one" })
}).annotate({ identifier: "RotatedWebhook" })

/** One entry of the delivery history. */
const DeliveryRecord = Schema.Struct({
  id: Schema.String,
  deliveryId: Schema.String.annotate({ description: "The same over all attempts; X-Service-Delivery" }),
  event: Schema.String,
  attempt: Schema.Int,
  maxAttempts: Schema.Int,
  status: Schema.Literals(deliveryStates),
  willRetry: Schema.Boolean,
  nextAttemptAt: maybe(millis),
  statusCode: Schema.NullOr(Schema.Int),
  error: maybe(Schema.Literals(attemptErrors)),
  errorDetail: maybe(Schema.String).annotate({
    description: "More of a failure to connect, where it is known: refused, unreachable, closed, unknown issuer, …"
  }),
  responseBody: Schema.NullOr(Schema.String).annotate({
    description: "16 KiB at most; empty and truncated where the account has no room"
  }),
  responseTruncated: Schema.Boolean,
  durationMs: Schema.NullOr(Schema.Int),
  requestedAt: Schema.NullOr(millis).annotate({ description: "null when no request was made" })
}).annotate({ identifier: "Delivery" })

const webhookParams = { webhookId: Schema.String.annotate({ description: "Id of a webhook of this account" }) }
const WebhookList = Schema.Struct({ webhooks: Schema.Array(WebhookRecord) }).annotate({ identifier: "WebhookList" })
const RemovedWebhook = removed("RemovedWebhook")
const DeliveryList = Schema.Struct({ deliveries: Schema.Array(DeliveryRecord), nextCursor }).annotate({
  identifier: "DeliveryList"
})
const TestedWebhook = Schema.Struct({ success: Schema.Boolean, delivery: DeliveryRecord }).annotate({
  identifier: "TestedWebhook"
})
const DeliveryRequest = Schema.Struct({
  deliveryId: Schema.String,
  event: Schema.String,
  createdAt: millis,
  url: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String).annotate({
    description: "As of an attempt made now, by the webhook's present secret"
  }),
  body: Schema.String.annotate({ description: "The same bytes in each attempt: what the signature is made over" })
}).annotate({ identifier: "DeliveryRequest" })
const deliveryParams = {
  ...webhookParams,
  deliveryId: Schema.String.annotate({ description: "The `deliveryId` of an entry, not its `id`" })
}
const RetriedDelivery = Schema.Struct({
  success: Schema.Literal(true),
  deliveryId: Schema.String,
  status: Schema.Literal("pending")
}).annotate({ identifier: "RetriedDelivery" })
const Recovery = Schema.Struct({ since: millis }).annotate({ identifier: "Recovery" })
const Recovered = Schema.Struct({ success: Schema.Literal(true), recovered: Schema.Int }).annotate({
  identifier: "Recovered"
})
const read = { kind: "any", scope: "webhook:manage", onHangUp: "cancel" } as const
const small = 16_384
const change = { kind: "any", scope: "webhook:manage", recent: true, bodyBytes: small, onHangUp: "finish" } as const

/** `/api/v1/webhooks`. */
export const Webhooks = HttpApiGroup.make("webhooks")
  .annotateMerge(
    OpenApi.annotations({
      description: "Webhooks and their deliveries. The section `webhooks` describes what is delivered."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/api/v1/webhooks", { success: WebhookList, error: failures(...scopedFailures) })
      .annotate(Words, ["The account's webhooks, oldest first"])
      .annotateMerge(access({ ...read, tool: "list_webhooks" })),
    HttpApiEndpoint.post("create", "/api/v1/webhooks", {
      payload: NewWebhook,
      success: CreatedWebhook.pipe(HttpApiSchema.status(201)),
      error: failures(...recentLoginFailures, ...bodyFailures, ...idempotentFailures, "WebhookLimitReached")
    })
      .annotate(Words, ["Subscribe an endpoint; its secret is shown once"])
      .annotateMerge(access({ ...change, secrets: ["secret"], audits: "webhook.created" })),
    HttpApiEndpoint.patch("update", "/api/v1/webhooks/:webhookId", {
      params: webhookParams,
      payload: WebhookChange,
      success: ChangedWebhook,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, ["Change a webhook's address, events or selector, pause or resume it"])
      .annotateMerge(access({ ...change, audits: "webhook.changed" })),
    HttpApiEndpoint.delete("remove", "/api/v1/webhooks/:webhookId", {
      params: webhookParams,
      success: RemovedWebhook,
      error: failures(...recentLoginFailures, "NotFound")
    })
      .annotate(Words, ["Remove a webhook; what is pending is cancelled"])
      .annotateMerge(access({ ...change, audits: "webhook.removed" })),
    HttpApiEndpoint.get("deliveries", "/api/v1/webhooks/:webhookId/deliveries", {
      params: webhookParams,
      query: pageQuery(deliveryPageMax, `${deliveryPageUsual} when absent`),
      success: DeliveryList,
      error: failures(...scopedFailures, "ValidationFailed", "NotFound")
    })
      .annotate(Words, ["Deliveries, one entry per attempt, newest first"])
      .annotateMerge(access({ ...read, tool: "list_webhook_deliveries" })),
    HttpApiEndpoint.get("delivery", "/api/v1/webhooks/:webhookId/deliveries/:deliveryId", {
      params: deliveryParams,
      success: DeliveryRequest,
      error: failures(...recentLoginFailures, "NotFound")
    })
      .annotate(Words, ["The request of a delivery: address, headers signed now, and body"])
      .annotateMerge(access({ ...read, recent: true, tool: false })),
    HttpApiEndpoint.post("test", "/api/v1/webhooks/:webhookId/test", {
      params: webhookParams,
      success: TestedWebhook,
      error: failures(...recentLoginFailures, ...idempotentFailures, "NotFound", "Overloaded")
    })
      .annotate(Words, ["Send one webhook:test to this webhook, once, and wait for its outcome"])
      .annotateMerge(access({ ...change, audits: "webhook.tested", notes: "success too" })),
    HttpApiEndpoint.post("rotateSecret", "/api/v1/webhooks/:webhookId/rotate-secret", {
      params: webhookParams,
      success: RotatedWebhook,
      error: failures(...recentLoginFailures, ...idempotentFailures, "NotFound")
    })
      .annotate(Words, ["Replace the secret; for 24 hours both sign"])
      .annotateMerge(access({ ...change, secrets: ["secret"], audits: "webhook.secret_rotated" })),
    HttpApiEndpoint.post("retry", "/api/v1/webhooks/:webhookId/deliveries/:deliveryId/retry", {
      params: deliveryParams,
      success: RetriedDelivery,
      error: failures(...recentLoginFailures, ...idempotentFailures, "NotFound")
    })
      .annotate(Words, ["Send a delivery again, with attempts of its own; a pending one is sent now"])
      .annotateMerge(access({ ...change, audits: "webhook.resent" })),
    HttpApiEndpoint.post("recover", "/api/v1/webhooks/:webhookId/recover", {
      params: webhookParams,
      payload: Recovery,
      success: Recovered,
      error: failures(...recentLoginFailures, ...bodyFailures, ...idempotentFailures, "NotFound")
    })
      .annotate(Words, ["Send again all deliveries since a time that failed or expired, at most 1,000 a call"])
      .annotateMerge(access({ ...change, audits: "webhook.recovered" }))
  )
