/** The bounds of the control socket in the data folder. */

/** One request; more: the connection is closed unanswered. */
export const adminRequestBytesMax = 65_536
/** One answer as a caller reads it; more: the caller gives up. */
export const adminAnswerBytesMax = 67_108_864
/** Connections at once; more are refused by the system. */
export const adminConnectionsMax = 16
/** Silence on a connection; longer: it is closed. A password hash takes 0.1 s, a full table some seconds. */
export const adminSilenceMillisMax = 30_000
/**
 * How long a command waits for one answer of a hub that says all the time that it works on it; longer: it gives up and
 * says so.
 */
export const adminAnswerMillisMax = 3_600_000
/** How often a connection is told that its answer is in progress, so that it is not silent. */
export const adminStillMillis = 10_000
/** How long a command waits for a holder of the data folder that does not answer; longer: it names it and gives up. */
export const adminWaitMillisMax = 20_000
/** How often it tries again meanwhile. */
export const adminRetryMillis = 100
/**
 * How long a command waits for Redis to bring back what it told the hubs that run; then it says that they were not
 * told.
 */
export const adminToldMillisMax = 2_000
/** Rows of one page of a list, as the command line asks for it; the rest comes with the next. */
export const adminPageRowsMax = 1_000
/** Rows of one page of the daemons of all accounts over the API; a larger `limit` counts as this. */
export const adminDaemonsPageMax = 500
/** Rows of such a page where no `limit` is given. */
export const adminDaemonsPageUsual = 100
/** Daemons that one page of a search looks at; a page that found fewer than it may hold goes on with the next. */
export const searchedDaemonsMax = 20_000
/** How long one step of an account's removal may go on; the rest is done when it is asked for again. */
export const adminRemovalMillisMax = 2_000
/** How long a service that ends waits for the reader of its log; then the rest of the log is lost. */
export const logHandedMillisMax = 2_000
