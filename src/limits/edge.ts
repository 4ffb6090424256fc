/** Bounds of the edge: exchanges, bodies in flight, streams, sockets. */
import assert from "node:assert/strict"

/** Bodies held for requests whose checks are not done yet, all callers together; more: 503 OVERLOADED. */
export const bodiesInFlightBytesMax = 268_435_456
/** Of those, of one account, or of one address where the account is not known yet; more: 503 OVERLOADED. */
export const bodiesInFlightBytesPerOwnerMax = 33_554_432
/** Of all, what bodies leave free whose account is not known yet: their addresses may be any number; more: 503. */
export const strangersBodiesLeave = 67_108_864
/**
 * Of what is left free of what callers share (bodies in parts, waits, downloads, streams of logs, wide sockets) one may
 * have this share; of more 503 too. After ten that take all they may an eighth is left.
 */
export const shareOfFree = 1 / 4
/** What a piece of a body counts for there at least: a held one takes so much beside its bytes. */
export const bodyPieceBytesMin = 256
/**
 * Pieces of one body that are smaller than that; more: 400, and the connection ends. (A chunk of one byte is a call out
 * of the library, like any other.)
 */
export const smallPiecesMax = 4_096
/** A piece from this size counts towards what one turn of the event loop reads; to read a smaller one costs little. */
export const heavyPieceBytesMin = 16_384
/**
 * Bytes in such pieces that one turn of the event loop reads, and the rest of one more; what else has come stays in the
 * system's buffers. (Some 3 ms, to read and to copy.)
 */
export const bodyBytesPerTurnMax = 4_194_304
/** Connections left out so that are read again in each later turn: they bring that much together. */
export const bodiesReadAgainPerTurn = 8
/**
 * Steps of long work (lists of daemons, rules that are checked) that one turn of the event loop does for all who ask:
 * each takes some 0.5 ms.
 */
export const workStepsPerTurn = 4
/**
 * Large answers that wait for their readers, of all callers; more: the oldest of the caller with the most is cut off.
 */
export const unreadAnswersBytesMax = 268_435_456
/** Of those, of one account, or of one address where the account is not known; more: the oldest of them is cut off. */
export const unreadAnswersBytesPerOwnerMax = 67_108_864
/**
 * Looks (one each `unreadLookMillis`) after which an answer that the library alone holds is taken for ended: it ends it
 * after 10 s.
 */
export const unseenLooksMax = 3
/** A path and its query, in characters; more: 414. (The head as a whole is bounded too: http/native/header-size.ts.) */
export const uriCharsMax = 8_192
/** Client addresses remembered in their canonical form; more: the least recently used is read again. */
export const addressesCachedMax = 20_000
/** How deep JSON in a body or a frame may nest; deeper: 400, or a frame that does not fit its shape. */
export const jsonDepthMax = 128
/**
 * Values in a request's body, those in others and names of members among them; more: 400. (20,000 take some 30 ms: to
 * parse, to decode and to write again for a daemon.)
 */
export const bodyValuesMax = 20_000
/** Values and names of a document that the hub fetched (key sets, tokens, ICE servers); a fuller one is not read. */
export const documentValuesMax = 10_000
/** Of what does not fit in a request so many issues are told. */
export const issuesMax = 32
/** Values of a body that does not fit, up to which all its issues are looked for; of a larger one the first is told. */
export const explainedValuesMax = 256
/**
 * Values in one frame of a daemon, those in others and names of members among them; more: a frame that does not fit its
 * shape.
 */
export const frameValuesMax = 100_000
/** A file in an answer is read at once up to this size; a hub that drains waits for no smaller answer to be read. */
export const wholeAnswerBytesMax = 65_536
/** An answer that must end its connection is closed behind at once up to this; the library ends it else. */
export const closingAnswerCharsMax = 16_384
/** What waits for one stream's peer to read; more: the stream is cut off. */
export const streamBufferBytesMax = 1_048_576
/** Sockets that may open or close in one tick before what others are to be sent is written. */
export const callbacksBeforeFlushMax = 64
/**
 * Requests that one turn of the event loop deals with; more: they wait for a later turn, and of those of one connection
 * in one read the library then ends the connection. (It hands over all requests of a read of 512 KiB in a row. Some
 * 10 ms of such as are refused: what others ask takes several turns.)
 */
