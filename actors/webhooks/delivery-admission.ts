/**
 * Which deliveries of an event have room among the pending ones of its account. Owns an event's entry in the queue of
 * commits: its deliveries, counted from here on, and the webhooks whose delivery is dropped.
 */

import { type Beyond, noVolume } from "../../src/domain/account/volume.ts"
import { deliveryBody } from "../../src/domain/event/event-payload.ts"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import { newTimedId } from "../../src/domain/ids.ts"
import type { NewDelivery } from "../../src/store/webhooks/deliveries.ts"
import type { WebhookSubscription } from "../../src/store/webhooks/webhook-subscriptions.ts"
import type { AccountVolume, VolumeBudget } from "../limits/volume-budgets.ts"

/** A webhook that an event is not delivered to, and what would be exceeded. */
export interface Dropped {
  readonly webhookId: string
  readonly beyond: Beyond
}

/** An event with the deliveries it comes to. */
export interface AdmittedDeliveries {
  readonly hubEvent: HubEvent
  readonly deliveries: ReadonlyArray<NewDelivery>
  readonly dropped: ReadonlyArray<Dropped>
  /** Bytes of one delivery's body. */
  readonly bytes: number
  readonly account: AccountVolume | undefined
}

const none: ReadonlyArray<never> = []

/** The deliveries of an event to the webhooks that want it; they count from now on. */
export const admitDeliveries = (
  held: VolumeBudget,
  hubEvent: HubEvent,
  wanting: ReadonlyArray<WebhookSubscription>,
  trace?: string
): AdmittedDeliveries => {
  if (wanting.length === 0) return { hubEvent, deliveries: none, dropped: none, bytes: 0, account: undefined }
  const { accountId, event, timestamp, dedupe } = hubEvent
  const body = deliveryBody(event, hubEvent.payload, timestamp)
  const bytes = Buffer.byteLength(body)
  const one = { number: 1, bytes }
  const account = held.of(accountId)
  const deliveries: Array<NewDelivery> = []
  const dropped: Array<Dropped> = []
  for (const { id: webhookId } of wanting) {
    const beyond = held.beyond(account, one, webhookId)
    if (beyond !== undefined) {
      dropped.push({ webhookId, beyond })
      continue
    }
    account.begin(webhookId, one)
    deliveries.push({
      id: newTimedId("delivery", timestamp),
      webhookId,
      event,
      body,
      createdAt: timestamp,
      dedupe,
      trace
    })
  }
  return { hubEvent, deliveries, dropped, bytes, account }
}

/** What of it is pending now. */
export const settleDeliveries = (
  { account, deliveries, bytes }: AdmittedDeliveries,
  inserted: ReadonlySet<string> | undefined
): void => {
  const one = { number: 1, bytes }
  for (const { id, webhookId } of deliveries) account?.end(webhookId, one, inserted?.has(id) === true ? one : noVolume)
}
