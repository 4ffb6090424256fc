/**
 * What a focused course of events ("act") of a simulated hub works with: a hub that has settled, its nodes and daemons
 * by where they are, and the time within which something must be so. Owns the looks; acts are in the other files here.
 */
import { Roster } from "../../../actors/presence/roster.ts"
import type { FaultyWorld } from "../faults.ts"
import type { SimulatedDaemon } from "../simulated-daemon.ts"
import type { SimulatedNode } from "../simulated-node.ts"
import type { Monitor } from "../step-invariants.ts"
import type { Tables } from "../store/tables.ts"

/** A hub that has settled. */
export interface Stage extends FaultyWorld {
  readonly monitor: Monitor
  readonly tables: Tables
  /** Lets so much time pass. */
  readonly pass: (millis: number) => void
}

/** The part of an act: a daemon, the node that it is connected to, and the other nodes. */
export interface Cast {
  readonly daemon: SimulatedDaemon
  readonly home: SimulatedNode
  readonly others: ReadonlyArray<SimulatedNode>
}

/** A course of events of this part, and what must come of it. The hub is mended again at its end. */
export type Act = (stage: Stage, part: Cast) => void

const stepMillis = 200

/**
 * The daemons that are connected, and that their node hears: of a connection that was cut before, which neither side
 * has noticed yet, no goodbye arrives, and it may end in the midst of an act.
 */
export const presentAt = ({ daemons }: Stage, node: SimulatedNode): ReadonlyArray<SimulatedDaemon> =>
  daemons.filter((daemon) => !daemon.revoked && !daemon.off && daemon.isHeardBy(node.process.name))

/** Chance chooses them. Undefined: no daemon is left, or no other node. */
export const cast = (stage: Stage): Cast | undefined => {
  const up = stage.nodes.filter(({ isUp }) => isUp)
  const homes = up.filter((node) => presentAt(stage, node).length > 0)
  if (homes.length === 0 || up.length < 2) return undefined
  const home = stage.random.pick(homes)
  return { daemon: stage.random.pick(presentAt(stage, home)), home, others: up.filter((node) => node !== home) }
}

/** Waits until nothing is wrong any more; what still is by then, is. */
export const within = (stage: Stage, millis: number, wrongs: () => ReadonlyArray<string>): void => {
  const { time, monitor } = stage
  const until = time.now + millis
  let found = wrongs()
  while (found.length > 0 && time.now < until) {
    stage.pass(stepMillis)
    if (monitor.violations.length > 0) return
    found = wrongs()
  }
  for (const one of found) monitor.fail(`${one}, ${millis} ms after all is well`)
}

/** Its time online is not over. */
export const stillOnline = ({ tables }: Stage, { daemonId }: SimulatedDaemon): ReadonlyArray<string> => {
  const node = tables.presence.get(daemonId)?.node ?? null
  return node === null ? [] : [`${daemonId} is gone and stored as online on ${node}`]
}

/** It is in the roster of this node. */
export const stillHeld = ({ daemonId }: SimulatedDaemon, node: SimulatedNode): ReadonlyArray<string> =>
  node.isUp && node.get(Roster).find(daemonId) !== undefined ? [`${node.process.name} still holds ${daemonId}`] : []

/** It is not connected to this node. */
export const notAt = (daemon: SimulatedDaemon, node: SimulatedNode): ReadonlyArray<string> =>
  daemon.isConnectedTo(node.process.name) ? [] : [`${daemon.daemonId} is not connected to ${node.process.name}`]
