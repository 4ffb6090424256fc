/**
 * Bounds of what the hub keeps for an account: how its volume is counted, and what becomes of what is beyond its plan.
 */
import assert from "node:assert/strict"

/**
 * After it added this part of an account's bound, a node has the store count anew. So many nodes as this never exceed
 * the bound together; each further one may by such a part.
 */
export const volumeCountShare = 8
/** From the last such part on, and when its owner asks, a node counts an account again after this long. */
export const volumeCountMillis = 5_000
/**
 * And never sooner than after this many times the duration of the last count: counting takes a small part of the
 * store's time.
 */
export const volumeCountPause = 10
/** Where its use is only shown it is counted again this long after that. */
export const volumeShownMillis = 55_000
/** Rows that one counting statement looks at, of each of the webhooks it looks at; the rest goes with the next. */
export const volumeRowsMax = 1_000
/** Webhooks that one counting statement looks at; the rest goes with the next. */
export const volumeWebhooksMax = 10
/** Accounts whose volume is held in memory; the least recently used is counted anew when it has added enough. */
export const volumeAccountsMax = 100_000
/** Callers that wait for the count of one account; more are shown what is known of it. */
export const volumeWaitersMax = 100
/**
 * From this part of an account's bound on, only webhooks with little pending get more; the rest is divided among them.
 */
export const backlogShared = 0.75
/** Among at most this many webhooks; further ones find room while there is any. */
export const backlogSharesMax = 1_000
/** While less than this part of the bytes of an account's bound is taken, answers to failed attempts are kept too. */
export const besidesShare = 0.5
/** How often dropped deliveries are written to their webhooks; a kill forgets as much. */
export const dropsFlushMillis = 1_000
/** Webhooks whose dropped deliveries wait to be written; of more only the metric tells. */
export const dropsWebhooksMax = 10_000

assert(dropsFlushMillis <= volumeCountMillis, "a drop must be seen before the bound is looked at again")
