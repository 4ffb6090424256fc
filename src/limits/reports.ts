/** Bounds of what a daemon says of itself: what is kept of one frame, and shown of what did not fit. */

/** Sessions of one report that are kept; more are dropped and named. */
export const sessionsPerDaemonMax = 200
/** Providers of one `auth` or report that are kept; more are dropped and named. */
export const providersPerDaemonMax = 500
/** Workspaces of one `auth` or report that are kept; more are dropped and named. */
export const workspacesPerDaemonMax = 100
/** Controls of one session that are kept, and values of controls; more are dropped and named. */
export const controlsPerSessionMax = 64
/** What did not fit of one daemon's frames, as its status shows it; more is counted and logged only. */
export const problemsShownMax = 32
