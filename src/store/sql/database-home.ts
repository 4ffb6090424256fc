/**
 * Where a hub's database lives, beside its client: whether statements failed by its state, and the thread and folder of
 * an embedded one. Owns that suspicion; checks nothing by itself (readiness.ts does).
 */
import { Context } from "effect"
import type { EmbeddedThread } from "../embedded/thread.ts"
import { isOfState } from "./sql-errors.ts"

/** Whether a statement failed by the state of the store since the store last proved that it takes writes. */
export class Suspicion {
  #held = false

  /** Records why a statement failed. */
  readonly note = (cause: unknown): void => {
    if (isOfState(cause)) this.#held = true
  }
  /** Whether a suspicion stands. */
  get held(): boolean {
    return this.#held
  }
  /** The store took a write that needs room. */
  clear(): void {
    this.#held = false
  }
}

export interface EmbeddedHome {
  /** Undefined: in memory. */
  readonly dataDir: string | undefined
  readonly thread: EmbeddedThread
}

/** Where the database lives. */
export class DatabaseHome extends Context.Service<
  DatabaseHome,
  {
    readonly suspicion: Suspicion
    /** Undefined: a Postgres of its own. */
    readonly embedded: EmbeddedHome | undefined
  }
>()("hub/DatabaseHome") {}
