/** Bounds of events, webhooks and live streams: unit last, with what happens at the bound. */
import assert from "node:assert/strict"
import { streamBufferBytesMax } from "./edge.ts"

/** A prompt's text in an event; more is cut. */
export const modalMessageBytesMax = 2_048
/** Buttons of a prompt in an event; more are left out. */
export const modalButtonsMax = 12
/** Characters of one button; more are cut. */
export const modalButtonCharsMax = 120
/** Any other text of an event (session, provider, workspace); more is cut. */
export const eventTextCharsMax = 1_024
/** Between two `agent:status` of one daemon; what changes meanwhile waits and is merged. */
export const agentStatusMillis = 10_000
/** Names in one `agent:status`, in characters; the agents beyond are told in the next one. */
export const agentStatusCharsMax = 65_536
/** Sessions of one daemon whose status is followed; more are not. */
export const agentsFollowedMax = 1_000

/** A webhook's address; more: 400. */
export const webhookUrlCharsMax = 2_048
/** How long the old secret signs beside the new one. */
export const secretOverlapMillis = 86_400_000

/** Attempts under way per webhook in the whole hub; more wait. */
export const webhookInFlightMax = 4
/** Failures in a row after which a webhook is failing and its deliveries are parked. */
export const webhookFailuresMax = 10
/** Between two probes of a failing webhook. */
export const probeMillis = 60_000
/** How long a delivery may be parked; longer: expired. */
export const parkedMillisMax = 86_400_000
/** How far a retry's delay may differ from the plan, as a share. */
export const retryJitter = 0.2
/** Deliveries that a subscriber holds in memory; more stay in the store until there is room. */
export const subscriberReadyMax = 256
/** Deliveries that a subscriber reads at once; the rest is read when these are under way. */
export const subscriberFetchMax = 128
/**
 * A subscriber that has work reads the store at least this often: a word of what another node committed may be lost,
 * and that node with it.
 */
export const subscriberLookMillis = 30_000
/** Subscribers of a node that read the store at once; the others wait, and accounts take turns. */
export const subscriberReadsMax = 8
/** Messages that wait for one subscriber; more: it is told to read the store instead. */
export const subscriberMailboxMax = 1_024
/** Nothing to do for this long: a subscriber leaves. */
export const subscriberIdleMillis = 10_000

/** Connecting to a receiver; longer: the attempt failed (timeout). */
export const connectMillisMax = 5_000
/** Connecting to one address of a name that has several; longer: the next is tried too. Node gives each 250 ms. */
export const addressMillisMax = 2_000
/** A whole attempt, connecting and the last byte of the answer included; longer: failed (timeout). */
export const attemptMillisMax = 10_000
/** Of an answer's body this much is kept; at the bound the connection is closed. */
export const responseBytesMax = 16_384
/**
 * Bytes of an answer's head, or of its informational heads, chunk extensions and trailers together; more: failed
 * (connect).
 */
export const responseHeadBytesMax = 16_384
/** Lines of an answer's heads and trailers together; more: failed (connect). */
export const responseLinesMax = 512
/** Chunks of an answer's body; at the bound the connection is closed, as where the body is too large. */
export const responseChunksMax = 1_024
/** What reading a line of an answer, or a chunk, costs beside its bytes (src/domain/limits/cost.ts). */
export const responseLineCost = 100
/** Kept-alive connections that one attempt may find closed by the receiver; one more: the attempt failed (connect). */
export const wornConnectionsMax = 2
/**
 * Informational answers (1xx) that one attempt reads; one more: the attempt failed (connect) and its connection is
 * closed.
 */
export const informationalAnswersMax = 8
/** Origins with open connections; the least recently used is closed. */
export const originsMax = 1_000
/** A connection that nothing was sent on is closed after this long. */
export const originIdleMillis = 4_000
/** So much sooner than its receiver says it would close an idle connection, the hub does. */
export const keepAliveMarginMillis = 2_000
/** Look-ups through the system's resolver at once (it shares four threads with everything else); more wait. */
export const systemLookupsMax = 2
/** Look-ups that wait for one of those; more: the attempt failed (dns). */
export const systemLookupsWaitingMax = 256

/** Deliveries, or outcomes, in one statement. */
export const deliveryBatchMax = 500
/** The same of the embedded database, which does one statement at a time: what is quick waits for none that is long. */
export const embeddedDeliveryBatchMax = 100
/** Bytes of bodies in one such statement, as soon as there is more than one. */
export const deliveryBatchBytesMax = 8_388_608
/** Deliveries that wait to be committed; more: the dispatch fails and its event is not acknowledged. */
export const dispatchWaitingMax = 20_000
/** Bytes of their bodies; more: likewise. */
export const dispatchWaitingBytesMax = 134_217_728
/** Outcomes that wait to be committed; more: the new one is lost, and its attempt is made again. */
export const outcomesWaitingMax = 20_000
/** Commits of new deliveries that outcomes let go first while there are some; after these it is their turn. */
export const outcomeYieldsMax = 4
/** Between two writes of a webhook's health that tell only of later deliveries; any other change is written at once. */
export const healthWriteMillis = 1_000
/** Accounts whose webhooks are held in memory; the least recently used is read again when needed. */
export const accountsIndexedMax = 100_000
/** How stale the index may be when the bus lost a message. */
export const indexPollMillis = 1_000
/** How long a numbered event of a daemon is remembered. */
export const eventSeenMillis = 86_400_000
/**
 * Numbered events remembered of one daemon; the oldest is forgotten, and would be delivered anew. Twice what ours
 * keeps unacknowledged.
 */
