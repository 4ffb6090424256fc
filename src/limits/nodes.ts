/** The bounds of several nodes that are one hub: the bus over Redis. */
import assert from "node:assert/strict"

/** How often a node sends a heartbeat on the bus, which it must receive itself. */
export const busBeatMillis = 250
/** Without an own heartbeat for this long the bus is away. */
export const busSilenceMillisMax = 1_000
/** While a node was itself held up, this much of that time does not count as silence of the bus. */
export const busHeldUpMillisMax = 2_000
/** The key that a node writes with its heartbeats, to see that Redis takes writes, expires after this long. */
export const busWrittenMillis = 60_000
/** How long an entry of a cache lives while the bus is away: every cache is dropped this often. */
export const busAwayCacheMillis = 1_000
/** After an outage this long the connections are made again. */
export const busRedialMillis = 5_000
/** The longest pause between two attempts to connect. */
export const busReconnectMillisMax = 1_000
/** How long a start waits for the bus; then the node serves without it. */
export const busStartMillisMax = 3_000
/**
 * Bytes that wait for the end of this tick on their way to one channel; more: dropped, counted, and noticed as a gap.
 */
export const busWaitingBytesMax = 16_777_216
/** Bytes written to Redis and not yet taken by it; more: dropped likewise. */
export const busUnsentBytesMax = 67_108_864
/** Nodes whose messages are numbered here; beyond it the one unheard longest is forgotten. */
export const busPeersMax = 1_024
/**
 * A message between nodes is accepted for this long after it was signed: 30 s that each clock may be off, and its way.
 */
export const busMessageMillisMax = 90_000
/** How often a listener that throws is logged at most; each time is counted. */
export const busDefectLogMillis = 60_000
/** Asks of one tick in one script call; more go in further calls. */
export const windowAsksMax = 1_000
/** Asks that are gathered in one tick; more: judged by this node's own windows. */
export const windowAsksWaitingMax = 20_000
/** Shared windows known to be full; beyond it the one unasked longest is asked again. */
export const windowsFullMax = 100_000
/** A node that has not renewed its lease for so long is dead: the others take over its daemons. */
export const nodeLeaseMillis = 5_000
/** How often a lease is renewed and dead nodes are looked for. */
export const nodeRenewMillis = 1_000
/** How long the line must stand before anything is concluded of what was not heard. */
export const nodeQuietMillis = nodeLeaseMillis
/** What the nodes conclude needs the database's word within so long; later: nothing is concluded now. */
export const nodeStoreMillisMax = 2_000
/** The row of a node that ended while it was apart is cleared away after so long. */
export const nodeRowMillis = 3_600_000
/** That a daemon's time online ended is remembered so long, for a node that comes back and still holds it. */
export const nodeEndedMillis = 86_400_000
/** A word that a node owes for so long, though it is heard and all it holds is recorded, is forgotten there. */
export const nodeOwedMillisMax = 60_000
/**
 * One node at a time recovers who is recorded as online; one that dies over it is followed by another after so long.
 */
export const nodeRecoveryMillis = 30_000
/** How long the line must stand before it is decided whether a daemon came or only moved. */
export const nodeSettleMillis = 2_000
/** Daemons in one step of taking over, of recovering, or of writing snapshots. */
export const nodeStepDaemons = 500
/**
 * Ends and arrivals that wait for the line to stand; more: the oldest end is forgotten, or the newest arrival goes
 * unsaid.
 */
export const nodeWaitingMax = 200_000
/** A daemon that was taken for a connection which was never welcomed is let go after so long. */
export const nodeTakenMillisMax = 15_000
/** Commands and orders under way to other nodes; more: 503. */
export const nodeAsksMax = 20_000
/** Commands of other nodes under way here; one more is answered as overloaded. */
export const nodeWorksMax = 50_000
/** Daemons of other nodes whose node is cached; a wrong entry is looked up again. */
export const nodePlacesMax = 100_000
/** Nodes that are known to drain; beyond it the one unasked longest is forgotten. */
export const nodesDrainingMax = 1_024
/**
 * A question or answer of so many characters goes to another node within a message; a longer one is left in Redis to be
 * fetched.
 */
export const carriedChars = 65_536
/** Characters that are being left in Redis for other nodes; one more text is refused. */
export const carriedCharsMax = 67_108_864
/** A payload left in Redis for another node expires after this long. */
export const carriedMillis = 10_000
/** How much longer than its own deadline a command to another node may take. */
export const nodeAskMarginMillis = 1_000

assert(
  busHeldUpMillisMax + busSilenceMillisMax + nodeRenewMillis < nodeLeaseMillis,
  "who is cut off must know it before its lease ends"
)
