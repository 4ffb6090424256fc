/** What the roster works with: its rows, and whom it tells. Owns the shapes. */
import { Effect, type Scope } from "effect"
import type { Bus } from "../../src/bus/bus.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import type { Daemon } from "../daemon/state.ts"
import type { DaemonEvents } from "../events/daemon-events.ts"
import type { AccountIndex } from "./account-index.ts"
import type { Presence } from "./presence.ts"
import type { PresenceWriter } from "./presence-writer.ts"
import type { SnapshotWriter } from "./snapshot-writer.ts"

export interface Row {
  snapshot: Snapshot
  presence: Presence
  daemon: Daemon | undefined
  held: boolean
  grace: Timer | undefined
}

/** What the roster works with. */
export interface RosterContext {
  readonly graceMillis: number
  readonly rows: AccountIndex<Row>
  readonly timers: Timers["Service"]
  readonly events: DaemonEvents["Service"]
  readonly snapshots: SnapshotWriter["Service"]
  readonly writer: PresenceWriter["Service"]
  readonly bus: Pick<Bus["Service"], "publish">
}

/** Adds a listener until the scope closes. */
export const addInScope = <A>(all: Set<A>, one: A): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => void all.add(one)),
    () => Effect.sync(() => all.delete(one))
  )
