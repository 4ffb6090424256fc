/**
 * From what a daemon does to events. Owns the port that the daemon actor and presence call; live-daemon-events.ts is
 * the live one. Every call returns at once: what follows (throttle, commit, acknowledgement) happens behind it.
 */
import { Context } from "effect"
import type { ToldStatus } from "../../src/domain/daemon/agent-status.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { StatusEvent } from "../../src/protocol/frames.ts"

/** Why a daemon is offline, as `daemon:disconnect` says it. */
export type DisconnectReason = "closed" | "timeout" | "replaced" | "disconnected" | "revoked"

/** What daemons do. */
export class DaemonEvents extends Context.Service<
  DaemonEvents,
  {
    /**
     * A `status_event` frame. `ack` is called with its id once committed (or not wanted, or already had); never without
     * an id.
     */
    readonly reported: (snapshot: Snapshot, event: StatusEvent, ack: (id: string) => void) => void
    /**
     * A report changed the snapshot. `told`: what the store says was told of its agents, at the first report of a
     * connection.
     */
    readonly snapshotChanged: (snapshot: Snapshot, told?: ToldStatus) => void
    /** A daemon came online: once per time online, not after a grace that ended well. */
    readonly connected: (snapshot: Snapshot) => void
    /** A daemon went offline: after the grace, or at once. */
    readonly disconnected: (snapshot: Snapshot, reason: DisconnectReason, connectedMs: number) => void
    /** Nothing more is said of the daemon here: another node follows it from now on, or its account is disabled. */
    readonly moved: (daemonId: string) => void
  }
>()("hub/DaemonEvents") {}
