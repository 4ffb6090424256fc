/**
 * Bounds of the coming and going of many: how daemons are sent away, who waits for one that moves, how a crowd is let
 * in.
 */
import assert from "node:assert/strict"
import { authMillisMax } from "../limits.ts"

/** How long a command waits for a daemon that a drain sent away; then 503. */
export const movingMillisMax = 5_000
/** How often such a command looks whether it is back. */
export const movingLookMillis = 50
/** Commands that wait so on one node; more: 503 OVERLOADED. */
export const movingWaitersMax = 10_000
/** How long before its slot a daemon is sent no more commands: none may cross its close. */
export const slotHoldMillis = 150
/** A daemon still connected this long after its slot is closed with 1012, once no command waits for it. */
export const slotEndMillis = 1_000
/** How long before the deadline a busy daemon is sent no more commands. */
export const lastHoldMillis = 4_000
/** How long a node that drains listens for others that do; one that is alone does not send its daemons anywhere. */
export const drainsHeardMillis = 200
/** A hub that is alone is back no sooner: the first slot of its daemons. */
export const aloneFirstMillis = 1_000
/** Between two slots of a hub that is alone, as far as the spread allows: a hub takes in a thousand a second. */
export const aloneSlotMillis = 1
/** Of the new connections a second, this share may come at once. */
export const connectBurstShare = 0.25
/** Of the new connections a second, this share may be of one daemon, but so many a second in any case. */
export const connectsOfDaemonShare = 1 / 1_000
export const connectsOfDaemonPerSecondMin = 1
/** This share may be of one daemon at once after a quiet time, but so many in any case; of more it is deferred. */
export const connectsOfDaemonBurstShare = 1 / 50
export const connectsOfDaemonBurstMin = 20
/** A daemon that is deferred comes back no sooner. */
export const connectRetryMillisMin = 250
/** The longest deferral; beyond it a crowd comes back together, and is deferred again. */
export const connectRetryMillisMax = 60_000
/**
 * From its moment on, the reservation of a daemon that was deferred is kept this long: clients add a jitter of their
 * own, up to 2 s after a first refusal and 4 s after a second. It also bounds what may come at once, when all are late
 * by as much (a network that is back): the reservations of this time and one burst, 5,350 at 1,000 a second. At 0.3 ms
 * of CPU each a node is busy with them for 1.6 s, a third of the time after which another takes its daemons over; and
 * for 5 s it takes no other daemon.
 */
export const connectReservationMillis = 5_000
/** So much before its moment a daemon is taken too: one with a coarse timer would double its backoff otherwise. */
export const connectEarlyMillisMax = 100
/**
 * Reservations of a node. At the standard rate there are never more than 65,000 (the longest deferral and the time they
 * are kept). Where there would be more, a daemon is told its moment, and none is kept for it.
 */
export const connectReservationsMax = 100_000
/** An upgrade that meets the bound of look-ups under way comes back no sooner. */
export const lookUpRetryMillisMin = 1_000
/** Nor later than this: 10,000 tokens are looked up by then. */
export const lookUpRetryMillisMax = 5_000
/** A daemon that meets the bound of unauthenticated sockets comes back no sooner. */
export const unauthenticatedRetryMillisMin = 500
/** Nor later than this: the sockets before it have authenticated by then, or are closed. */
export const unauthenticatedRetryMillisMax = authMillisMax

assert(lastHoldMillis < movingMillisMax, "who waits from there on must outlast the deadline")
assert(connectEarlyMillisMax < connectRetryMillisMin, "who is deferred must not be taken in at once")
assert(slotHoldMillis + slotEndMillis < movingMillisMax, "who waits for a slot must see its end")
