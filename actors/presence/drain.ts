/**
 * Sends the daemons of a draining node away, each at a slot of its own. Owns the slots, and that no command crosses a
 * goodbye: from a little before its slot a daemon is sent none, and one that is busy at its slot goes with the last
 * command that waits for it. Closes nothing itself.
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
import { Connections } from "../connections/connections.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { type Entry, Roster } from "./roster.ts"

/** When each of `count` daemons is to come back, in milliseconds from now, spread evenly. */
export const slotsOf = (count: number, spreadMillis: number, firstMillis = 0): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => firstMillis + Math.floor((spreadMillis * at) / count))

/** The sending away. */
export class DaemonDrain extends Context.Service<
  DaemonDrain,
  {
    /**
     * Tells every daemon its slot. Ends when all have left; at once where there is nowhere to go, since they can only
     * wait for this hub's next life. `millis`: the time there is.
     */
    readonly begin: (millis: number) => Effect.Effect<void>
    /** Daemons that are still connected: how many, and the first of them by id. */
    readonly left: () => { readonly daemons: number; readonly first: ReadonlyArray<string> }
  }
>()("hub/DaemonDrain") {
  static readonly layer = Layer.effect(
    DaemonDrain,
    Effect.suspend(() => make)
  )
}

const namedMax = 20
/** Whoever gives the time names who did not make it, so the wait itself outlasts it. */
const beyondMillis = 1_000

const make = Effect.gen(function* () {
  const { drainMillis, reconnectSpreadMillis } = yield* Config
  const connections = yield* Connections
  const cluster = yield* Cluster
  const roster = yield* Roster
  const supervisor = yield* Supervisor
  const timers = yield* Timers
  const spread = Math.min(reconnectSpreadMillis, drainMillis / 2)

  /** The life of one machine from here on; what is said to an ended connection is void. */
  const sendAway = ({ daemon, snapshot: { daemonId, epoch } }: Entry, slot: number): void => {
    const hold = (held: boolean): void => roster.hold(daemonId, epoch, held)
    daemon?.tell({ tell: "reconnect", afterMs: slot })
    if (slot <= slotHoldMillis) hold(true)
    else timers.after(slot - slotHoldMillis, () => hold(true))
    timers.after(slot + slotEndMillis, () => {
      // still here: it is busy and served on, or it went its way with this
      hold(false)
      daemon?.tell({ tell: "slotOver" })
    })
  }

  /** The last ones are sent nothing more, so that they may go before the deadline. */
  const holdRest = (): void => {
    for (const { snapshot } of roster.live()) roster.hold(snapshot.daemonId, snapshot.epoch, true)
  }

  const begin = Effect.fnUntraced(function* (millis: number) {
    connections.refuseAll()
    if (!cluster.isSingleNode) {
      cluster.announceDrain()
      // nodes that are stopped together hear of each other: there is nowhere to go then
      yield* Effect.sleep(drainsHeardMillis)
    }
    const alone = yield* cluster.isLastNode
    const daemons = roster.live()
    if (alone) {
      const slots = slotsOf(daemons.length, Math.min(spread, daemons.length * aloneSlotMillis), aloneFirstMillis)
      for (const [at, { daemon }] of daemons.entries()) daemon?.tell({ tell: "reconnect", afterMs: slots[at]! })
      return
    }
    const slots = slotsOf(daemons.length, spread)
    for (const [at, daemon] of daemons.entries()) sendAway(daemon, slots[at]!)
    timers.after(Math.max(0, millis - lastHoldMillis), holdRest)
    yield* Effect.asVoid(supervisor.awaitEmpty(millis + beyondMillis, ["daemon"]))
  })

  return DaemonDrain.of({
    begin,
    left: () => {
      const daemons = roster.live()
      return { daemons: daemons.length, first: daemons.slice(0, namedMax).map(({ snapshot }) => snapshot.daemonId) }
    }
  })
})
