/**
 * One webhook whose lease this node holds: its address, its keys, its lease, its health. Owns how the address and the
 * keys are read from the stored row; decides nothing.
 */
import { Effect } from "effect"
import type { SecretBox } from "../../src/auth/secret-box.ts"
import type { Health } from "../../src/domain/webhook/delivery.ts"
import { type SigningKey, signingKey } from "../../src/domain/webhook/signature.ts"
import type { WebhookRow } from "../../src/store/webhooks/webhooks.ts"

/** What is secret and changeable of a held webhook. */
export interface Endpoint {
  readonly url: string
  readonly key: SigningKey
  readonly oldKey: SigningKey | undefined
  readonly oldKeyUntil: number
}

/** One webhook held by this node. It outlives a crash of its subscriber. */
export interface LeasedWebhook {
  readonly webhookId: string
  readonly accountId: string
  /** The fencing token of the lease. */
  readonly fence: number
  /** When the lease was taken, by this node's clock: a renewal that began before cannot know it. */
  readonly leasedAt: number
  /** The delay before each retry. */
  readonly planned: ReadonlyArray<number>
  endpoint: Endpoint
  health: Health
  lastAttemptAt: number | undefined
}

/** What signs for a webhook and where it is, as stored. */
export const openEndpoint = Effect.fnUntraced(function* (box: SecretBox["Service"], row: WebhookRow) {
  const key = signingKey(yield* box.open(row.secret, row.id))
  const oldKey = row.oldSecret === null ? undefined : signingKey(yield* box.open(row.oldSecret, row.id))
  return { url: row.url, key, oldKey, oldKeyUntil: row.oldSecretUntil ?? 0 } satisfies Endpoint
})

/** The keys that sign now: the new one, and beside it the old one while it overlaps. */
export const signingKeys = (endpoint: Endpoint, now: number): ReadonlyArray<SigningKey> =>
  endpoint.oldKey !== undefined && now < endpoint.oldKeyUntil ? [endpoint.key, endpoint.oldKey] : [endpoint.key]
