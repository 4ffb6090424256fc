/** Faults to plant in the code of events and deliveries. Owns the list. */
import type { Mutation } from "./mutation.ts"

/** What each is, and the text that it changes. */
export const deliveryMutations: ReadonlyArray<Mutation> = [
  {
    name: "a webhook gets events that it did not ask for",
    file: "actors/webhooks/delivery-admission.ts",
    from: "  subscribes(events, hubEvent.event) &&\n  (selector",
    to: "  (selector"
  },
  {
    name: "an event is acknowledged though it is not committed",
    file: "actors/events/daemon-events.ts",
    from: "Effect.map(dispatcher.dispatch(hubEvent), (taken) => {",
    to: "Effect.map(Effect.catch(dispatcher.dispatch(hubEvent), () => Effect.succeed(true)), (taken) => {"
  },
  {
    name: "an event is not tried again while the store is away",
    file: "actors/events/daemon-events.ts",
    from: "hubEvent, Cause.fail(failure))\n      return retry",
    to: "hubEvent, Cause.fail(failure))\n      return Effect.as(Effect.void, retry)"
  },
  {
    name: "a failed commit is told as done",
    file: "actors/events/dispatcher.ts",
    from: "end(Exit.asVoid(exit))",
    to: "end(Exit.void)"
  },
  {
    name: "the room of a delivery that was not committed is not given back",
    file: "actors/events/dispatcher.ts",
    from: "settleDeliveries(one, inserted?.deliveryIds)",
    to: "if (inserted !== undefined) settleDeliveries(one, inserted.deliveryIds)"
  },
  {
    name: "a delivery that is known is taken again",
    file: "actors/webhooks/decide.ts",
    from: "if (state.known.has(delivery.id)) continue",
    to: ""
  },
  {
    name: "what was recorded while the store was read is sent again",
    file: "actors/webhooks/decide.ts",
    from: "!state.known.has(row.id) && !state.settledMeanwhile.has(row.id)",
    to: "!state.known.has(row.id)"
  },
  {
    name: "the slot of an answered attempt is not given back",
    file: "actors/webhooks/decide.ts",
    from: "state.inFlight = Math.max(0, state.inFlight - 1)",
    to: "state.inFlight = Math.max(0, state.inFlight)"
  },
  {
    name: "one attempt more than allowed is under way",
    file: "actors/webhooks/decide.ts",
    from: "while (state.inFlight < webhookInFlightMax",
    to: "while (state.inFlight <= webhookInFlightMax"
  },
  {
    name: "a recorded delivery stays known",
    file: "actors/webhooks/decide.ts",
    from: "if (!state.known.delete(message.deliveryId)) return",
    to: "if (!state.known.has(message.deliveryId)) return"
  },
  {
    name: "an outcome is recorded as the attempt before",
    file: "actors/webhooks/perform.ts",
    from: "attempts: delivery.attempts + 1",
    to: "attempts: delivery.attempts"
  },
  {
    name: "a lease without a subscriber is only renewed",
    file: "actors/webhooks/leases.ts",
    from: "for (const id of still.keys()) if (!subscribers.webhooks.has(id) && !subscribers.sealed.has(id)) look(id)",
    to: ""
  },
  {
    name: "a subscriber that leaves keeps its lease",
    file: "actors/webhooks/local-subscribers.ts",
    from: "    if (ids?.size === 0) this.byAccount.delete(accountId)\n    this.context.release(webhook)",
    to: "    if (ids?.size === 0) this.byAccount.delete(accountId)"
  },
  {
    name: "who does not learn who has a lease tells nobody that something is due",
    file: "actors/webhooks/leases.ts",
    from: 'bus.publish("deliveries_due", { webhookIds: ids })',
    to: ""
  },
  {
    name: "a subscriber with work does not look for what it was not told of",
    file: "actors/webhooks/decide.ts",
    from: "const lookAt = state.fetchedAt + subscriberLookMillis",
    to: "const lookAt = Number.POSITIVE_INFINITY"
  },
  {
    name: "due deliveries without a lease are not looked for",
    file: "actors/webhooks/service.ts",
    from: "for (const id of ids) look(id)",
    to: "void ids"
  },
  {
    name: "any answer counts as delivered",
    file: "src/domain/webhook/delivery.ts",
    from: "answer.statusCode >= 200 && answer.statusCode < 300",
    to: "answer.statusCode >= 200"
  },
  {
    name: "a delivery is given up one attempt early",
    file: "src/domain/webhook/delivery.ts",
    from: "const plan = planned[attempt - 1]",
    to: "const plan = planned[attempt]"
  },
  {
    name: "a success does not heal a webhook",
    file: "src/domain/webhook/delivery.ts",
    from: "if (served) return health.failures",
    to: "if (served && health.failures < 0) return health.failures"
  }
]
