/**
 * The tables of a hub in memory, for a simulation. Owns the rows and what every statement shares: inserting
 * deliveries, pages in order of id. The statements are in the other files of this folder; store-conformance.db.test.ts
 * holds them to the SQL of the stores.
 */
import type { Plan } from "../../../src/domain/account/plans.ts"
import type { StoredCommand } from "../../../src/domain/command/stored-command.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import type { OwnerTags } from "../../../src/domain/daemon/tags.ts"
import type { DeliveryState } from "../../../src/domain/webhook/delivery.ts"
import type { NewDelivery } from "../../../src/store/webhooks/deliveries.ts"
import type { WebhookRow } from "../../../src/store/webhooks/webhooks.ts"

export interface TokenTable {
  readonly daemonId: string
  readonly accountId: string
  readonly createdAt: number
  revokedAt: number | undefined
}

export interface DaemonTable {
  readonly accountId: string
  revoked: boolean
  /** As it was stored last. */
  snapshot: Snapshot
  snapshotEpoch: number
  told: { at: number | undefined; states: string } | undefined
  ownerTags: OwnerTags | undefined
}

export interface PresenceTable {
  epoch: number
  node: string | null
  since: number | null
  lastEndedAt: number | undefined
}

export interface DeliveryTable extends NewDelivery {
  state: DeliveryState
  attempts: number
  readonly maxAttempts: number
  dueAt: number
}

export interface LeaseTable {
  node: string
  fence: number
  until: number
}

export interface CommandTable extends StoredCommand {
  readonly epoch: number
  readonly durable: boolean
  readonly result: string | undefined
}

/** What a webhook's row changes in. */
export type WebhookTable = { -readonly [K in keyof WebhookRow]: WebhookRow[K] }

/** Told of what a statement did, as it does it. */
export interface StoreWatch {
  readonly inserted: (delivery: DeliveryTable) => void
  readonly began: (daemonId: string, node: string, deliveries: ReadonlyArray<NewDelivery>) => void
  readonly ended: (daemonId: string, node: string, reason: string, deliveries: ReadonlyArray<NewDelivery>) => void
  readonly firstEnd: (command: CommandTable, deliveries: ReadonlyArray<NewDelivery>) => void
}

const unwatched: StoreWatch = { inserted: () => {}, began: () => {}, ended: () => {}, firstEnd: () => {} }

/** All of them. */
export class Tables {
  readonly accounts = new Map<string, { plan: Plan; disabled: boolean }>()
  readonly tokens = new Map<string, TokenTable>()
  readonly daemons = new Map<string, DaemonTable>()
  readonly presence = new Map<string, PresenceTable>()
  readonly nodes = new Map<string, { seenAt: number; onBus: boolean }>()
  readonly webhooks = new Map<string, WebhookTable>()
  readonly webhookChanges = new Map<string, number>()
  webhookVersion = 0
  readonly deliveries = new Map<string, DeliveryTable>()
  /** The pending ones of each webhook. */
  readonly pending = new Map<string, Set<DeliveryTable>>()
  readonly eventsSeen = new Set<string>()
  readonly leases = new Map<string, LeaseTable>()
  readonly commands = new Map<string, CommandTable>()
  /** The database's clock. */
  now: () => number
  watch: StoreWatch = unwatched

  constructor(now: () => number) {
    this.now = now
  }

  /** Whether a webhook is served: active, of an account that is not disabled. */
  isServed(webhookId: string): boolean {
    const webhook = this.webhooks.get(webhookId)
    return webhook?.active === true && this.accounts.get(webhook.accountId)?.disabled !== true
  }

  /** Inserts those whose webhooks are active; returns their ids. */
  insertDeliveries(rows: ReadonlyArray<NewDelivery>, maxAttempts: number): Set<string> {
    const ids = new Set<string>()
    for (const row of rows) {
      if (this.webhooks.get(row.webhookId)?.active !== true) continue
      const delivery: DeliveryTable = { ...row, state: "pending", attempts: 0, maxAttempts, dueAt: row.createdAt }
      this.deliveries.set(row.id, delivery)
      this.pendingOf(row.webhookId).add(delivery)
      ids.add(row.id)
      this.watch.inserted(delivery)
    }
    return ids
  }

  pendingOf(webhookId: string): Set<DeliveryTable> {
    let found = this.pending.get(webhookId)
    if (found === undefined) {
      found = new Set()
      this.pending.set(webhookId, found)
    }
    return found
  }

  /** Gives a delivery another state, which ends it. */
  end(delivery: DeliveryTable, state: Exclude<DeliveryState, "pending">): void {
    delivery.state = state
    this.pendingOf(delivery.webhookId).delete(delivery)
  }

  /** A daemon's snapshot with its presence and its owner's tags. */
  snapshotOf(daemonId: string): Snapshot | undefined {
    const row = this.daemons.get(daemonId)
    if (row === undefined) return undefined
    const { epoch = 0, since = null } = this.presence.get(daemonId) ?? {}
    const { capabilities: _, ...stored } = row.snapshot
    return {
      ...stored,
      online: since !== null,
      revoked: row.revoked,
      epoch,
      connectedAt: since ?? stored.connectedAt,
      ...(row.ownerTags !== undefined && { ownerTags: row.ownerTags })
    }
  }
}

/** The order of ids in the database. */
export const byId = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
