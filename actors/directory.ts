/**
 * Which daemon is where: on this node, in grace, or offline. Owns the routing of commands and the one record (the
 * picture) that list, status and targets are answered from; never writes to a socket (daemon.ts does) and never asks a
 * daemon for what the hub already knows.
 */
import { Context, type Effect } from "effect"
import type { Picture } from "../src/domain/picture.ts"
import type {
  CommandTimeout,
  DaemonOffline,
  DaemonSocketLost,
  NotFound,
  Overloaded,
  PayloadTooLarge,
  StoreFailed
} from "../src/errors.ts"
import type { CommandType } from "../src/protocol/frames.ts"

/** One command to one daemon. Never sent twice. */
export interface Command {
  readonly accountId: string
  readonly daemonId: string
  readonly type: CommandType
  readonly payload: unknown
  readonly targetSessionId?: string
  /** How long to wait from now; the setting's command timeout (60 s) when absent, and never longer. */
  readonly deadlineMs?: number
}

/** What a daemon answered. `success: false` is a refusal of the daemon, not a fault of the hub. */
export interface CommandAnswer {
  readonly commandId: string
  readonly success: boolean
  readonly result?: unknown
  readonly error?: string
  readonly code?: string
  /** From acceptance to the answer. */
  readonly durationMs: number
}

/** How a command can fail. */
export type CommandFailure =
  | NotFound
  | DaemonOffline
  | DaemonSocketLost
  | Overloaded
  | CommandTimeout
  | PayloadTooLarge
  | StoreFailed

/** The directory. An id that is unknown, malformed or another account's is NotFound, never telling which. */
export class Directory extends Context.Service<
  Directory,
  {
    /** Sends a command and waits for its answer. Interrupting the effect ends the wait, not the command. */
    readonly command: (command: Command) => Effect.Effect<CommandAnswer, CommandFailure>
    /** The picture of one daemon: from memory while online, else as last stored. */
    readonly picture: (accountId: string, daemonId: string) => Effect.Effect<Picture, NotFound | StoreFailed>
    /** The daemons of an account that are online, those in grace included. By hostname, then id. */
    readonly connected: (accountId: string) => ReadonlyArray<Picture>
    /** The same and those that are offline, revoked ones apart. By hostname, then id. */
    readonly known: (accountId: string) => Effect.Effect<ReadonlyArray<Picture>, StoreFailed>
    /** Closes the connection with 4404; the daemon may come back. */
    readonly disconnect: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<{ readonly wasConnected: boolean }, NotFound | StoreFailed>
    /** Revokes the token for ever and closes the connection with 4403. Again: the same answer. */
    readonly revoke: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<{ readonly wasConnected: boolean }, NotFound | StoreFailed>
    /** Connections on this node, for metrics. */
    readonly size: () => number
  }
>()("hub/Directory") {}
