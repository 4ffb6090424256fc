/** Bounds of commands that outlive their call. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"

/** Words of `capabilities` kept of a daemon; the rest is dropped. */
export const capabilitiesMax = 32
/** Commands that a daemon names in its `auth`; the rest is dropped, and counts as lost. */
export const commandsNamedMax = 256
/** The longest `timeoutSeconds` of a command that outlives its call; more: 400. */
export const commandSecondsMax = 3_600
/** The longest `timeoutSeconds` of a call that waits, where `HUB_COMMAND_TIMEOUT` is no longer; more: 400. */
export const commandWaitSecondsMax = 60
/**
 * How much longer a call waits than the time its caller gives the command: the daemon ends it (SIGTERM, SIGKILL 2 s
 * later) and says what it had printed. Later: 504.
 */
export const commandAnswerMillis = 4_000
/** Started commands of one daemon that have no result yet; one more: 503 OVERLOADED. */
export const startedCommandsMax = 256
/** Timed-out calls of one connection whose late results fill their row; beyond, the oldest one's result is dropped. */
export const lateCommandsMax = 256
/** How long a call's result may be late; later its row is `timed_out`. */
export const lateResultMillisMax = 3_600_000
/** How long a row waits beyond its deadline, for a result that is on its way. */
export const commandGraceMillis = 15_000
/** A kept result in JSON; a larger one is left out, and the row says RESULT_TOO_LARGE. */
export const storedResultBytesMax = 2_097_152
/** Bytes of the answer to a chat message, whose ids are kept; of a larger one nothing is. */
export const chatAnswerBytesMax = 16_384
/** Characters of an id in it; a longer one is left out. */
export const chatIdCharsMax = 256
/** Characters of a daemon's words for a failure, and of its code; the rest is cut. */
export const storedErrorCharsMax = 4_096
/** Characters that are kept apart of the beginning of what a terminal command wrote, and of its end. */
export const outputEndCharsMax = 500
/** How long an ended command is kept. */
export const commandKeepMillis = 86_400_000
/** How often rows are looked through: past their deadline, asked to be cancelled, kept long enough. */
export const commandSweepMillis = 15_000
/** Rows that one look takes; the rest comes with the next statement. */
export const commandSweepRows = 500
/** Rows written by one statement; the rest goes with the next. */
export const commandRowsMax = 200
/** Bytes of results written by one statement; the rest goes with the next. */
export const commandRowsBytesMax = 8_388_608
/** Writes of rows that wait; one more is dropped, and its row ends by its deadline or the daemon's next try. */
export const commandWritesWaitingMax = 20_000
/** Bytes of results that wait to be written; beyond, a result is dropped likewise. */
export const commandWritesBytesMax = 134_217_728
/** Tries to write rows while the store is away, one each second; then they are given up likewise. */
export const commandWriteTriesMax = 300
/** How long a timed-out call waits for its row; then it is answered without a place of its result. */
export const timeoutRowMillisMax = 2_000
/** Commands of one page of the list. */
export const commandsPageMax = 200
/** Commands that a page looks at, whatever its filter lets pass; one with fewer than it may hold goes on behind. */
export const commandsLookedMax = 50_000
/** Reconnected daemons whose rows one statement reads. */
export const reconnectedBatchMax = 500

assert(commandsNamedMax >= startedCommandsMax, "a daemon must be able to name all that it may have")
assert(storedResultBytesMax <= commandRowsBytesMax, "a result must fit a statement")
