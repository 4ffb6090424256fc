/**
 * From what a machine does to events. Owns the port that the daemon actor and presence call; live-daemon-events.ts is the live
 * one. Every call returns at once: what follows (throttle, commit, acknowledgement) happens behind it.
 */
import { Context } from "effect"
import type { ToldStatus } from "../../src/domain/daemon/agent-status.ts"
import type { Picture } from "../../src/domain/daemon/snapshot.ts"
import type { StatusEvent } from "../../src/protocol/frames.ts"

/** Why a machine is offline, as `daemon:disconnect` says it. */
export type DisconnectReason = "closed" | "timeout" | "replaced" | "disconnected" | "revoked"

/** What machines do. */
export class MachineEvents extends Context.Service<
  MachineEvents,
  {
    /** A `status_event` frame. `ack` is called with its id once committed (or not wanted, or already had); never without an id. */
    readonly reported: (picture: Picture, event: StatusEvent, ack: (id: string) => void) => void
    /** A report changed the picture. `told`: what the store says was told of its agents, at the first report of a connection. */
    readonly pictureChanged: (picture: Picture, told?: ToldStatus) => void
    /** A machine came online: once per time online, not after a grace that ended well. */
    readonly connected: (picture: Picture) => void
    /** A machine went offline: after the grace, or at once. */
    readonly disconnected: (picture: Picture, reason: DisconnectReason, connectedMs: number) => void
    /** Nothing more is said of the machine here: another node follows it from now on, or its account is disabled. */
    readonly moved: (daemonId: string) => void
  }
>()("hub/MachineEvents") {}
