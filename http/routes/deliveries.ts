/** Encodes the delivery history: entries and cursors. Pure. */
import type { DeliveryEntry, HistoryPosition, TestedDelivery } from "../../src/store/webhooks/delivery-history.ts"

const attemptless: ReadonlySet<string> = new Set(["pending", "expired", "cancelled"])

/** Without an answer the stored body is what the hub says of the failure. */
const answerOf = (statusCode: number | null, error: string | undefined, body: string | null) =>
  statusCode !== null || error === undefined || body === null || body === ""
    ? { responseBody: body }
    : { errorDetail: body, responseBody: "" }

/** An entry as the list shows it. */
export const entryRecord = (entry: DeliveryEntry) => ({
  id: entry.id,
  deliveryId: entry.deliveryId,
  event: entry.event,
  attempt: entry.attempt,
  maxAttempts: entry.maxAttempts,
  status: entry.status,
  willRetry: entry.status === "failed" && entry.nextAttemptAt !== null,
  ...(entry.nextAttemptAt !== null && { nextAttemptAt: entry.nextAttemptAt }),
  statusCode: entry.statusCode,
  ...(entry.error !== null && { error: entry.error }),
  ...answerOf(entry.statusCode, entry.error ?? undefined, entry.responseBody),
  responseTruncated: entry.responseTruncated,
  durationMs: entry.durationMs,
  requestedAt: attemptless.has(entry.status) ? null : entry.at
})

/** The entry of a test delivery that has just ended. */
export const testedRecord = (tested: TestedDelivery, id: string) => ({
  id,
  deliveryId: tested.id,
  event: tested.event,
  attempt: 1,
  maxAttempts: 1,
  status: tested.succeeded ? ("succeeded" as const) : ("failed" as const),
  willRetry: false,
  statusCode: tested.statusCode ?? null,
  ...(tested.error !== undefined && { error: tested.error }),
  ...answerOf(tested.statusCode ?? null, tested.error, tested.responseBody),
  responseTruncated: tested.truncated,
  durationMs: tested.durationMs,
  requestedAt: tested.at
})

/** The cursor of the page after an entry. */
export const pageCursor = (entry: DeliveryEntry): string =>
  Buffer.from(`${entry.at}.${entry.ordinal}.${entry.deliveryId}`).toString("base64url")

/** Parses a cursor; undefined without one, null when it is invalid. */
export const pagePlace = (cursor: string | undefined): HistoryPosition | undefined | null => {
  if (cursor === undefined) return undefined
  const parts = /^(\d{1,15})\.(\d{1,9})\.(dlv_[0-9a-z]{20})$/u.exec(Buffer.from(cursor, "base64url").toString("latin1"))
  if (parts === null) return null
  return { at: Number(parts[1]), ordinal: Number(parts[2]), deliveryId: parts[3]! }
}
