/** The bounds of worker processes that share one port (`hub start --workers`). */
import assert from "node:assert/strict"

/** Workers of one `hub start`; more: refused. Beyond the cores of a machine they only cost memory. */
export const workersMax = 64
/**
 * How long a worker may take until it serves (the first one migrates the database); later: killed, and that start
 * failed.
 */
export const workerReadyMillisMax = 600_000
/** The pause before a worker that ended is started again; doubled each time it did not live long. */
export const workerPauseMillis = 500
/** The longest such pause. */
export const workerPauseMillisMax = 30_000
/** A worker that served for this long is healthy: the next pause is the shortest again. */
export const workerSoundMillis = 60_000
/** Starts that failed in a row while no worker serves; then the hub ends. */
export const workerFailuresMax = 5
/** How much longer than a node's own deadline a worker may take to end; later: killed. */
export const workerEndMarginMillis = 500
/** How long a worker may take to tell its metrics; later: the scrape is answered without it. */
export const workerMetricsMillisMax = 2_000
/** How long a worker waits for the metrics of all; later: the scrape is answered 503. */
export const workersMetricsMillisMax = 4_000
/** The metrics of one worker, in characters; more: it counts as one that did not tell them. */
export const workerMetricsCharsMax = 16_777_216
/** Scrapes under way at one worker; one more: 503. */
export const scrapesMax = 4
/** Signals that wait to be looked at; more: the oldest is forgotten. */
export const signalsWaitingMax = 16

assert(workerPauseMillis < workerPauseMillisMax, "a pause must be able to grow")
assert(workerMetricsMillisMax < workersMetricsMillisMax, "one silent worker must not fail a scrape of all")
assert(workerPauseMillisMax < workerSoundMillis, "who waits longest must still be able to be found sound")
