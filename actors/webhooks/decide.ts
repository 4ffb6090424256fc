/**
 * One webhook's work, as a pure decision: what is sent when, at most four at once, parked while failing. Owns the state
 * of one subscriber and its rules; performs nothing (perform.ts does). The deliveries table is the truth: memory holds
 * a few due ones, and the subscriber reads again whenever it may have missed some.
 */

import { delivered, endpointServes, healthAfter, judge, probeAt } from "../../src/domain/webhook/delivery.ts"
import {
  subscriberFetchMax,
  subscriberIdleMillis,
  subscriberLookMillis,
  subscriberReadyMax,
  webhookInFlightMax
} from "../../src/limits/delivery.ts"
import type { PendingDelivery } from "../../src/store/webhooks/deliveries.ts"
import type { LeasedWebhook, SubscriberAction, SubscriberMessage, SubscriberState } from "./messages.ts"

/** A subscriber as it begins: it looks into the store first. */
export const begin = (webhook: LeasedWebhook): SubscriberState => ({
  webhook,
  health: webhook.health,
  failedEvents: new Set(),
  ready: [],
  known: new Set(),
  settledMeanwhile: new Set(),
  inFlight: 0,
  settling: 0,
  more: true,
  fetching: false,
  asked: 0,
  fetchedAt: 0,
  nextDueAt: undefined,
  lastAttemptAt: webhook.lastAttemptAt ?? 0,
  held: true,
  stale: false,
  draining: false,
  finishing: false,
  lost: false,
  idleSince: undefined,
  wakeAt: undefined
})

const unreadMillis = 1_000
const refillBelow = 16

const failing = (state: SubscriberState): boolean => state.health.failingSince !== undefined

const park = (state: SubscriberState): void => {
  for (const delivery of state.ready) state.known.delete(delivery.id)
  state.ready = []
  state.more = true
}

const soonerDue = (state: SubscriberState, at: number): void => {
  state.nextDueAt = state.nextDueAt === undefined ? at : Math.min(state.nextDueAt, at)
}

const take = (state: SubscriberState, deliveries: ReadonlyArray<PendingDelivery>): void => {
  for (const delivery of deliveries) {
    if (state.known.has(delivery.id)) continue
    if (failing(state) || state.more || state.ready.length >= subscriberReadyMax) {
      // older ones wait in the store: reading it brings this one in its turn
      state.more = true
      continue
    }
    state.known.add(delivery.id)
    state.ready.push(delivery)
  }
}

/**
 * The delivery to probe with: of an event that did not fail last, then one that no attempt of failed yet, then the
 * soonest. An endpoint that fails at one kind of event is so known to be well by the next of another.
 */
const likeliest = (state: SubscriberState, rows: ReadonlyArray<PendingDelivery>): ReadonlyArray<PendingDelivery> => {
  const against = (row: PendingDelivery): number =>
    (state.failedEvents.has(row.event) ? 2 : 0) + (row.attempts > row.earlierAttempts ? 1 : 0)
  return rows.toSorted((one, other) => against(one) - against(other)).slice(0, 1)
}

const found = (state: SubscriberState, rows: ReadonlyArray<PendingDelivery>, now: number): void => {
  state.fetching = false
  const fresh = rows.filter((row) => !state.known.has(row.id) && !state.settledMeanwhile.has(row.id))
  state.settledMeanwhile.clear()
  // the probe: its turn has come whether or not it is due
  if (failing(state) && (state.inFlight > 0 || probeAt(state.lastAttemptAt) > now)) {
    state.more = true
    return
  }
  const due = failing(state) ? likeliest(state, fresh) : fresh.filter((row) => row.dueAt <= now)
  for (const row of due) {
    state.known.add(row.id)
    state.ready.push(row)
  }
  if (failing(state)) return
  for (const row of fresh) if (row.dueAt > now) soonerDue(state, row.dueAt)
  if (rows.length >= state.asked && rows.every((row) => row.dueAt <= now)) state.more = true
}

/** What to do next, given all that is known. */
const plan = (state: SubscriberState, now: number, actions: Array<SubscriberAction>): void => {
  const start = (): void => {
    const delivery = state.ready.shift()!
    state.inFlight++
    state.lastAttemptAt = now
    actions.push({ do: "attempt", delivery, attempt: delivery.attempts - delivery.earlierAttempts + 1 })
  }
  const fetch = (limit: number): void => {
    state.fetching = true
    state.more = false
    state.nextDueAt = undefined
    state.settledMeanwhile.clear()
    state.asked = limit
    state.fetchedAt = now
    actions.push({ do: "fetch", limit, except: [...state.known] })
  }
  if (state.finishing && state.inFlight === 0) {
    actions.push({ do: "quit" })
    return
  }
  if (state.draining || state.finishing || !state.held || state.stale) return
  if (failing(state)) {
    const probe = probeAt(state.lastAttemptAt)
    if (state.inFlight > 0 || state.fetching) return
    if (state.ready.length > 0) return start()
    if (!state.more) return rest(state, now, actions)
    if (probe > now) return wake(state, probe, actions)
    return fetch(subscriberFetchMax)
  }
  while (state.inFlight < webhookInFlightMax && state.ready.length > 0 && state.settling < subscriberReadyMax) start()
  const lookAt = state.fetchedAt + subscriberLookMillis
  if (Math.min(lookAt, state.nextDueAt ?? lookAt) <= now) state.more = true
  if (state.fetching || state.ready.length >= refillBelow || state.settling >= subscriberReadyMax) return
  if (state.more) return fetch(subscriberFetchMax)
  if (state.nextDueAt !== undefined) return wake(state, Math.min(state.nextDueAt, lookAt), actions)
  rest(state, now, actions)
}

