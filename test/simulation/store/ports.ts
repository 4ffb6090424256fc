/** The stores of one node over tables in memory. Owns which statement each port runs; holds no rows. */
import { Effect, Layer } from "effect"
import { StoreFailed } from "../../../src/errors.ts"
import { Volumes } from "../../../src/store/accounts/volumes.ts"
import { Commands } from "../../../src/store/daemons/commands.ts"
import { Daemons } from "../../../src/store/daemons/daemons.ts"
import { FleetTags } from "../../../src/store/daemons/fleet-tags.ts"
import { Nodes } from "../../../src/store/daemons/nodes.ts"
import { PresenceStore } from "../../../src/store/daemons/presence.ts"
import { Deliveries } from "../../../src/store/webhooks/deliveries.ts"
import { DeliveryRetention } from "../../../src/store/webhooks/delivery-retention.ts"
import { Drops } from "../../../src/store/webhooks/dropped-deliveries.ts"
import { Leases } from "../../../src/store/webhooks/leases.ts"
import { Webhooks } from "../../../src/store/webhooks/webhooks.ts"
import * as command from "./command-statements.ts"
import * as daemon from "./daemon-statements.ts"
import * as delivery from "./delivery-statements.ts"
import * as presence from "./presence-statements.ts"
import type { StoreLine } from "./store-access.ts"

/** How a statement is run. */
export type Statements = Pick<StoreLine, "read" | "write">

/** Those that the simulation asks. */
export const daemonsOf = (line: Statements) =>
  ({
    tokenOwner: (hash) => line.read("look up a token", (tables) => daemon.tokenOwner(tables, hash)),
    endOlderTokens: (hash) =>
      line.write("end older tokens", (tables) => daemon.endOlderTokens(tables, hash, tables.now())),
    saveSnapshots: (snapshots) => line.write("store snapshots", (tables) => daemon.saveSnapshots(tables, snapshots)),
    snapshot: (accountId, id) => line.read("read a daemon", (tables) => daemon.snapshotIn(tables, accountId, id)),
    byId: (id) => line.read("read a daemon", (tables) => tables.snapshotOf(id)),
    snapshotsById: (accountId, ids) =>
      line.read("read daemons", (tables) => ids.flatMap((id) => daemon.snapshotIn(tables, accountId, id) ?? [])),
    snapshots: (accountId, page) =>
      line.read("list daemons", (tables) => daemon.listSnapshots(tables, accountId, page)),
    revoke: (accountId, id) =>
      line.write("revoke a daemon", (tables) => daemon.revokeDaemon(tables, accountId, id, tables.now()))
  }) satisfies Partial<Daemons["Service"]>

/** Those of presence. */
export const presenceOf = (line: Statements): PresenceStore["Service"] => ({
  claim: (node, requests, maxAttempts) =>
    Effect.flatMap(
      line.write("claim daemons", (tables) => presence.claim(tables, node, requests, maxAttempts)),
      (answer) =>
        answer === undefined
          ? Effect.fail(new StoreFailed({ operation: "claim daemons", cause: new Error("not registered") }))
          : Effect.succeed(answer)
    ),
  release: (node, requests, maxAttempts) =>
    line.write("release daemons", (tables) => presence.release(tables, node, requests, maxAttempts)),
  takeOver: (node, dead, limit, alone) =>
    line.write("take over daemons", (tables) => presence.takeOver(tables, node, dead, limit, alone)),
  heldBy: (node, after, limit) =>
    line.read("read what is held", (tables) => presence.heldBy(tables, node, after, limit)),
  heldSnapshots: (node, ids) => line.read("read daemons", (tables) => presence.heldSnapshots(tables, node, ids)),
  places: (ids) => line.read("look up places", (tables) => presence.places(tables, ids)),
  onlineOf: (accountIds) => line.read("look up who is online", (tables) => presence.onlineOf(tables, accountIds)),
  standings: (ids) => line.read("read how daemons stand", (tables) => presence.standings(tables, ids))
})

