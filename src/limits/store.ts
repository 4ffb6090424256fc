/**
 * Bounds of the store: connections, statements, batches, and the embedded database. Unit last, with what happens at the
 * bound.
 */
import assert from "node:assert/strict"

/** How long a caller waits for a connection, a new one's making included; later: StoreFailed. */
export const connectionWaitMillisMax = 5_000
/** Callers that wait for a connection; more: StoreFailed at once. */
export const connectionWaitersMax = 10_000
/** Of the connections, the share that one account's callers use at once, but one in any case; more wait. */
export const ownStatementsShare = 1 / 4
/** And the share that all accounts' callers together leave to the hub's own statements, as far as there are two. */
export const hubStatementsShare = 1 / 4
/** Callers of one account that wait so; more: StoreFailed at once. */
export const ownWaitersMax = 2_000
/** How long Postgres works on one statement; later it cancels it: StoreFailed. */
export const statementMillisMax = 15_000
/**
 * How long an answer may take over all, for a server that fell silent; later the connection is given up: StoreFailed.
 */
export const answerMillisMax = 20_000
/** A connection that is idle for this long is closed. */
export const connectionIdleMillisMax = 60_000
/** Texts of statements that are prepared once a connection; a further one is sent without a name each time. */
export const preparedStatementsMax = 500
/** How long the embedded database may take to start, a first start included; later: StoreFailed. */
export const embeddedStartMillisMax = 120_000
/**
 * How long a caller waits for the one connection of the embedded database, the start of a crashed one included; later:
 * StoreFailed.
 */
export const embeddedWaitMillisMax = 20_000
/** How long the embedded database may take to close; later its thread is ended, which it survives. */
export const embeddedCloseMillisMax = 10_000
/** Entries of one batch when its owner sets no bound; the rest goes with the next statement. */
export const batchMax = 500
/** Entries that wait for the statement before theirs, when the owner sets no bound; more: 503 OVERLOADED. */
export const batchWaitersMax = 20_000
/** Rows that one pruning statement removes; the rest goes with the next. */
export const prunedRowsMax = 5_000
/** Rows that one step of an account's removal takes; the rest goes with the next. */
export const removedRowsMax = 1_000
/**
 * Revoked daemons that are kept of an account, where its plan allows no fewer daemons; an enrolment removes the oldest
 * beyond.
 */
export const revokedDaemonsKeptMax = 1_000
/** How often a hub that lost its claim on the database tries to have it back. */
export const exclusiveRetryMillis = 1_000
/** How often, a second apart, it is asked whether an unanswered COMMIT was made; then it counts as not made. */
export const commitAskedMax = 5
/** Looks at a keyed call whose row vanishes between two statements; more: StoreFailed. */
export const idempotencyRereadsMax = 5

assert(statementMillisMax < answerMillisMax, "the server must have the first word on a slow statement")
assert(ownWaitersMax < connectionWaitersMax, "one account must not shut out all others")
assert(batchMax <= batchWaitersMax, "a batch must fit what may wait")

/** Good tokens of one daemon: the one in use and the newest; a re-enrolment ends the others, which were never used. */
export const tokensPerDaemonMax = 3
/** Revoked tokens of one daemon that are told from unknown ones; the oldest beyond are forgotten. */
export const tokenTombstonesMax = 16
