/**
 * Bounds of what daemons say of themselves: what is kept of one frame, and shown of what did not fit; what an account's
 * daemons together may have a node read, hold and keep.
 */

/** Sessions of one report that are kept; more are dropped and named. */
export const sessionsPerDaemonMax = 200
/** Providers of one `auth` or report that are kept; more are dropped and named. */
export const providersPerDaemonMax = 500
/** Workspaces of one `auth` or report that are kept; more are dropped and named. */
export const workspacesPerDaemonMax = 100
/** Controls of one session that are kept, and values of controls; more are dropped and named. */
export const controlsPerSessionMax = 64
/** The most that a share of a machine's health may be: a load is above 1 where work waits. */
export const healthMax = 1_000
/** Sessions of one daemon that are remembered after they left its report; the oldest go first. */
export const departedSessionsMax = 32
/** How long: their last events may come behind the report without them. */
export const departedSessionMillis = 60_000
/** What did not fit of one daemon's frames, as its status shows it; more is counted and logged only. */
export const problemsShownMax = 32

/**
 * Bytes of changed reports of one account that a node reads in a second; more wait for their turn, the newest of each
 * daemon.
 */
export const reportBytesPerSecond = 524_288
/** What each of its connected daemons adds to that. */
export const reportBytesPerSecondPerDaemon = 1_024
/** With which it is no more than this. */
export const reportBytesPerSecondMax = 2_097_152
/** So many seconds' worth may be read at once after a quiet time: a fleet that comes back. */
export const reportBurstSeconds = 8
/** So long an account's share outlives its last daemon: until what was taken of it is there again. */
export const shareLingerMillis = 2 * reportBurstSeconds * 1_000
/** What a report or frame costs beside its bytes. */
export const frameOverheadBytes = 512
/** What each question counts there that begins or ends with a report: streams, webhooks and browsers are told of it. */
export const toldQuestionBytes = 1_024
/** Between two large reports of one account. */
export const largeReportMillis = 50
/**
 * Bytes of reports that wait for their turn, of one account; a report beyond it is dropped, and its daemon's status
 * says so.
 */
export const heldReportBytesMax = 4_194_304
/** What each of its connected daemons adds to that. */
export const heldReportBytesPerDaemon = 8_192
/**
 * What the reports that are kept of one account's daemons weigh (src/domain/limits/cost.ts); one beyond it is not kept,
 * and its daemon's status says so.
 */
export const keptReportsMax = 33_554_432
/** What each of its connected daemons adds to that. */
export const keptReportsPerDaemon = 16_384
/** What those of all accounts weigh beside what daemons add; an account has no more than a part of what is left. */
export const keptReportsAllMax = 167_772_160
/** Bytes in a second of one account's other frames, results that are waited for apart; more: close 4429. */
export const accountFrameBytesPerSecond = 1_048_576
/** What each of its connected daemons adds to that. */
export const accountFrameBytesPerSecondPerDaemon = 4_096
/** With which it is no more than this. */
export const accountFrameBytesPerSecondMax = 8_388_608
/** So many seconds' worth of them may come at once after a quiet time. */
export const accountFrameBurstSeconds = 10
