/**
 * Locates daemons: on this node, on another node, or offline. Owns the routing of commands and orders, and the reads of
 * snapshots for list, status and targets. Never writes to a socket (daemon/perform.ts does) and never asks a daemon for
 * known state.
 */

import { Context, Effect, Layer } from "effect"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { type Moving, moving } from "../../src/domain/command/command.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { isId } from "../../src/domain/ids.ts"
import { DaemonOnline, NotFound, type Overloaded, type StoreFailed } from "../../src/errors.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"
import { traceCommand } from "../../src/tracing/command-spans.ts"
import { type Tracer, Tracing } from "../../src/tracing/tracer.ts"
import { Cluster } from "../cluster/cluster.ts"
import { type LocalDaemons, makeLocalDaemons } from "../cluster/local-daemons.ts"
import { byName } from "../presence/account-index.ts"
import { type ListAsked, type ListPage, makeListing } from "../presence/daemon-list.ts"
import { offlineOf } from "../presence/known-snapshot.ts"
import { Roster } from "../presence/roster.ts"
import { SnapshotWriter } from "../presence/snapshot-writer.ts"
import { type AgentWatches, makeAgentWatches } from "./agent-watches.ts"
import { whileMoving } from "./retry-while-moving.ts"

/** The directory. An unknown id, a malformed id and an id of another account all give the same NotFound. */
export class Directory extends Context.Service<
  Directory,
  {
    /** Sends a command and waits for its answer. An interrupt ends the wait, not the command. */
    readonly command: (command: Command) => Effect.Effect<CommandAnswer, CommandFailure>
    /** The snapshot of a daemon: from memory while online, otherwise from the store. */
    readonly snapshot: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<Snapshot, NotFound | Overloaded | StoreFailed>
    /** The daemon once its agent is another than it was seen, or as it is when the time is over. */
    readonly watch: AgentWatches["watch"]
    /** Ends every wait of `watch` on this node, which drains. */
    readonly endWatches: AgentWatches["end"]
    /**
     * The daemons of an account that are online on any node, by hostname, then id. Without daemons on other nodes it is
     * the same array until one of them changes.
     */
    readonly online: (accountId: string) => Effect.Effect<ReadonlyArray<Snapshot>, Overloaded | StoreFailed>
    /** A page of the daemons of an account, without revoked ones. */
    readonly list: (asked: ListAsked) => Effect.Effect<ListPage, Overloaded | StoreFailed>
    /** Closes the connection with 4404. The daemon may reconnect. */
    readonly disconnect: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<{ readonly wasConnected: boolean }, NotFound | Overloaded | StoreFailed>
    /**
     * Revokes the daemon permanently and closes its connection with 4403. Idempotent. Overloaded: the daemon is
     * revoked, but its connection state is unknown.
     */
    readonly revoke: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<{ readonly wasConnected: boolean }, NotFound | Overloaded | StoreFailed>
    /**
     * Deletes an offline daemon and its tokens. Its id is unknown afterwards, and a concurrent connection is closed.
     */
    readonly remove: (
      accountId: string,
      daemonId: string
    ) => Effect.Effect<void, NotFound | DaemonOnline | Overloaded | StoreFailed>
    /** Number of online daemons on this node, for metrics. */
    readonly size: () => number
  }
>()("hub/Directory") {
  static readonly layer = Layer.effect(Directory)(Effect.suspend(() => make))
}

/** Snapshots by id. Those of this node win. */
const merged = (elsewhere: ReadonlyArray<Snapshot>, here: ReadonlyArray<Snapshot>): ReadonlyMap<string, Snapshot> =>
  new Map([...elsewhere, ...here].map((one) => [one.daemonId, one]))

interface DirectoryContext {
  readonly roster: Roster["Service"]
  readonly snapshots: SnapshotWriter["Service"]
  readonly daemons: Daemons["Service"]
  readonly timers: Timers["Service"]
  readonly cluster: Cluster["Service"]
  readonly bus: Bus["Service"]
  readonly local: LocalDaemons
  readonly commandTimeoutMillis: number
  readonly tracing: Tracer | undefined
}

