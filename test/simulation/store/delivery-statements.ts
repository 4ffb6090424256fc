/** What the stores of webhooks, leases and deliveries do, on tables in memory. Owns these statements. */
import { leaseMillis } from "../../../src/limits/delivery.ts"
import {
  dedupeKey,
  type HealthRow,
  type Inserted,
  type NewDelivery,
  type OutcomeRow,
  type PendingDelivery,
  type ToldRow
} from "../../../src/store/webhooks/deliveries.ts"
import type { LeasedWebhookRow } from "../../../src/store/webhooks/leases.ts"
import type { WebhookSubscriptions } from "../../../src/store/webhooks/webhook-subscriptions.ts"
import type { Changes, WebhookRow } from "../../../src/store/webhooks/webhooks.ts"
import { byId, type DeliveryTable, type Tables } from "./tables.ts"

const recordTold = (tables: Tables, told: ReadonlyArray<ToldRow>): void => {
  const last = new Map<string, ToldRow>()
  for (const row of told) if (row.at >= (last.get(row.daemonId)?.at ?? 0)) last.set(row.daemonId, row)
  for (const { daemonId, at, states } of last.values()) {
    const daemon = tables.daemons.get(daemonId)
    if (daemon !== undefined && (daemon.told?.at ?? 0) <= at) daemon.told = { at, states }
  }
}

/** Commits a batch. */
export const insert = (
  tables: Tables,
  batch: ReadonlyArray<NewDelivery>,
  maxAttempts: number,
  told: ReadonlyArray<ToldRow> = []
): Inserted => {
  recordTold(tables, told)
  const fresh = new Set<string>()
  for (const { dedupe } of batch) {
    if (dedupe === undefined || tables.eventsSeen.has(dedupeKey(dedupe))) continue
    tables.eventsSeen.add(dedupeKey(dedupe))
    fresh.add(dedupeKey(dedupe))
  }
  const rows = batch.filter(({ dedupe }) => dedupe === undefined || fresh.has(dedupeKey(dedupe)))
  return { deliveryIds: tables.insertDeliveries(rows, maxAttempts), fresh }
}

const dueAtOf = ({ attempts, dueAt }: DeliveryTable): number => (attempts === 0 ? 0 : dueAt)

const pendingOf = (row: DeliveryTable): PendingDelivery => ({
  id: row.id,
  webhookId: row.webhookId,
  event: row.event,
  body: row.body,
  attempts: row.attempts,
  earlierAttempts: 0,
  maxAttempts: row.maxAttempts,
  dueAt: dueAtOf(row),
  createdAt: row.createdAt,
  trace: row.trace
})

/** The soonest pending deliveries of a webhook. */
export const soonest = (
  tables: Tables,
  webhookId: string,
  limit: number,
  except: ReadonlyArray<string>
): ReadonlyArray<PendingDelivery> =>
  [...tables.pendingOf(webhookId)]
    .filter(({ id }) => !except.includes(id))
    .sort((one, other) => one.dueAt - other.dueAt)
    .slice(0, limit)
    .map(pendingOf)

/** Records outcomes. */
export const settle = (tables: Tables, outcomes: ReadonlyArray<OutcomeRow>, health: ReadonlyArray<HealthRow>): void => {
  for (const { deliveryId, attempts, state, dueAt } of outcomes) {
    const row = tables.deliveries.get(deliveryId)
    if (row === undefined || row.attempts !== attempts - 1) continue
    if (row.state === "succeeded" || row.state === "failed") continue
    Object.assign(row, { attempts, dueAt })
    if (state !== "retry") tables.end(row, state)
  }
  for (const { webhookId, failures, failingSince, lastDeliveryAt, lastStatusCode } of health) {
    const webhook = tables.webhooks.get(webhookId)
    if (webhook === undefined) continue
    webhook.failures = failures
    webhook.failingSince = failingSince ?? null
    webhook.lastDeliveryAt = lastDeliveryAt
    webhook.lastStatusCode = lastStatusCode ?? null
  }
}

/** Takes leases. */
export const take = (tables: Tables, node: string, ids: ReadonlyArray<string>): ReadonlyArray<LeasedWebhookRow> =>
  [...new Set(ids)].sort(byId).flatMap((id) => {
    const webhook = tables.webhooks.get(id)
    if (webhook === undefined || !tables.isServed(id)) return []
    const now = tables.now()
    const lease = tables.leases.get(id)
    if (lease !== undefined && lease.node !== node && lease.until >= now) return []
    const fence = (lease?.fence ?? 0) + 1
    tables.leases.set(id, { node, fence, until: now + leaseMillis })
    return [{ ...webhook, fence }]
  })

/** Renews the leases of a node. */
export const renew = (tables: Tables, node: string): ReadonlyMap<string, number> => {
  const held = new Map<string, number>()
  for (const [id, lease] of tables.leases) {
    const accountId = tables.webhooks.get(id)?.accountId
    if (lease.node !== node || tables.accounts.get(accountId ?? "")?.disabled === true) continue
    lease.until = tables.now() + leaseMillis
    held.set(id, lease.fence)
  }
  return held
}

/** Gives leases back. */
export const releaseLeases = (
  tables: Tables,
  node: string,
  leases: ReadonlyArray<{ readonly webhookId: string; readonly fence: number }>
): void => {
  for (const { webhookId, fence } of leases) {
    const lease = tables.leases.get(webhookId)
    if (lease?.node === node && lease.fence === fence) Object.assign(lease, { until: 0, node: "" })
  }
}

/** Webhooks with something due that no lease holds. */
export const unheld = (tables: Tables, now: number, limit: number): ReadonlyArray<string> =>
  [...tables.pending.keys()]
    .sort(byId)
    .filter((id) => tables.isServed(id) && (tables.leases.get(id)?.until ?? -1) < tables.now())
    .filter((id) => [...tables.pendingOf(id)].some((row) => row.dueAt <= now || row.attempts === 0))
    .slice(0, limit)

/** A held webhook as it is now. */
export const profile = (tables: Tables, id: string): WebhookRow | undefined =>
  tables.isServed(id) ? { ...tables.webhooks.get(id)! } : undefined

/** Who wants events of an account. */
export const subscriptions = (tables: Tables, accountId: string): WebhookSubscriptions => {
  if (tables.accounts.get(accountId)?.disabled === true) return "disabled"
  return [...tables.webhooks.values()]
    .filter((one) => one.accountId === accountId && one.active)
    .map(({ id, events }) => ({ id, events }))
}

/** Which accounts changed since a version. */
export const changedSince = (tables: Tables, version: number): Changes => {
  if (tables.webhookVersion <= version) return { version, accountIds: [], disabled: [] }
  const accountIds = [...tables.webhookChanges].flatMap(([id, at]) => (at > version ? [id] : []))
  const disabled = accountIds.filter((id) => tables.accounts.get(id)?.disabled !== false)
  return { version: tables.webhookVersion, accountIds, disabled }
}

/** Notes that the webhooks of an account changed, or that it was disabled or enabled. */
const noteChange = (tables: Tables, accountId: string): void => {
  tables.webhookChanges.set(accountId, ++tables.webhookVersion)
}

/** Pauses a webhook, which cancels what is pending, or has it go on. */
export const setActive = (tables: Tables, webhookId: string, active: boolean): void => {
  const webhook = tables.webhooks.get(webhookId)!
  noteChange(tables, webhook.accountId)
  webhook.active = active
  if (!active) for (const row of [...tables.pendingOf(webhookId)]) tables.end(row, "cancelled")
}