const wake = (state: SubscriberState, at: number, actions: Array<SubscriberAction>): void => {
  state.idleSince = undefined
  // an earlier waking plans anew
  if (state.wakeAt !== undefined && state.wakeAt <= at) return
  state.wakeAt = at
  actions.push({ do: "wakeAt", at })
}

const rest = (state: SubscriberState, now: number, actions: Array<SubscriberAction>): void => {
  if (state.known.size > 0 || state.fetching) return
  const since = state.idleSince
  if (since !== undefined && now >= since + subscriberIdleMillis) {
    actions.push({ do: "leave" })
    return
  }
  const idleSince = since ?? now
  wake(state, idleSince + subscriberIdleMillis, actions)
  state.idleSince = idleSince
}

const answered = (
  state: SubscriberState,
  message: Extract<SubscriberMessage, { readonly type: "answered" }>,
  actions: Array<SubscriberAction>
): void => {
  const { delivery, answer, now } = message
  const attempt = delivery.attempts - delivery.earlierAttempts + 1
  const outcome = judge(answer, attempt, state.webhook.planned.slice(0, delivery.maxAttempts - 1), message.chance, now)
  const before = failing(state)
  state.health = healthAfter(state.health, endpointServes(answer), now)
  if (delivered(answer)) state.failedEvents.delete(delivery.event)
  else state.failedEvents.add(delivery.event)
  // the answer to an attempt of before a crash is recorded all the same, and what the store says of it is old
  if (state.known.has(delivery.id)) state.inFlight = Math.max(0, state.inFlight - 1)
  else state.known.add(delivery.id)
  state.settling++
  if (before !== failing(state)) park(state)
  // while failing, whatever is parked waits for the next probe
  if (failing(state)) state.more = true
  actions.push({
    do: "settle",
    delivery,
    outcome,
    answer,
    startedAt: message.startedAt,
    retryAt: outcome.state === "retry" ? now + outcome.afterMillis : undefined,
    health: state.health
  })
}

const quit: ReadonlyArray<SubscriberAction> = [{ do: "quit" }]

const reread = (state: SubscriberState, actions: Array<SubscriberAction>): void => {
  state.stale = true
  park(state)
  actions.push({ do: "reread" })
}

const settled = (state: SubscriberState, message: Extract<SubscriberMessage, { readonly type: "settled" }>): void => {
  if (!state.known.delete(message.deliveryId)) return
  state.settling = Math.max(0, state.settling - 1)
  if (state.fetching) state.settledMeanwhile.add(message.deliveryId)
  if (!message.recorded) soonerDue(state, message.now + unreadMillis)
  else if (message.retryAt !== undefined) soonerDue(state, message.retryAt)
}

/** A clock that was set back holds up no probe and no look. The opening message knows no time. */
const noLaterThan = (state: SubscriberState, now: number): void => {
  if (now === 0) return
  state.lastAttemptAt = Math.min(state.lastAttemptAt, now)
  state.fetchedAt = Math.min(state.fetchedAt, now)
}

/** What a message leads to. */
export const decide = (
  state: SubscriberState,
  message: SubscriberMessage
): { readonly state: SubscriberState; readonly actions: ReadonlyArray<SubscriberAction> } => {
  const actions: Array<SubscriberAction> = []
  noLaterThan(state, message.now)
  switch (message.type) {
    case "due":
      take(state, message.deliveries)
      break
    case "look":
      state.more = true
      break
    case "found":
      found(state, message.rows, message.now)
      break
    case "unfound":
      state.fetching = false
      soonerDue(state, message.now + unreadMillis)
      break
    case "answered":
      answered(state, message, actions)
      break
    case "settled":
      settled(state, message)
      break
    case "wake":
      state.wakeAt = undefined
      break
    case "lost":
      if (state.inFlight === 0) return { state, actions: quit }
      if (state.lost) return { state, actions }
      // an attempt runs to its end if the webhook is not served any more, and not if another node makes it too
      state.lost = true
      reread(state, actions)
      break
    case "changed":
      reread(state, actions)
      break
    case "profile":
      state.stale = false
      state.finishing = !message.there
      if (message.there && state.lost) return { state, actions: quit }
      break
    case "hold":
      state.held = message.held
      break
    case "drain":
      state.draining = true
      park(state)
      break
  }
  if (message.type !== "wake" && message.type !== "hold" && state.known.size > 0) state.idleSince = undefined
  plan(state, message.now, actions)
  return { state, actions }
}