interface DaemonAsked {
  readonly accountId: string
  readonly daemonId: string
}

const storedSnapshot = (
  context: DirectoryContext,
  { accountId, daemonId }: DaemonAsked
): Effect.Effect<Snapshot, NotFound | StoreFailed> =>
  isId("daemon", daemonId)
    ? Effect.flatMap(context.daemons.snapshot(accountId, daemonId), (found) =>
        found === undefined ? Effect.fail(new NotFound()) : Effect.succeed(offlineOf(context.snapshots, found))
      )
    : Effect.fail(new NotFound())

const localSnapshot = ({ local }: DirectoryContext, { accountId, daemonId }: DaemonAsked): Snapshot | undefined =>
  local.snapshot(accountId, daemonId)

const snapshotOf = (
  context: DirectoryContext,
  asked: DaemonAsked
): Effect.Effect<Snapshot, NotFound | Overloaded | StoreFailed> =>
  Effect.suspend(() => {
    const here = localSnapshot(context, asked)
    if (here !== undefined) return Effect.succeed(here)
    // it may have come while it was looked for
    const newest = (found: Snapshot): Snapshot => localSnapshot(context, asked) ?? found
    return Effect.flatMap(context.cluster.find(asked.accountId, asked.daemonId), (found) =>
      found === undefined ? Effect.map(storedSnapshot(context, asked), newest) : Effect.succeed(found)
    )
  })

/** That the account has such a daemon, for which no other node is asked. */
const checkKnown = (context: DirectoryContext, asked: DaemonAsked): Effect.Effect<unknown, NotFound | StoreFailed> =>
  Effect.suspend(() => (localSnapshot(context, asked) === undefined ? storedSnapshot(context, asked) : Effect.void))

const makeCommand = (context: DirectoryContext): Directory["Service"]["command"] => {
  const { cluster, local, timers, commandTimeoutMillis, tracing } = context
  const waiting = whileMoving(timers.monotonic)
  const anywhere = (asked: Command): Effect.Effect<CommandAnswer | Moving, CommandFailure> => {
    const here = local.command(asked)
    // a daemon that moves may be on no other node yet
    if (here === moving) return Effect.succeed(moving)
    const { deadlineMs = commandTimeoutMillis } = asked
    return here ?? cluster.command(asked, Math.min(deadlineMs, commandTimeoutMillis))
  }
  const command = (asked: Command): Effect.Effect<CommandAnswer, CommandFailure> =>
    Effect.suspend(() => {
      const here = local.command(asked)
      return here === undefined || here === moving ? waiting(Effect.suspend(() => anywhere(asked))) : here
    })
  return tracing === undefined ? command : traceCommand(command)
}

/** Executes an order on this node or on the daemon's node. Returns whether the daemon was connected. */
const order = (
  { roster, cluster }: DirectoryContext,
  { accountId, daemonId }: DaemonAsked,
  reason: "disconnected" | "revoked"
) =>
  Effect.map(
    Effect.suspend(() =>
      roster.ordered(daemonId, reason) ? Effect.succeed(true) : cluster.order(accountId, daemonId, reason)
    ),
    (wasConnected) => ({ wasConnected })
  )

/** Invalidates the cached tokens of a daemon on all nodes. */
const forgetTokens = ({ bus }: DirectoryContext, daemonId: string) =>
  Effect.sync(() => bus.publish("token_revoked", { daemonId }))

/** Sends an order to all nodes, in case one holds the daemon without a record. */
const orderAll = ({ bus }: DirectoryContext, daemonId: string, order: "disconnect" | "revoke") =>
  Effect.sync(() => bus.publish("daemon_ordered", { daemonId, order }))