/** Those of nodes. */
export const nodesOf = (line: Statements): Nodes["Service"] => ({
  beat: (node, onBus) => line.write("beat as a node", (tables) => presence.beat(tables, node, onBus)),
  leave: (node) => line.write("leave as a node", (tables) => presence.leave(tables, node)),
  others: (node) => line.read("look which nodes are alive", (tables) => presence.others(tables, node))
})

const deliveries = (line: Statements): Deliveries["Service"] => ({
  insert: (batch, maxAttempts, told) =>
    line.write("commit deliveries", (tables) => delivery.insert(tables, batch, maxAttempts, told)),
  unhurried: () => Effect.void,
  soonest: (webhookId, limit, except) =>
    line.read("read due deliveries", (tables) => delivery.soonest(tables, webhookId, limit, except)),
  settle: (outcomes, health) => line.write("record outcomes", (tables) => delivery.settle(tables, outcomes, health))
})

const leases = (line: Statements): Partial<Leases["Service"]> => ({
  take: (node, ids) => line.write("take leases", (tables) => delivery.take(tables, node, ids)),
  renew: (node) => line.write("renew leases", (tables) => delivery.renew(tables, node)),
  release: (node, some) => line.write("release leases", (tables) => delivery.releaseLeases(tables, node, some)),
  unheld: (now, limit) => line.read("look for due deliveries", (tables) => delivery.unheld(tables, now, limit)),
  profile: (id) => line.read("read a held webhook", (tables) => delivery.profile(tables, id))
})

/** Those of commands. */
export const commandsOf = (line: Statements): Commands["Service"] => ({
  insert: (rows) => line.write("store commands", (tables) => command.insertCommands(tables, rows)),
  withdraw: (id) => line.write("withdraw a command", (tables) => command.withdraw(tables, id)),
  standings: (ids) => line.read("read how commands stand", (tables) => command.commandStandings(tables, ids)),
  end: (ends, maxAttempts) => line.write("end commands", (tables) => command.endCommands(tables, ends, maxAttempts)),
  pendingOf: (ids) => line.read("read pending commands", (tables) => command.pendingOfDaemons(tables, ids)),
  due: (before, limit) => line.read("read due commands", (tables) => command.dueCommands(tables, before, limit)),
  cancelled: (node, after, limit) =>
    line.read("read cancelled commands", (tables) => command.cancelledCommands(tables, node, after, limit)),
  askCancel: (accountId, id, now) =>
    line.write("cancel a command", (tables) => command.askCancel(tables, accountId, id, now)),
  find: (accountId, id) => line.read("read a command", (tables) => command.findCommand(tables, accountId, id)),
  result: (accountId, id) => line.read("read a result", (tables) => command.findCommand(tables, accountId, id)?.result),
  list: (asked) => line.read("list commands", (tables) => command.listCommands(tables, asked)),
  // nothing becomes a day old here
  prune: () => Effect.succeed(0)
})

/** All of them. */
export const storesOf = (line: Statements) =>
  Layer.mergeAll(
    Layer.mock(Daemons, daemonsOf(line)),
    Layer.succeed(FleetTags, {
      change: (accountId, whom, change) =>
        line.write("tag daemons", (tables) => daemon.tagDaemon(tables, accountId, whom, change))
    }),
    Layer.succeed(PresenceStore, presenceOf(line)),
    Layer.succeed(Nodes, nodesOf(line)),
    Layer.succeed(Deliveries, deliveries(line)),
    Layer.mock(Leases, leases(line)),
    Layer.mock(Webhooks, {
      subscriptions: (accountId) =>
        line.read("read who wants events", (tables) => delivery.subscriptions(tables, accountId)),
      changedSince: (version) =>
        line.read("read which webhooks changed", (tables) => delivery.changedSince(tables, version))
    }),
    Layer.mock(DeliveryRetention, { forgetBeyond: () => Effect.succeed(0) }),
    Layer.succeed(Commands, commandsOf(line)),
    Layer.mock(Volumes, {
      pending: (accountId) =>
        line.read("count pending deliveries", (tables) => command.countPending(tables, accountId)),
      commands: (accountId) => line.read("count stored commands", (tables) => command.countCommands(tables, accountId))
    }),
    Layer.succeed(Drops, { add: () => Effect.void })
  )
