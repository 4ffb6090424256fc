/** The bounds of TURN credentials: how long they live, are kept, and are waited for. */
import assert from "node:assert/strict"

/** How long issued credentials are good. */
export const turnCredentialSeconds = 7_200
/** How long a set is handed out again (specification: 1 hour). */
export const turnCacheMillis = 3_600_000
/** Accounts whose set is kept; more: the least used is issued anew. */
export const turnCacheEntriesMax = 10_000
/** How long the source may take; longer: STUN only. */
export const turnSourceMillisMax = 5_000
/** Answer of the source; more is an error. */
export const turnSourceBytesMax = 65_536
/** Requests to the source under way; more wait for a slot within the source's time, else STUN only. */
export const turnSourceInFlightMax = 16
/** How long a source that failed is left alone, then tried by one call at a time; meanwhile: STUN only. */
export const turnPauseMillis = 10_000
/** How long a daemon's welcome waits for its set; longer: STUN only, and the set follows in a frame of its own. */
export const iceWelcomeMillisMax = 300
/** How long a set without TURN is called good: soon asked for again, in case it was a fault. */
export const stunOnlySeconds = 900

assert(turnCredentialSeconds * 1_000 - turnCacheMillis >= 3_600_000, "a set from the cache is good for an hour more")