/** The orders of an account to its daemons. */
const makeOrders = (context: DirectoryContext): Pick<Directory["Service"], "disconnect" | "revoke" | "remove"> => ({
  disconnect: (accountId, daemonId) =>
    Effect.andThen(
      checkKnown(context, { accountId, daemonId }),
      Effect.tap(order(context, { accountId, daemonId }, "disconnected"), () =>
        orderAll(context, daemonId, "disconnect")
      )
    ),
  revoke: (accountId, daemonId) =>
    context.daemons.revoke(accountId, daemonId).pipe(
      Effect.flatMap((is) => (is ? Effect.void : Effect.fail(new NotFound()))),
      // invalidate the token first, because the order may take long
      Effect.andThen(forgetTokens(context, daemonId)),
      // uninterruptible after the commit: otherwise a revoked daemon could stay connected
      Effect.andThen(
        Effect.ensuring(order(context, { accountId, daemonId }, "revoked"), orderAll(context, daemonId, "revoke"))
      ),
      Effect.uninterruptible
    ),
  remove: (accountId, daemonId) =>
    Effect.gen(function* () {
      if ((yield* snapshotOf(context, { accountId, daemonId })).online) return yield* new DaemonOnline()
      const removed = Effect.tap(context.daemons.remove(accountId, daemonId), (is) =>
        is ? Effect.andThen(forgetTokens(context, daemonId), orderAll(context, daemonId, "revoke")) : Effect.void
      )
      if (!(yield* Effect.uninterruptible(removed))) return yield* new NotFound()
    })
})

/** Carries out on this node the orders that others, or the administration, give to all nodes. */
const followOrders = Effect.fnUntraced(function* ({ bus, roster }: DirectoryContext) {
  const orderEach = (accountId: string, reason: "revoked" | "disabled"): void => {
    for (const { daemonId } of roster.of(accountId)) roster.ordered(daemonId, reason)
  }
  yield* bus.subscribe("account_removed", ({ accountId }) => orderEach(accountId, "revoked"))
  yield* bus.subscribe("account_disabled", ({ accountId }) => orderEach(accountId, "disabled"))
  yield* bus.subscribe("token_revoked", ({ daemonId, olderThan }) => {
    if (olderThan !== undefined) roster.find(daemonId)?.daemon?.tell({ type: "superseded", tokenAt: olderThan })
  })
  yield* bus.subscribe("daemon_tagged", ({ daemonId, ownerTags }) => roster.tagged(daemonId, ownerTags))
  yield* bus.subscribe("daemon_ordered", (ordered) => {
    roster.ordered(ordered.daemonId, ordered.order === "revoke" ? "revoked" : "disconnected")
  })
})

const make = Effect.gen(function* () {
  const context: DirectoryContext = {
    roster: yield* Roster,
    snapshots: yield* SnapshotWriter,
    daemons: yield* Daemons,
    timers: yield* Timers,
    cluster: yield* Cluster,
    bus: yield* Bus,
    local: yield* makeLocalDaemons,
    commandTimeoutMillis: (yield* Config).commandTimeoutMillis,
    tracing: yield* Tracing
  }
  const { roster, daemons, timers, cluster } = context
  const snapshot: Directory["Service"]["snapshot"] = (accountId, daemonId) =>
    snapshotOf(context, { accountId, daemonId })
  const watches = makeAgentWatches({ local: context.local, cluster, snapshot, now: timers.monotonic })
  yield* followOrders(context)
  return Directory.of({
    command: makeCommand(context),
    snapshot,
    watch: watches.watch,
    endWatches: watches.end,
    online: (accountId) =>
      Effect.mapEager(cluster.of(accountId), (elsewhere) => {
        const here = roster.of(accountId)
        return elsewhere.length === 0 ? here : [...merged(elsewhere, here).values()].sort(byName)
      }),
    list: makeListing({
      online: (accountId) => Effect.map(cluster.of(accountId), (elsewhere) => merged(elsewhere, roster.of(accountId))),
      offline: (stored) => offlineOf(context.snapshots, stored),
      daemons,
      isSingleNode: cluster.isSingleNode,
      now: timers.now
    }),
    ...makeOrders(context),
    size: roster.size
  })
})
