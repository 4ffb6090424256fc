/**
 * The test of a webhook: one attempt, no retry, whether or not it is active. Owns its order (send, record, answer) and
 * that there is one at a time on this node, beside what the subscriber has under way. It is no event.
 */
import { Clock, Effect, Fiber } from "effect"
import { deliveryBody, testPayload } from "../../src/domain/event/event-payload.ts"
import { testEvent } from "../../src/domain/event/events.ts"
import { newId } from "../../src/domain/ids.ts"
import { delivered } from "../../src/domain/webhook/delivery.ts"
import { deliveryHeaders, signingKeys } from "../../src/domain/webhook/signature.ts"
import { Overloaded, type StoreFailed } from "../../src/errors.ts"
import { attemptMillisMax } from "../../src/limits/delivery.ts"
import { Outbound } from "../../src/outbound/post.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { DeliveryHistory, type TestedDelivery } from "../../src/store/webhooks/delivery-history.ts"
import type { WebhookRow } from "../../src/store/webhooks/webhooks.ts"
import { Subscribers } from "./service.ts"

const retrySeconds = Math.ceil(attemptMillisMax / 1_000)

/** Builds the test: sends `webhook:test` and gives back what is recorded of it. */
export const makeTestDelivery = Effect.gen(function* () {
  const outbound = yield* Outbound
  const node = yield* NodeCost
  const history = yield* DeliveryHistory
  const subscribers = yield* Subscribers
  const clock = yield* Clock.Clock

  const underWay = new Set<string>()

  const send = Effect.fnUntraced(function* (webhook: WebhookRow): Effect.fn.Return<TestedDelivery, StoreFailed> {
    const endpoint = yield* subscribers.endpoint(webhook)
    const now = clock.currentTimeMillisUnsafe()
    const deliveryId = newId("delivery")
    const body = deliveryBody(testEvent, testPayload(webhook.id, now), now)
    const payload = { deliveryId, event: testEvent, attempt: 1, body }
    const headers = deliveryHeaders(payload, signingKeys(endpoint, now), now)
    const answer = yield* outbound.post({
      url: endpoint.url,
      headers,
      body,
      charge: (cost) => node.owe(webhook.accountId, cost)
    })
    const tested: TestedDelivery = {
      id: deliveryId,
      webhookId: webhook.id,
      event: testEvent,
      body,
      createdAt: now,
      succeeded: delivered(answer),
      at: now,
      statusCode: answer.statusCode,
      error: answer.error,
      responseBody: answer.body,
      truncated: answer.truncated,
      durationMs: answer.durationMs
    }
    yield* history.test(tested)
    return tested
  })

  return (webhook: WebhookRow): Effect.Effect<TestedDelivery, Overloaded | StoreFailed> =>
    Effect.suspend((): Effect.Effect<TestedDelivery, Overloaded | StoreFailed> => {
      if (underWay.has(webhook.id)) return Effect.fail(new Overloaded({ retryAfter: retrySeconds }))
      underWay.add(webhook.id)
      const work = Effect.ensuring(
        send(webhook),
        Effect.sync(() => underWay.delete(webhook.id))
      )
      // what was sent is recorded, also for a caller who has hung up
      return Effect.flatMap(Effect.forkDetach(work, { startImmediately: true }), Fiber.join)
    })
})
