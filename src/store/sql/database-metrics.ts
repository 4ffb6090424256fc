/**
 * What is measured of the database: how long statements take and wait, and the connections of a pool. Owns how it is
 * measured; asks the database nothing.
 */
import type { Clock } from "effect"
import type pg from "pg"
import { connectionWaits, observe, statementDurations } from "../../runtime/histograms.ts"
import { watch } from "../../runtime/metrics.ts"

const nanosPerSecond = 1e9

/** Measures statements by this clock. */
export class StatementTimes {
  private readonly clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  now(): bigint {
    return this.clock.monotonicTimeNanosUnsafe()
  }

  private since(begun: bigint): number {
    return Number(this.now() - begun) / nanosPerSecond
  }

  waited(begun: bigint): void {
    observe(connectionWaits, this.since(begun))
  }

  ended(begun: bigint, outcome: keyof typeof statementDurations): void {
    observe(statementDurations[outcome], this.since(begun))
  }
}

/** Shows the connections of a pool until the returned function is called. */
export const watchPool = (pool: pg.Pool): (() => void) => {
  const unwatch = [
    watch("hub_database_connections", () => pool.totalCount - pool.idleCount, "busy"),
    watch("hub_database_connections", () => pool.idleCount, "idle"),
    watch("hub_database_waiters", () => pool.waitingCount)
  ]
  return () => {
    for (const one of unwatch) one()
  }
}
