/**
 * The way of one node to the store: how long each statement takes, and how it may fail. Owns the faults of a statement:
 * slow, refused before it ran, answer lost after it was committed, disk full. A statement that is under way when its
 * node is killed still runs.
 */
import { Effect } from "effect"
import { StoreFailed } from "../../../src/errors.ts"
import type { Random } from "../seeded-random.ts"
import type { VirtualProcess, VirtualTime } from "../virtual-time.ts"
import type { Tables } from "./tables.ts"

/** What may befall the statements of a node; probabilities are from 0 to 1. */
export interface StoreFaults {
  /** Nothing reaches the store. */
  cut: boolean
  /** How likely a statement is refused before it ran. */
  refused: number
  /** How likely the answer of a committed statement is lost. */
  lost: number
  /** How likely a statement takes up to so long. */
  slow: number
  slowMillis: number
  /** Only statements of this name meet them, where one is named. */
  only: string | undefined
  /** All of it is over after the first that does. */
  once: boolean
}

/** What befalls the store itself. */
export interface StoreState {
  diskFull: boolean
}

/** A store that works. */
export const noStoreFaults = (): StoreFaults => ({
  cut: false,
  refused: 0,
  lost: 0,
  slow: 0,
  slowMillis: 0,
  only: undefined,
  once: false
})

const quickMillis = 2
const lostMillis = 50

/** The way of one node. */
export class StoreLine {
  readonly faults = noStoreFaults()
  readonly process: VirtualProcess
  readonly tables: Tables
  private readonly time: VirtualTime
  private readonly random: Random
  private readonly state: StoreState
  private readonly trace: (text: string) => void

  constructor(
    process: VirtualProcess,
    tables: Tables,
    world: {
      readonly time: VirtualTime
      readonly random: Random
      readonly store: StoreState
      readonly trace: (text: string) => void
    }
  ) {
    this.process = process
    this.tables = tables
    this.time = world.time
    this.random = world.random.fork()
    this.state = world.store
    this.trace = world.trace
  }

  /** A statement that only reads. */
  read<A>(operation: string, run: (tables: Tables) => A): Effect.Effect<A, StoreFailed> {
    return this.ask(operation, false, run)
  }

  /** A statement that writes. */
  write<A>(operation: string, run: (tables: Tables) => A): Effect.Effect<A, StoreFailed> {
    return this.ask(operation, true, run)
  }

  private ask<A>(operation: string, writes: boolean, run: (tables: Tables) => A): Effect.Effect<A, StoreFailed> {
    return Effect.callback((resume) => {
      const { faults, random, time, process } = this
      const fail = (millis: number, words: string): void => {
        time.after(millis, () => resume(Effect.fail(new StoreFailed({ operation, cause: new Error(words) }))), process)
      }
      if (faults.cut) return fail(lostMillis, "the store is not reached")
      const isMeant = faults.only === undefined || faults.only === operation
      const isSlow = isMeant && random.chance(faults.slow)
      const [there, back] = isSlow
        ? [random.between(0, faults.slowMillis), random.between(0, faults.slowMillis)]
        : [random.between(0, quickMillis), random.between(0, quickMillis)]
      const isRefused = isMeant && random.chance(faults.refused)
      const isLost = isMeant && random.chance(faults.lost)
      if (faults.once && (isSlow || isRefused || isLost)) Object.assign(faults, noStoreFaults())
      if (isRefused) return fail(there + back, "refused")
      time.after(there, () => {
        if (writes && this.state.diskFull) return fail(back, "no space left on device")
        const answer = run(this.tables)
        if (writes) this.trace(`${process.name} ${operation}`)
        if (isLost || faults.cut) return fail(lostMillis, "the answer was lost")
        time.after(back, () => resume(Effect.succeed(answer)), process)
      })
    })
  }
}