export const requestsPerTurnMax = 256
/** The part of `requestsPerTurnMax` that is for postponed requests while there are any. */
export const postponedPerTurnMax = 128
/** So many bytes of an answer take as long as a request, and count as one (`hub bench siege --only console-files`). */
export const bytesPerRequest = 4_096
/** From this many on the check is made when the turn ends; fewer are too few to matter. */
export const requestsBeforeLook = 64
/**
 * Sockets whose end is dealt with in the tick they close in; more: a share of those that wait, each turn of the event
 * loop.
 */
export const endsInTickMax = 64
/** That share; at least as many as in one tick. */
export const endsPerTurnShare = 0.05
/** A turn of the event loop that took no longer is short at the end of the wait for one; before, in proportion. */
export const shortTurnMillis = 1
/**
 * How long the end of listening waits for a short turn; then it comes after a longer one, and connections that
 * arrive meanwhile are reset.
 */
export const shortTurnWaitMillisMax = 250
/**
 * The connection of a request that waits is not read, but checked this often: a caller that hung up is found at the
 * second check at the latest. What was sent behind a request that waits for longer than this may end the connection.
 */
export const unreadLookMillis = 5_000
/**
 * Descriptors of the process that connections leave to its stores, files and calls to others, at most a half of all.
 * (The embedded database has some 300.) A connection beyond is closed as it comes.
 */
export const descriptorsReserved = 768
/** Where this share of all descriptors is more, they leave that. */
export const descriptorsReservedShare = 1 / 8
/**
 * They leave at least this many beside what is in use before the server listens, and as many again for what the stores
 * open later. (The embedded database has 130 files open then and 300 once all tables are used.)
 */
export const descriptorsSpareMin = 64
/** Of what is left beside that, this share stays free: past it a connection is closed as it comes. */
export const descriptorsFreeShare = 1 / 2
/** Connections there may be however few the descriptors are. */
export const connectionsMin = 16
/** From this share of all connections on it is looked whose each new one is. */
export const crowdedShare = 1 / 4
/** One address may then have this share of the free slots; one connection more is closed as it comes. */
export const freeShareOfAddress = 1 / 2
/** How often the system is asked whose all connections are. */
export const connectionTableReadMillis = 1_000
/** A kind of failure that comes with every request is logged at once, and then at most this often. */
export const failureLogMillis = 10_000
/** Kinds of failures that the log tells apart; all further ones are one kind. */
export const failureKindsMax = 256
/** Characters by which they are told apart; what differs behind those is one kind. */
export const failureKindCharsMax = 512
/** How long uWebSockets.js keeps a socket that says nothing, in seconds: a backstop behind our own pings. */
export const nativeIdleSecondsMax = 120
/** How long readiness waits for the store. */
export const readinessMillisMax = 2_000
/** How often a store whose state failed a statement is checked, with or without a request. */
export const storeLookMillis = 5_000
/** What the store and the data folder must have room for to count as ready again after a failed write. */
export const storeRoomBytes = 65_536
/** How long after the embedded database was opened again it is left as it is, at the least. */
export const storeReopenMillisMin = 30_000
/** Statements that wait for a copy of the database for longer count as a store that does not answer. */
export const storePauseMillisMax = 15_000
/** How long a look at the store is believed. */
export const readinessLookMillis = 1_000
/** Warnings of one answer about what it was given; more is not told of. */
export const warningsMax = 32
/** Characters of a caller's own name in a warning; more is cut. */
export const shownNameCharsMax = 64

assert(streamBufferBytesMax > wholeAnswerBytesMax, "a stream may wait for more than one write")
assert(requestsBeforeLook < requestsPerTurnMax - postponedPerTurnMax, "the end of a turn must be noticed")
assert(readinessLookMillis < 5_000, "a balancer must see a lost store within seconds")
