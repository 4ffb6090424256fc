/** Bounds of the audit log. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"

/** How long events that are alike are counted in one row. */
export const auditCountMillis = 60_000
/** Rows of counted events that an account may begin in that time; of more only the action is told apart. */
export const auditCountedPerAccountMax = 60
/** Accounts whose events are counted at once on a node; of more only the metric tells. */
export const auditAccountsMax = 10_000
/** Rows that a node counts at once, of all accounts; of more only the metric tells. */
export const auditWaitingMax = 20_000
/** How often a node writes the counted events; a kill loses as much. */
export const auditFlushMillis = 1_000
/** Rows written by one statement; the rest goes with the next. */
export const auditRowsMax = 500
/** How often rows that are too old are removed. */
export const auditSweepMillis = 600_000
/** Events of one page of the list. */
export const auditPageMax = 1_000
/** The same when its caller does not say how many. */
export const auditPageUsual = 50
/** Events that a page looks at whatever its filter lets pass; one that found fewer than it may hold goes on behind. */
export const auditLookedMax = 50_000
/** Characters of a filter of the list; more: 400. */
export const auditFilterCharsMax = 64
/** How often it is looked for events that the sink lacks. */
export const auditExportMillis = 1_000
/** Events handed to the sink at once; the rest goes with the next. */
export const auditExportRowsMax = 500
/** How long the node that serves the sink is not replaced, unless it says that it still does. */
export const auditSinkLeaseMillis = 60_000
/** The longest wait after failures of the sink in a row; the first is as long as `auditExportMillis`. */
export const auditRetryMillisMax = 30_000
/** How long a post to the sink may take; then it is tried again. */
export const auditPostMillisMax = 10_000

assert(auditRetryMillisMax + auditPostMillisMax < auditSinkLeaseMillis, "a sink that fails must not change its node")
assert(auditExportMillis <= auditRetryMillisMax, "the waits must grow")
/** Characters that are shown of the name of a command's program; the rest is cut. */
export const commandNameCharsMax = 64
/** Characters that are shown of a command's text; the rest is cut. */
export const commandTextCharsMax = 1_000
/** Accounts of which more or less of a command is shown than of the others. */
export const shownAccountsMax = 256
