/** Bounds of the request log. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"

/** Requests shown of an account; older ones are neither shown nor kept. */
export const loggedRequestsMax = 1_000
/** How long a request is kept. */
export const loggedRequestMillis = 86_400_000
/** How often a node writes what it collected; a kill loses as much. */
export const requestLogFlushMillis = 1_000
/** Requests of one account that a node collects between two writes; of more only the number is kept. */
export const loggedPerFlushMax = 50
/** Of those, what successes leave to refusals and failures, which are what a log is read for. */
export const loggedFailuresReserve = 10
/** Requests of all accounts that a node collects between two writes; of more only the number is kept. */
export const loggedWaitingMax = 5_000
/** Accounts whose requests are collected between two writes; of more only the metric tells. */
export const loggedAccountsMax = 10_000
/** Rows written by one statement; the rest goes with the next. */
export const loggedRowsMax = 500
/** Characters of a request's path; the rest is cut. */
export const loggedPathCharsMax = 512
/** How often rows beyond the newest of their account, and those that are too old, are removed. */
export const requestLogSweepMillis = 60_000
/** Accounts whose rows one removing statement looks at; the rest goes with the next. */
export const sweptAccountsMax = 100
/** Requests of one page of the list. */
export const requestsPageMax = 1_000
/** The same when its caller does not say how many. */
export const requestsPageUsual = 50

assert(loggedFailuresReserve < loggedPerFlushMax, "successes must be kept, too")
assert(loggedPerFlushMax <= loggedRequestsMax, "what is written must be what is shown")
assert(requestsPageMax <= loggedRequestsMax, "a page must not be longer than the list")
