/** Bounds of what is alive: actors, timers, connections, snapshots. Unit last, with what happens at the bound. */

/** The wait before the first restart after a crash, doubled by each further one, and the longest. */
interface Restart {
  readonly firstMillis: number
  readonly lastMillis: number
}

/**
 * Every kind of actor. `residentMax`: actors of it on one node; more: spawn answers undefined, and the caller refuses
 * (503 or a close). `restart` undefined: never, as of a daemon, whose socket nothing can rebuild.
 */
export const actorKinds = {
  daemon: { residentMax: 100_000, restart: undefined as Restart | undefined },
  subscriber: { residentMax: 100_000, restart: { firstMillis: 1_000, lastMillis: 60_000 } },
  job: { residentMax: 64, restart: { firstMillis: 1_000, lastMillis: 60_000 } },
  bucket: { residentMax: 1_000_000, restart: { firstMillis: 50, lastMillis: 1_000 } }
} as const
/** Messages that wait for one daemon actor; more: the connection closes with 4500. */
export const daemonMailboxMax = 256
/** An actor that ran this long is healthy again: its next crash starts the backoff from the beginning. */
export const healthyMillis = 60_000
/** Timers of a node; more: set throws, which is a bug of the caller (each owner has a bound of its own below). */
export const wheelTimersMax = 1_000_000
/** Resolution of the timers: one fires at most this much late, never early. */
export const wheelTickMillis = 50
/** Tokens remembered after a look-up; more: the least recently used is forgotten. */
export const tokensCachedMax = 100_000
/** How long a looked-up token is believed. A revoke drops it at once through the bus. */
export const tokenCacheMillis = 10_000
/** An unknown token is believed unknown this long. */
export const unknownTokenMillis = 2_000
/** A snapshot is stored at most this often per daemon. */
export const snapshotWriteMillis = 1_000
/** Snapshots stored in one statement; more: the next statement takes them. */
export const snapshotsWrittenMax = 500
/** What the reports of those weigh, as soon as there is more than one; more: likewise. */
export const snapshotsWeightMax = 4_194_304
/** Events of one daemon whose acknowledgement is not sent yet; more: the oldest go out at once. */
export const acksWaitingMax = 256
/** How long before its end a set of TURN credentials is replaced on a daemon. */
export const iceRenewMillis = 300_000
/** When no fresh set could be made, another try follows after this. */
export const iceRetryMillis = 60_000
/** The span of the frame budget. */
export const frameBudgetMillis = 10_000
/** Commands without a waiter whose late results are free; more: the oldest one's result is charged. */
export const abandonedCommandsMax = 256
/** When a caller who met a full daemon may come back. */
export const overloadRetrySeconds = 1
/** Changes that a cache holds against older look-ups; past them, what is older than the oldest is looked up again. */
export const changesKeptMax = 10_000
