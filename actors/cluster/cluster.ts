/**
 * The port to the other nodes: claims of daemons, look-ups, commands and orders. single-node.ts implements it for one
 * node, redis/redis-cluster.ts over Redis; layer.ts chooses. Holds no state.
 */
import { Context, type Effect } from "effect"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import type { Moving } from "../commands/handoff.ts"
import type { Order } from "../presence/presence.ts"

/** What taking a daemon for a new connection found. */
export interface Claim {
  /** `first`: it was not online anywhere. `moved`: it was. `unsettled`: nobody can say yet. */
  readonly word: "first" | "moved" | "unsettled"
  /** Its snapshot while it was elsewhere; one of a higher epoch means that this connection is the older. */
  readonly before: Snapshot | undefined
}

/** What the roster of this node offers to the others. */
export interface LocalRoster {
  /**
   * A newer connection is on another node, or another node holds it by right: not ours any more, and nothing is said.
   */
  readonly moved: (daemonId: string, epoch: number) => void
  /** A daemon whose node is gone is ours from now on, in grace. */
  readonly adopt: (snapshot: Snapshot) => void
  /** Its time online was told to be over while it was connected here: a new one begins. */
  readonly begunAnew: (daemonId: string, epoch: number) => void
  /**
   * A newer connection has a number already: this one ends with 4409; whether the daemon is gone shows in its grace.
   */
  readonly superseded: (daemonId: string, epoch: number) => void
  /** Sends one away by an order that was not heard. */
  readonly ordered: (daemonId: string, reason: Order) => void
  /** The daemons this node holds, those in grace included. */
  readonly rows: () => Iterable<Snapshot>
  /** The epoch this node holds a daemon at. */
  readonly epochOf: (daemonId: string) => number | undefined
  /** Whether its time online was told to begin is in doubt from now on, or is not any more: it was. */
  readonly doubted: (daemonId: string, epoch: number, is: boolean) => void
  /** Has the database know what was told so far. False: it does not. */
  readonly recorded: () => Promise<boolean>
  /** Its snapshot, likewise. */
  readonly snapshotOf: (daemonId: string) => Snapshot | undefined
}

/** What the directory of this node does for the others. */
export interface LocalDirectory {
  /** Undefined: the daemon is not here. Moving: it leaves, or has left, because this node drains. */
  readonly command: (command: Command) => Effect.Effect<CommandAnswer, CommandFailure> | Moving | undefined
  readonly order: (daemonId: string, reason: "disconnected" | "revoked") => boolean
}

/** The others. */
export class Cluster extends Context.Service<
  Cluster,
  {
    /** There are none: this node is the whole hub. */
    readonly isSingleNode: boolean
    /** Takes a daemon for a connection that is about to be accepted. */
    readonly claim: (accountId: string, daemonId: string, epoch: number) => Effect.Effect<Claim>
    /** Finds out later what `take` could not: whether this connection began a time online. */
    readonly resolveClaim: (snapshot: Snapshot, told: (first: boolean) => void) => void
    /** A time online ended here. Told whether it did in the whole hub: not when the daemon is elsewhere by now. */
    readonly release: (snapshot: Snapshot, told: (ours: boolean) => void) => void
    /** The newest snapshots of daemons that are here. */
    readonly publishSnapshots: (snapshots: ReadonlyArray<Snapshot>) => void
    /** Of the daemons recorded as online, those that this node takes over as it starts. */
    readonly recovered: Effect.Effect<ReadonlyArray<Snapshot>, StoreFailed>
    readonly attachRoster: (roster: LocalRoster) => void
    readonly attachDirectory: (directory: LocalDirectory) => void
    /** A daemon that is online on another node. */
    readonly find: (accountId: string, daemonId: string) => Effect.Effect<Snapshot | undefined>
    /**
     * Whether it is surely on no other node: it has no record, and whoever is online has one. False while nobody can
     * say.
     */
    readonly isOfflineEverywhere: (accountId: string, daemonId: string) => Effect.Effect<boolean>
    /** The daemons of an account that are online on other nodes. */
    readonly of: (accountId: string) => Effect.Effect<ReadonlyArray<Snapshot>>
    /** A command to a daemon on another node; undefined when it is on none. Moving: nothing was sent, try again. */
    readonly command: (
      command: Command,
      millis: number
    ) => Effect.Effect<CommandAnswer | Moving | undefined, CommandFailure>
    /** Sends a daemon on another node away. Says whether it had a live connection. Overloaded: nobody was asked. */
    readonly order: (
      accountId: string,
      daemonId: string,
      reason: "disconnected" | "revoked"
    ) => Effect.Effect<boolean, Overloaded>
    /** Whether the others cannot be asked now, though there may be some. */
    readonly isPartitioned: () => boolean
    /** Whether no other node is there that could take over this one's daemons. */
    readonly isLastNode: Effect.Effect<boolean>
    /** This node drains: the others look up anew where a daemon is that they knew to be here. */
    readonly announceDrain: () => void
  }
>()("hub/Cluster") {}
