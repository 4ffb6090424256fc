/**
 * From what a daemon does to events. Owns the port that the daemon actor and presence call; live-daemon-events.ts
 * implements it. A report returns at once: throttle, commit and acknowledgement happen behind it. The events of a
 * connect and a disconnect are prepared here and committed by presence-writer.ts.
 */
import { Context, type Effect } from "effect"
import type { CommandState } from "../../src/domain/command/stored-command.ts"
import type { ToldStatus } from "../../src/domain/daemon/agent-status.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { EventSession } from "../../src/domain/event/session-of-event.ts"
import type { StoreFailed } from "../../src/errors.ts"
import type { SessionReport, StatusEvent } from "../../src/protocol/frames.ts"
import type { Standing } from "../../src/store/daemons/commands.ts"
import type { PreparedEvent } from "./dispatcher.ts"

/** Why a daemon is offline, as `daemon:disconnect` says it. */
export type DisconnectReason = "closed" | "timeout" | "replaced" | "disconnected" | "revoked"

/** The end of a time online. `reason` undefined: its account is disabled, and the end is not announced. */
export interface Ended {
  readonly reason: DisconnectReason | undefined
  readonly connectedMs: number
  readonly at: number
}

/** What was known of a daemon's agents before a connection: what the store says was told, and the last report. */
export interface Former extends ToldStatus {
  readonly sessions?: ReadonlyArray<SessionReport>
}

/** The end of a stored command. */
export interface CommandEnded {
  readonly command: Standing
  readonly state: CommandState
  readonly at: number
}

export class DaemonEvents extends Context.Service<
  DaemonEvents,
  {
    /**
     * A `status_event` frame. `ack` is called with its id once committed (or not wanted, or already had); never without
     * an id. `session`: which it is about, as far as that is known.
     */
    readonly reported: (
      snapshot: Snapshot,
      event: StatusEvent,
      ack: (id: string) => void,
      session?: EventSession
    ) => void
    /** A report changed the snapshot. `former`: at the first report of a connection. */
    readonly snapshotChanged: (snapshot: Snapshot, former?: Former) => void
    /** Prepares `daemon:connect`, which is committed with the row that says that the daemon is online. */
    readonly connecting: (snapshot: Snapshot, at: number) => Effect.Effect<PreparedEvent, StoreFailed>
    /** Prepares `daemon:disconnect`, likewise. Without a reason (a disabled account) it is not announced. */
    readonly disconnecting: (snapshot: Snapshot, ended: Ended) => Effect.Effect<PreparedEvent, StoreFailed>
    /** Prepares `command:completed`, which is committed with the end of the command. */
    readonly commandEnded: (ended: CommandEnded) => Effect.Effect<PreparedEvent, StoreFailed>
    /** Nothing more is said of the daemon here: another node follows it from now on, or its account is disabled. */
    readonly moved: (daemonId: string) => void
  }
>()("hub/DaemonEvents") {}
