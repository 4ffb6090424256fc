/**
 * The number of new connections per second that a node takes, of all daemons and of one. Owns the token buckets, the
 * reservations of the daemons it refused, and the schedule of retries of sockets that are nobody's yet: each refused
 * one gets a time of its own, later the more there are, so that a crowd comes back spread. Pure; is told the time.
 */
import { type Buckets, makeBuckets } from "../../src/domain/limits/buckets.ts"
import {
  connectBurstShare,
  connectEarlyMillisMax,
  connectReservationMillis,
  connectReservationsMax,
  connectRetryMillisMax,
  connectRetryMillisMin,
  connectsOfDaemonBurstMin,
  connectsOfDaemonBurstShare,
  connectsOfDaemonPerSecondMin,
  connectsOfDaemonShare
} from "../../src/limits/drain.ts"

/** When refused connections come back: so many per second, none before `minMillis` nor after `maxMillis`. */
export class RetrySchedule {
  readonly #stepMillis: number
  readonly #minMillis: number
  readonly #maxMillis: number
  /** When the last of them comes back. */
  #lastAt = 0

  constructor(perSecond: number, minMillis: number, maxMillis: number) {
    this.#stepMillis = 1_000 / perSecond
    this.#minMillis = minMillis
    this.#maxMillis = maxMillis
  }

  /** Refuses one more at this time. Returns after how many milliseconds to come back. */
  next(now: number): number {
    const at = Math.max(this.#lastAt, now + this.#minMillis) + this.#stepMillis
    this.#lastAt = Math.min(now + this.#maxMillis, at)
    return Math.ceil(this.#lastAt - now)
  }
}

/**
 * The connect throttle of one node. What a refused daemon is told is a reservation: from that moment on it is taken,
 * for as long as the reservation is kept, whoever else has come. It takes its token though the bucket has none, and who
 * has no reservation is taken only once the bucket has one again: so the mean rate stays. The token of a daemon that
 * does not come, because another node took it, is free for others at once.
 */
export class ConnectThrottle {
  readonly #stepMillis: number
  readonly #burst: number
  /** Below zero: so many were taken by their reservation that the bucket has yet to get. */
  #tokens: number
  #at: number
  /** The last moment of the line that was given away. */
  #lastAt = Number.NEGATIVE_INFINITY
  /** The moment of each daemon that was told one; the order of insertion is the order of the moments. */
  readonly #reserved = new Map<string, number>()

  constructor(perSecond: number, now: number) {
    this.#stepMillis = 1_000 / perSecond
    this.#burst = Math.max(1, perSecond * connectBurstShare)
    this.#tokens = this.#burst
    this.#at = now
  }

  /** Reservations that are kept. */
  get reservations(): number {
    return this.#reserved.size
  }

  /** Takes this daemon at this time: undefined. For one too many, after how many milliseconds to come back. */
  take(daemonId: string, now: number): number | undefined {
    this.#turnTo(now)
    const moment = this.#reserved.get(daemonId)
    if (this.#tokens >= 1 || (moment !== undefined && moment <= now + connectEarlyMillisMax)) {
      this.#reserved.delete(daemonId)
      this.#tokens--
      return undefined
    }
    return moment === undefined ? this.#reserve(daemonId, now) : Math.ceil(moment - now)
  }

  /** Gives the next moment of the line to this daemon. Beyond its end there is none: it comes back as a new one. */
  #reserve(daemonId: string, now: number): number {
    const owed = (1 - this.#tokens) * this.#stepMillis
    const at = Math.max(this.#lastAt + this.#stepMillis, now + Math.max(connectRetryMillisMin, owed))
    if (at > now + connectRetryMillisMax) return connectRetryMillisMax
    this.#lastAt = at
    if (this.#reserved.size < connectReservationsMax) this.#reserved.set(daemonId, at)
    return Math.ceil(at - now)
  }

  /** What the bucket has got since, and the reservations that are kept no longer. */
  #turnTo(now: number): void {
    const passed = Math.max(0, now - this.#at)
    this.#tokens = Math.min(this.#burst, this.#tokens + passed / this.#stepMillis)
    this.#at = now
    for (const [daemonId, moment] of this.#reserved) {
      if (moment + connectReservationMillis >= now) break
      this.#reserved.delete(daemonId)
    }
  }
}

/**
 * The connect throttle of one node, and each daemon's own before it: few connections at once, and then one now and
 * then. One that leaves as soon as it is in would else take as many as all others together.
 */
export class DaemonThrottle {
  readonly #all: ConnectThrottle
  readonly #own: Buckets
  readonly #againMillis: number

  constructor(perSecond: number, now: () => number) {
    const own = Math.max(connectsOfDaemonPerSecondMin, perSecond * connectsOfDaemonShare)
    const burst = Math.max(connectsOfDaemonBurstMin, perSecond * connectsOfDaemonBurstShare)
    this.#all = new ConnectThrottle(perSecond, now())
    this.#own = makeBuckets(own, burst, now)
    this.#againMillis = Math.ceil(1_000 / own)
  }

  /** As that of the node. */
  take(daemonId: string, now: number): number | undefined {
    const own = this.#own(daemonId)
    if (!own.has(1, now)) return this.#againMillis
    const afterMillis = this.#all.take(daemonId, now)
    if (afterMillis === undefined) own.take(1, now)
    return afterMillis
  }
}
