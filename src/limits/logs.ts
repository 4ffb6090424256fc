/** Bounds of the logs of sessions and commands: what daemons send of them, and who reads them. Unit last. */
import assert from "node:assert/strict"
import { streamBufferBytesMax } from "./edge.ts"
import { largeFrameBytes } from "./large.ts"

/** A frame of log events; a larger one is dropped, and its events are read again or marked as a gap. */
export const logFrameBytesMax = 262_144
/** One event of a log as JSON, in characters; a longer one is dropped and marked as a gap. */
export const logEventCharsMax = 262_144
/** Events of one frame or page; what is beyond is dropped. */
export const logEventsPerFrameMax = 1_000
/** An answer of a daemon to `read_log`; a larger one counts as no answer. */
export const logPageBytesMax = 524_288
/** The name of a numbering, in characters; a longer one does not fit. */
export const logIdCharsMax = 128
/** The id of a session or command whose log it is, in characters; a longer one does not fit. */
export const logNameCharsMax = 1_024
/** The type of an event, in characters; a longer one does not fit. */
export const logTypeCharsMax = 64
/** Names of earlier numberings of a log that a stream knows again; the oldest is forgotten. */
export const logsFormerMax = 16

/** Logs of one daemon's connection that are subscribed to; one more is refused. */
export const logsPerDaemonMax = 256
/** What a connection may send of logs in a second, each frame with `logFrameOverheadBytes` more than it has. */
export const logBytesPerSecond = 1_048_576
/** The same at once after a quiet time; a frame beyond is dropped. */
export const logBurstBytes = 4_194_304
/** What each frame counts beside its bytes. */
export const logFrameOverheadBytes = 512
/** Of dropped frames so much in a second is borne. */
export const logFloodBytesPerSecond = 4_194_304
/** The same at once; a frame beyond closes its socket with 4429. */
export const logFloodBurstBytes = 16_777_216

/** Streams of logs that one account has open on a node; one more: 503 OVERLOADED. */
export const logStreamsPerAccountMax = 1_000
/** Streams of logs open on a node; one more: 503 OVERLOADED. */
export const logStreamsMax = 10_000
/** What waits for the reader of one stream of a log; more: the stream ends, with the reason `slow_reader`. */
export const logStreamBufferBytesMax = 786_432
/** What a reader who keeps up is given in one turn of the event loop; frames beyond are read again as pages. */
export const logTurnBytes = 131_072
/** What the logs of one account give in a second to all their readers as it happens; more is read as pages. */
export const logFanOutBytesPerSecond = 33_554_432
/** The same at once after a quiet time. */
export const logFanOutBurstBytes = 33_554_432
/** What an event counts there beside its frame's characters. */
export const logFanOutEventBytes = 64
/** Of a page that many readers wait for so much is given in one turn of the event loop; the rest in the next. */
export const logPageTurnBytes = 8_388_608
/** What waits for all such readers of a node; more: streams with the most, of the account with the most, end. */
export const logBufferedBytesMax = 134_217_728
/** The same of one account, which has its own streams with the most end. */
export const logBufferedBytesPerAccountMax = 33_554_432
/**
 * What frames that wait for a page which a stream reads cost to hold (src/domain/limits/cost.ts); more: they are
 * forgotten, and read again.
 */
export const logHeldCostMax = 1_048_576
/** The same of all streams of an account; of a frame beyond only its number is kept. */
export const logHeldCostPerAccountMax = 16_777_216
/** The same of all streams of a node. */
export const logHeldCostAllMax = 134_217_728

/** What pages that streams of one account read cost to parse in a second; more: the next waits. */
export const logPageCostPerSecond = 4_194_304
/** The same at once after a quiet time. */
export const logPageCostBurst = 8_388_608

/** Events of one page of a log. */
export const logPageMax = 500
/** The same where the caller names no number, and where a stream reads what it missed. */
export const logPageUsual = 200
/** A stream reads its next page when no more than this waits for its reader. */
export const logDrainBytes = 131_072
/** How often it looks. */
export const logDrainLookMillis = 100
/** Looks in a row; then the stream ends, with the reason `slow_reader`. */
export const logDrainLooksMax = 300
/** Pages that a stream reads in a row; then the rest is a gap. */
export const logPagesMax = 100
/** How long a daemon is waited for to read a page. */
export const logReadMillisMax = 10_000
/** Pages that one daemon is asked for at once; more wait. */
export const logReadsPerDaemonMax = 4
/** Pages of one daemon that wait; one more fails, and is asked for again by the streams that still lack it. */
export const logReadsWaitingMax = 1_000
/** The first pause before a page is asked for again, or a daemon is looked for again; it doubles. */
export const logAgainMillis = 250
export const logAgainMillisMax = 2_000
/** Tries in a row to read a page; then what is missing is a gap. */
export const logReadTriesMax = 8
/** How long after a frame that was dropped, or that names a later event, a stream reads what it lacks. */
export const logDoubtMillis = 500
/** How long the opening of a stream waits to hear that there is such a log; then the stream begins without. */
export const logFirstWordMillis = 2_000
/** A stream whose daemon is away for longer ends, with the reason `daemon_offline`. */
export const logOfflineMillisMax = 120_000

/** A subscription of another node that is not renewed for so long ends. */
export const logLeaseMillis = 6_000
/** How often a node renews it. */
export const logLeaseRenewMillis = 2_000
/** Subscriptions of other nodes on one node; one more is refused. */
export const logRelaysMax = 20_000

assert(logFrameBytesMax >= largeFrameBytes, "a large frame may be one of log events")
assert(logStreamBufferBytesMax < streamBufferBytesMax, "a slow reader is told why it is cut off")
assert(logBufferedBytesPerAccountMax < logBufferedBytesMax, "one account must not have the streams of others end")
assert(logTurnBytes + logFrameBytesMax < logStreamBufferBytesMax, "who keeps up is not cut off for a burst")
assert(logDrainBytes + logPageBytesMax < logStreamBufferBytesMax, "who reads what it missed is not slow")
assert(logFrameBytesMax + logFrameOverheadBytes < logBurstBytes, "the largest frame is taken after a quiet time")
assert(logLeaseRenewMillis * 2 < logLeaseMillis, "one lost renewal must not end a subscription")
