/**
 * What the result of an attempt means for its delivery and for the health of its webhook. Owns that judgement, the
 * retry schedule and the words; sends and stores nothing.
 */
import { probeMillis, retryJitter, webhookFailuresMax } from "../../limits/delivery.ts"

/** Where a delivery stands. */
export const deliveryStates = ["pending", "succeeded", "failed", "expired", "cancelled"] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Why there was no usable answer. */
export const attemptErrors = ["timeout", "dns", "connect", "tls", "blocked_address", "redirect"] as const
export type AttemptError = (typeof attemptErrors)[number]

/** What came back from one attempt. */
export interface AttemptResult {
  readonly statusCode: number | undefined
  readonly error: AttemptError | undefined
  readonly retryAfter: string | undefined
  readonly body: string
  readonly truncated: boolean
  readonly durationMs: number
}

/** What an answer leads to. */
export type Outcome =
  | { readonly state: "succeeded" }
  | { readonly state: "failed" }
  | { readonly state: "retry"; readonly afterMillis: number }

/** `Retry-After` as milliseconds from now: seconds or an HTTP date; undefined when it is neither. */
export const retryAfterMillis = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined
  if (/^\d+$/u.test(value.trim())) return Number(value.trim()) * 1_000
  if (!/[a-z]{3},? /iu.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at - now
}

/**
 * The delay before a retry: as planned ±20 % by `chance` (0 to 1), or what the receiver asked for within once to twice
 * the plan.
 */
export const retryDelay = (plannedMillis: number, chance: number, asked: number | undefined): number => {
  if (asked !== undefined) return Math.round(Math.min(Math.max(asked, plannedMillis), plannedMillis * 2))
  return Math.round(plannedMillis * (1 - retryJitter + 2 * retryJitter * chance))
}

/** Whether an answer counts as delivered. */
export const delivered = (answer: AttemptResult): boolean =>
  answer.error === undefined && answer.statusCode !== undefined && answer.statusCode >= 200 && answer.statusCode < 300

/** Judges attempt number `attempt` (from 1). `planned` holds the delay before each retry; 410 ends the delivery. */
export const judge = (
  answer: AttemptResult,
  attempt: number,
  planned: ReadonlyArray<number>,
  chance: number,
  now: number
): Outcome => {
  if (delivered(answer)) return { state: "succeeded" }
  const plan = planned[attempt - 1]
  if (plan === undefined || answer.statusCode === 410) return { state: "failed" }
  return { state: "retry", afterMillis: retryDelay(plan, chance, retryAfterMillis(answer.retryAfter, now)) }
}

/** How a webhook fares. `failingSince` is set while its deliveries are parked. */
export interface Health {
  readonly failures: number
  readonly failingSince: number | undefined
}

export const healthy: Health = { failures: 0, failingSince: undefined }

/** What a receiver says of one event that it does not want. It says nothing against the endpoint. */
const refusals: ReadonlySet<number> = new Set([400, 404, 413, 415, 422])

/** Whether an answer speaks for the endpoint: it took the event, or refused this one as such. */
export const endpointServes = (answer: AttemptResult): boolean =>
  delivered(answer) ||
  (answer.error === undefined && answer.statusCode !== undefined && refusals.has(answer.statusCode))

/** The health after one more attempt: one that the endpoint served heals, the tenth in a row that it did not parks. */
export const healthAfter = (health: Health, served: boolean, now: number): Health => {
  if (served) return health.failures === 0 && health.failingSince === undefined ? health : healthy
  const failures = health.failures + 1
  return { failures, failingSince: health.failingSince ?? (failures >= webhookFailuresMax ? now : undefined) }
}

/** When a failing webhook is probed next. */
export const probeAt = (lastAttemptAt: number): number => lastAttemptAt + probeMillis
