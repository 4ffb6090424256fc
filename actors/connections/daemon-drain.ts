/**
 * Drains the daemons of a node, each at its own time slot. Owns the slots and the pause of commands: a daemon receives
 * none from shortly before its slot, and a busy daemon is closed after its last pending command. Closes no socket
 * itself.
 */
import { Context, Effect, Layer } from "effect"
import { Config } from "../../src/config.ts"
import {
  aloneFirstMillis,
  aloneSlotMillis,
  drainsHeardMillis,
  lastHoldMillis,
  slotEndMillis,
  slotHoldMillis
} from "../../src/limits/drain.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Cluster } from "../cluster/cluster.ts"
import { type Entry, Roster } from "../presence/roster.ts"
import { SnapshotWriter } from "../presence/snapshot-writer.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { Connections } from "./connections.ts"

/** The reconnect delays of `count` daemons in milliseconds, evenly spread. */
export const slotsOf = (count: number, spreadMillis: number, firstMillis = 0): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => firstMillis + Math.floor((spreadMillis * at) / count))

const namedMax = 20
/** The caller enforces the deadline and names the remaining daemons, so this wait is longer. */
const beyondMillis = 1_000

const make = Effect.gen(function* () {
  const { drainMillis, reconnectSpreadMillis } = yield* Config
  const connections = yield* Connections
  const cluster = yield* Cluster
  const roster = yield* Roster
  const snapshots = yield* SnapshotWriter
  const supervisor = yield* Supervisor
  const timers = yield* Timers
  const spread = Math.min(reconnectSpreadMillis, drainMillis / 2)

  /** Schedules the slot of one daemon. Messages to an ended connection have no effect. */
  const sendAway = ({ daemon, snapshot: { daemonId, epoch } }: Entry, slot: number): void => {
    const hold = (held: boolean): void => roster.hold(daemonId, epoch, held)
    daemon?.tell({ type: "reconnect", afterMs: slot })
    if (slot <= slotHoldMillis) hold(true)
    else timers.after(slot - slotHoldMillis, () => hold(true))
    timers.after(slot + slotEndMillis, () => {
      // a busy daemon resumes; `slotOver` closes it once it is idle
      hold(false)
      daemon?.tell({ type: "slotOver", now: timers.now() })
    })
  }

  /** Pauses the commands to all remaining daemons, so that they become idle before the deadline. */
  const holdRest = (): void => {
    for (const { snapshot } of roster.live()) roster.hold(snapshot.daemonId, snapshot.epoch, true)
  }

  const begin = Effect.fnUntraced(function* (millis: number) {
    connections.refuseAll()
    if (!cluster.isSingleNode) {
      cluster.announceDrain()
      // nodes that stop at the same time learn of each other, so the last one knows that it is the last
      yield* Effect.sleep(drainsHeardMillis)
    }
    const alone = yield* cluster.isLastNode
    const daemons = roster.live()
    if (alone) {
      const slots = slotsOf(daemons.length, Math.min(spread, daemons.length * aloneSlotMillis), aloneFirstMillis)
      for (const [at, { daemon }] of daemons.entries()) daemon?.tell({ type: "reconnect", afterMs: slots[at]! })
      return
    }
    const slots = slotsOf(daemons.length, spread)
    for (const [at, daemon] of daemons.entries()) sendAway(daemon, slots[at]!)
    timers.after(Math.max(0, millis - lastHoldMillis), holdRest)
    yield* supervisor.awaitEmpty(millis + beyondMillis, ["daemon"])
    // that they were sent away, the others read once this node does not answer any more
    yield* snapshots.flush
  })

  return {
    /**
     * Sends every daemon its slot and completes when all have left. Completes at once on the last node, whose daemons
     * can only wait for its restart. `millis`: the deadline.
     */
    begin,
    /** The connected daemons: their number and the ids of the first ones. */
    left: () => {
      const daemons = roster.live()
      return { daemons: daemons.length, first: daemons.slice(0, namedMax).map(({ snapshot }) => snapshot.daemonId) }
    }
  }
})

/** Drains the daemons of this node. */
export class DaemonDrain extends Context.Service<DaemonDrain, Effect.Success<typeof make>>()("hub/DaemonDrain") {
  static readonly layer = Layer.effect(DaemonDrain, make)
}
