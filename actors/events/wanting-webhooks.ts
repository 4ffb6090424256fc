/**
 * Which webhooks of an account want an event: by its name, and by the tags of the daemon that it tells of. Owns this
 * choice; finds no tags out, and writes no delivery.
 */
import { matches } from "../../src/domain/daemon/selector.ts"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import { subscribes } from "../../src/domain/event/subscription.ts"
import type { WebhookSubscription } from "../../src/store/webhooks/webhook-subscriptions.ts"

/** Whether a webhook wants an event. By a selector it hears of no event without tags: one that tells of no daemon. */
export const wants = ({ events, selector }: WebhookSubscription, hubEvent: HubEvent): boolean =>
  subscribes(events, hubEvent.event) &&
  (selector === undefined || (hubEvent.tags !== undefined && matches(selector, hubEvent)))

/** The daemon whose tags decide who wants an event, where the event does not say them. */
export const daemonWithUnknownTags = (
  subscriptions: ReadonlyArray<WebhookSubscription>,
  { event, daemonId, tags }: HubEvent
): string | undefined =>
  tags === undefined &&
  subscriptions.some(({ events, selector }) => selector !== undefined && subscribes(events, event))
    ? daemonId
    : undefined
