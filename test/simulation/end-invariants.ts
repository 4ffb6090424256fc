/**
 * What must hold once everything that befell a simulated hub is mended: each daemon is online on one node, everything
 * that was acknowledged is delivered, every call has its answer; and once all daemons have left, nothing is held for
 * them. Owns these rules; waits for nothing.
 */
import { Effect } from "effect"
import { Cluster } from "../../actors/cluster/cluster.ts"
import { VolumeBudgets } from "../../actors/limits/volume-budgets.ts"
import { PresenceWriter } from "../../actors/presence/presence-writer.ts"
import { Roster } from "../../actors/presence/roster.ts"
import { Supervisor } from "../../actors/runtime/supervisor.ts"
import { Outcomes } from "../../actors/webhooks/outcomes.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { Integrators } from "./simulated-callers.ts"
import type { SimulatedDaemon } from "./simulated-daemon.ts"
import type { SimulatedNode } from "./simulated-node.ts"
import type { Monitor } from "./step-invariants.ts"
import { countCommands, countPending } from "./store/command-statements.ts"
import type { Tables } from "./store/tables.ts"

/** What is judged. */
export interface JudgedWorld {
  readonly tables: Tables
  readonly nodes: ReadonlyArray<SimulatedNode>
  readonly daemons: ReadonlyArray<SimulatedDaemon>
  readonly monitor: Monitor
  readonly integrators: Integrators
}

const upOf = ({ nodes }: JudgedWorld): ReadonlyArray<SimulatedNode> => nodes.filter(({ isUp }) => isUp)

const presenceWrongs = (world: JudgedWorld, daemon: SimulatedDaemon): ReadonlyArray<string> => {
  const { daemonId } = daemon
  const isOnline = !daemon.off && !daemon.revoked
  const row = world.tables.presence.get(daemonId)
  const holders = upOf(world).filter((node) => node.get(Roster).find(daemonId) !== undefined)
  const names = holders.map(({ process }) => process.name)
  if (!isOnline) {
    if (row !== undefined && row.node !== null) return [`${daemonId} is gone and stored as online on ${row.node}`]
    return names.length === 0 ? [] : [`${daemonId} is gone and in the roster of ${names.join()}`]
  }
  const { socket } = daemon
  if (!daemon.accepted || socket === undefined) return [`${daemonId} is not connected`]
  if (!socket.isOpenAtHub) return [`${daemonId} has a socket that its node does not know`]
  if (names.length !== 1 || names[0] !== socket.node.name)
    return [`${daemonId} is connected to ${socket.node.name} and in the roster of ${names.join() || "no node"}`]
  if (holders[0]!.get(Roster).find(daemonId)!.daemon === undefined) return [`${daemonId} has no actor`]
  return row?.node === names[0] && row.since !== null
    ? []
    : [`${daemonId} is connected to ${names[0]} and stored on ${row?.node}`]
}

const storeWrongs = ({ tables, monitor }: JudgedWorld): ReadonlyArray<string> => {
  const wrongs: Array<string> = []
  for (const { id, state, event, attempts, maxAttempts, webhookId } of tables.deliveries.values()) {
    if (state === "pending") wrongs.push(`${event} ${id} to ${webhookId} is pending after ${attempts} attempts`)
    if (state === "succeeded" && !monitor.hasArrived(id)) wrongs.push(`${event} ${id} succeeded and never arrived`)
    if (state === "failed" && attempts < maxAttempts) wrongs.push(`${event} ${id} failed after ${attempts} attempts`)
    if (attempts > maxAttempts) wrongs.push(`${event} ${id} was attempted ${attempts} times`)
  }
  for (const { commandId, state } of tables.commands.values()) {
    if (state === "pending") wrongs.push(`the command ${commandId} is pending`)
  }
  return wrongs
}

