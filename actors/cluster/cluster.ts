/**
 * The port to the whole hub: daemons on other nodes, their commands and orders. live-cluster.ts implements it, for one
 * node and for several. Holds no state.
 */
import { Context, type Effect } from "effect"
import type { Command, CommandAnswer, CommandFailure, Moving } from "../../src/domain/command/command.ts"
import type { AgentWatch } from "../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { LogAsked, LogListener, LogSubscription } from "../../src/domain/log/log-listener.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"

/** The hub beyond this node. */
export class Cluster extends Context.Service<
  Cluster,
  {
    /** There are no other nodes: this one is the whole hub. */
    readonly isSingleNode: boolean
    /**
     * A daemon that is online, but not in the roster of this node: as its node has it, or as it is stored when that
     * node does not answer. Undefined: it is offline, or not of this account.
     */
    readonly find: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<Snapshot | undefined, Overloaded | StoreFailed>
    /** The daemons of an account that are online on other nodes, likewise. */
    readonly of: (accountId: string) => Effect.Effect<ReadonlyArray<Snapshot>, Overloaded | StoreFailed>
    /** A command to a daemon that is not in the roster of this node. Moving: nothing was sent, try again. */
    readonly command: (command: Command, millis: number) => Effect.Effect<CommandAnswer | Moving, CommandFailure>
    /**
     * A daemon that is not in the roster of this node, once its agent is another than it was seen or the time is over.
     * Undefined: no node that answers has it.
     */
    readonly watch: (watch: AgentWatch, millis: number) => Effect.Effect<Snapshot | undefined, Overloaded | StoreFailed>
    /** Sends a daemon on another node away. Says whether it had a live connection. Overloaded: no node was asked. */
    readonly order: (
      accountId: string,
      daemonId: string,
      reason: "disconnected" | "revoked"
    ) => Effect.Effect<boolean, Overloaded | StoreFailed>
    /**
     * Listens to a log of a daemon that is not in the roster of this node. Undefined: it is nowhere now, or cannot be
     * asked.
     */
    readonly subscribeLog: (asked: LogAsked, listener: LogListener) => Effect.Effect<LogSubscription | undefined>
    /** Whether the others cannot be asked now, though there may be some. */
    readonly isPartitioned: () => boolean
    /** Whether no other node is there that could take over this one's daemons. */
    readonly isLastNode: Effect.Effect<boolean>
    /** This node drains: the others look up anew where a daemon is that they knew to be here. */
    readonly announceDrain: () => void
  }
>()("hub/Cluster") {}
