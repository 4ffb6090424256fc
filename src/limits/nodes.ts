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
/** How long a node that ends waits until what it was asked before is answered; then it leaves all the same. */
export const busLeaveMillisMax = 1_000
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
/** A node without a heartbeat for so long is dead: the others take over its daemons. */
export const nodeLeaseMillis = 5_000
/** How often a node writes its heartbeat and looks for dead nodes. */
export const nodeRenewMillis = 1_000
/** What a node that stops has to write takes so long at most; later the others find it. */
export const nodeStoreMillisMax = 2_000
/** Daemons in one step of a takeover or a check, and in one write of claims or releases. */
export const nodeStepDaemons = 500
/** Retries of a starting node's first heartbeat; then it does not start. */
export const nodeStartBeatsMax = 10
/** How often a node compares its roster with what the store says that it holds, though no answer was lost. */
export const nodeStraysMillis = 20_000
/** Ends of online periods that wait for the store; of one more the store still says that this node has it. */
export const releasesWaitingMax = 200_000
/** Tries to write a claim that would begin before the last online period ended; then the daemon must reconnect. */
export const claimTriesMax = 4
/** Of those whose webhooks are not in memory, so many accounts are read at once. */
export const releasePreparedMax = 16
/** The pause before ends are written again; it doubles. */
export const releaseAgainMillis = 200
export const releaseAgainMillisMax = 5_000
/** Nodes that a request follows a daemon to while it moves; then it fails. */
export const nodeFollowMax = 3
/** An order to a daemon of another node is waited for so long. */
export const nodeOrderMillis = 5_000
/** Another node is waited for so long for its snapshots of a daemon or an account; then the stored ones are shown. */
export const nodeSnapshotMillis = 1_000
/** Nodes that are asked at once what they have of an account. */
export const nodesAskedMax = 16
/** Commands and orders under way to other nodes; more: 503. */
export const nodeAsksMax = 20_000
/** Commands of other nodes under way here; one more is answered as overloaded. */
export const nodeWorksMax = 50_000
/** Daemons of other nodes whose node is cached; a wrong entry is looked up again. */
export const daemonLocationsMax = 100_000
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