/** A command that was started has its row, with an end; where nothing befell it, that its daemon said. */
const startedWrongs = ({ tables, monitor, integrators }: JudgedWorld): ReadonlyArray<string> =>
  integrators.started.flatMap(({ commandId }) => {
    const state = tables.commands.get(commandId)?.state
    if (state === undefined) return [`the command ${commandId} was started and is forgotten`]
    const isUnsaid = state === "lost" || state === "timed_out"
    return monitor.calm && isUnsaid ? [`the command ${commandId} is ${state}, and nothing befell it`] : []
  })

/** What is still wrong in a hub that is mended. */
export const settledWrongs = (world: JudgedWorld): ReadonlyArray<string> => {
  const { daemons, integrators } = world
  const wrongs = daemons.flatMap((daemon) => presenceWrongs(world, daemon))
  for (const { daemonId, unacknowledged, kept, revoked } of daemons) {
    if (revoked) continue
    if (unacknowledged.size > 0) wrongs.push(`${daemonId} has ${unacknowledged.size} events without an ack`)
    if (kept.size > 0) wrongs.push(`${daemonId} has ${kept.size} results without an ack`)
  }
  for (const { node, what } of integrators.underWay) {
    if (!node.process.dead) wrongs.push(`${what} through ${node.process.name} has no answer`)
  }
  wrongs.push(...startedWrongs(world))
  return [...wrongs, ...integrators.late(), ...storeWrongs(world), ...upOf(world).flatMap(crashesOf)]
}

const crashesOf = (node: SimulatedNode): ReadonlyArray<string> =>
  (["daemon", "subscriber", "bucket"] as const).flatMap((kind) => {
    const crashes = node.get(Supervisor).crashes(kind)
    return crashes === 0 ? [] : [`${crashes} actors of ${node.process.name} crashed (${kind})`]
  })

/** What a node counts for an account is what the store has, once it has counted anew and nothing is being written. */
const budgetWrongs = ({ tables }: JudgedWorld, node: SimulatedNode): ReadonlyArray<string> => {
  const { pending, commands } = node.get(VolumeBudgets)
  return [...tables.accounts.keys()].flatMap((accountId) => {
    const kinds = [
      ["deliveries", pending, countPending(tables, accountId)],
      ["commands", commands, countCommands(tables, accountId)]
    ] as const
    return kinds.flatMap(([kind, held, { parts }]) => {
      node.run(Effect.exit(held.seen(accountId)))
      const stored = [...parts.values()].reduce((sum, { number }) => sum + number, 0)
      const counted = held.of(accountId).total.number
      return counted === stored ? [] : [`${node.process.name} counts ${counted} ${kind} of ${accountId}, not ${stored}`]
    })
  })
}

/** What is still held though no daemon is left. */
export const emptyWrongs = (world: JudgedWorld): ReadonlyArray<string> => {
  const wrongs = world.daemons.flatMap((daemon) => presenceWrongs(world, daemon))
  wrongs.push(...storeWrongs(world))
  for (const node of upOf(world)) {
    const { name } = node.process
    const supervisor = node.get(Supervisor)
    for (const kind of ["daemon", "subscriber"] as const) {
      if (supervisor.size(kind) > 0) wrongs.push(`${name} has ${supervisor.size(kind)} actors left (${kind})`)
    }
    if (node.get(Roster).size() > 0) wrongs.push(`${name} has ${node.get(Roster).size()} daemons left`)
    if (node.get(Outcomes).waiting() > 0) wrongs.push(`${name} has ${node.get(Outcomes).waiting()} outcomes left`)
    if (node.get(Timers).size() > 0) wrongs.push(`${name} has ${node.get(Timers).size()} timers left`)
    wrongs.push(...budgetWrongs(world, node))
    if (node.get(Cluster).isPartitioned()) wrongs.push(`${name} takes itself for cut off`)
    for (const { daemonId } of world.daemons) {
      if (node.get(PresenceWriter).isReleasing(daemonId)) wrongs.push(`${name} releases ${daemonId} for ever`)
    }
  }
  return wrongs
}
