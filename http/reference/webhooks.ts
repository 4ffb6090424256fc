/** The section `webhooks` of the document: the requests that the hub sends to webhooks. Owns their headers. */
import { deliveredEvents } from "../api/event-bodies.ts"
import type { Examples } from "./examples.ts"
import { type Json, refTo } from "./json-schemas.ts"

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" }
})

/** The headers of a delivery. */
export const deliveryHeaders = [
  header("X-Service-Event", "The name of the event"),
  header("X-Service-Signature", "`t=<epoch ms>,v1=<hex>`: HMAC-SHA-256 over `<t>.<body>`, keyed by the secret"),
  header("X-Service-Delivery", "The id of the delivery, the same in all attempts: deduplicate by it"),
  header("X-Service-Attempt", "1 to 4"),
  header("webhook-id", "The id of the delivery (Standard Webhooks)"),
  header("webhook-timestamp", "Epoch seconds of the attempt (Standard Webhooks)"),
  header("webhook-signature", "The signature (Standard Webhooks)")
]

const answers = {
  "2XX": { description: "Delivered" },
  "410": { description: "Ends this delivery: no further attempt is made" },
  "4XX": { description: "Not delivered: the hub tries again" },
  "5XX": { description: "Not delivered: the hub tries again" }
}

/** The requests to webhooks, by event. */
export const webhooksOf = (examples: Examples): Json =>
  Object.fromEntries(
    deliveredEvents.map(({ event, name, summary }) => {
      const example = examples.events[event]
      const media = { schema: refTo(name), ...(example === undefined ? {} : { example }) }
      const operation = {
        operationId: `deliver${name}`,
        summary,
        description: "Any 2xx within 10 seconds is a delivery. docs/webhooks.md describes attempts and signatures.",
        tags: ["webhooks"],
        security: [],
        parameters: deliveryHeaders,
        requestBody: { required: true, content: { "application/json": media } },
        responses: answers
      }
      return [event, { post: operation }]
    })
  )