export const eventsSeenPerDaemonMax = 2_000
/** After this many new ones of a daemon a node has the store delete what is beyond that. */
export const eventsSeenTrimAfter = 1_000
/** Daemons whose new events a node counts; the count of the least recent one starts again. */
export const eventsSeenDaemonsMax = 100_000
/** Daemons that wait to be trimmed; more wait for their next event. */
export const eventsSeenTrimsWaitingMax = 10_000
/** Characters of an event's id as the daemon gives it; longer ones are kept as their hash. */
export const eventIdCharsMax = 64
/** The last numbered events kept in memory so that a live stream does not see one twice. */
export const eventsRecentMax = 20_000
/** Events of the hub's own making that wait for a store that is away; more: the new one is lost, counted and logged. */
export const eventsWaitingMax = 10_000
/**
 * A daemon's numbered events that are tried again while the store is away; more: it sends them again after it
 * reconnects.
 */
export const eventsRetriedMax = 10_000

/** How often a change of a webhook begins again when outcomes stood in its way (a deadlock); more: the change fails. */
export const deadlockRetriesMax = 3

/** How long a lease on a webhook is good without renewal. */
export const leaseMillis = 5_000
/** How often a node renews all of its leases, in one statement. */
export const leaseRenewMillis = 1_500
/** How often a node looks for due deliveries without a lease. */
export const leaseSweepMillis = 2_500
/**
 * What reads all that waits rests this many times as long as it took: where the store cleans nothing up (an old
 * snapshot), it reads what is long done too.
 */
export const sweepRestTimes = 9
/** Such a rest is no longer than this. */
export const sweepRestMillisMax = 60_000
/** Webhooks taken by one sweep. */
export const leaseSweepMax = 500
/** How often deliveries that wait are counted, for the metrics. */
export const backlogLookMillis = 15_000
/** Deliveries counted at most: the metrics show no more. */
export const backlogCountedMax = 20_000
/** A delivery that has been due for longer is late. */
export const deliveryLateMillis = 60_000

/** How long finished deliveries are kept. */
export const deliveryKeepMillis = 604_800_000
/** Finished deliveries kept per webhook; the oldest go. */
export const deliveriesPerWebhookMax = 500
/** Rows that one statement of the upkeep removes. */
export const upkeepRowsMax = 1_000
/** How often the upkeep runs. */
export const upkeepMillis = 60_000
/** How often the embedded database gives the space of dead rows back. */
export const vacuumMillis = 900_000
/** Deliveries that one `recover` takes up again. */
export const recoverRowsMax = 1_000

/** Events that an account's live buffer holds for resuming; the oldest leaves. */
export const streamBufferMax = 512
/** Their texts in characters; beyond, the oldest leaves likewise. */
export const streamBufferCharsMax = 4_194_304
/** The texts of all accounts; beyond, one that gets one more event loses its oldest. */
export const streamBuffersCharsMax = 134_217_728
/** What is left of them to each account, as far as it has that. */
export const streamBufferCharsMin = 65_536
/** Bytes of missed events that a reader who resumes is sent at once, the newest; of older ones it is told a gap. */
export const streamResumeBytesMax = 524_288
/** Accounts with a live buffer; the least recently used without a reader leaves. */
export const streamAccountsMax = 2_000
/** How long a buffer outlives its last reader. */
export const streamLingerMillis = 300_000
/** Live streams of one account; more: 503. */
export const streamsPerAccountMax = 20
/** What waits for the readers of all live streams of a node; more: those of the account with the most end. */
export const streamsBufferedBytesMax = 134_217_728
/** Between two heartbeats of a live stream. */
export const streamHeartbeatMillis = 15_000

assert(streamResumeBytesMax <= streamBufferBytesMax / 2, "what a reader missed waits beside what happens meanwhile")
assert(connectMillisMax < attemptMillisMax, "an attempt must outlast its connecting")
assert(leaseRenewMillis * 2 < leaseMillis, "one lost renewal must not lose a lease")
assert(subscriberIdleMillis < subscriberLookMillis, "one without work leaves rather than reads again")
assert(webhookInFlightMax < subscriberReadyMax, "memory must hold more than what is under way")

/** Entries of a page of the delivery history. */
export const deliveryPageMax = 100
/** The same where the caller names no number. */
export const deliveryPageUsual = 20
