/**
 * Reckons from unit costs what a load needs: nodes, their memory, and the cores of Postgres and Redis. Owns the model
 * (docs/capacity.md explains it); measures nothing.
 *
 * A node serves on one core. It is planned to use a share of it, so that bursts and the loss of a node have room.
 */
import type { Units } from "./units.ts"

/** What has to be carried. All but the first are per second. */
export interface Load {
  readonly daemons: number
  readonly commands: number
  readonly events: number
  readonly deliveries: number
  readonly requests: number
}

/** What is planned with. */
export interface Terms {
  /** The share of its core that a node uses in ordinary operation. */
  readonly coreShare: number
  /** Memory of a node in bytes. */
  readonly nodeMemory: number
  /** Within how many seconds all daemons are back after all nodes were away; connects beside the ordinary load. */
  readonly backSeconds: number
}

/** What a load needs. */
export interface Plan {
  /** With one node more than the load takes, unless one is enough for all of it. */
  readonly nodes: number
  /** What decides their number. */
  readonly decidedBy: "cpu" | "memory" | "reconnects"
  /** Of all nodes together, in ordinary operation. */
  readonly cores: number
  readonly bytesPerNode: number
  readonly daemonsPerNode: number
  readonly postgresCores: number
  readonly redisCores: number
  /** Messages per second over Redis, for commands to daemons of other nodes. */
  readonly redisMessages: number
}

const microsPerSecond = 1e6
/** Question and answer. */
const messagesPerCommand = 2

/** The cores that a load takes on so many nodes, with callers who know nothing of nodes. */
export const coresOn = (nodes: number, load: Load, units: Units): number => {
  const across = (nodes - 1) / nodes
  const idle = nodes === 1 ? units.idle : units.idleJoined
  const micros =
    load.daemons * idle +
    load.commands * (units.command + across * units.commandAcross) +
    load.events * units.event +
    load.deliveries * units.delivery +
    load.requests * units.request
  return micros / microsPerSecond
}

/**
 * What a working node's heap holds between two collections, beside what an idle one holds. By `hub bench crowd`: 101 MB
 * a node with 100,000 daemons on 6.
 */
const garbageBytes = 100e6

/** The memory of so many nodes together. */
export const bytesOn = (nodes: number, load: Load, units: Units): number =>
  nodes * (units.nodeBytes + garbageBytes) + load.daemons * units.daemonBytes

/** What the busiest resource of so many nodes asks for, as a multiple of what they have. */
const strains = (nodes: number, load: Load, units: Units, terms: Terms) => {
  const cores = coresOn(nodes, load, units)
  const connecting = ((load.daemons / terms.backSeconds) * units.connect) / microsPerSecond
  const bytes = bytesOn(nodes, load, units) / nodes
  return {
    cpu: cores / (nodes * terms.coreShare),
    memory: bytes / terms.nodeMemory,
    reconnects: (cores + connecting) / nodes
  }
}

const nodesMax = 10_000

/** Plans. More nodes than 10,000 are no plan: undefined. */
export const planFor = (load: Load, units: Units, terms: Terms): Plan | undefined => {
  let enough = 1
  const worst = () => Object.entries(strains(enough, load, units, terms)).sort(([, one], [, other]) => other - one)[0]!
  while (enough <= nodesMax && worst()[1] > 1) enough++
  if (enough > nodesMax) return undefined
  const nodes = enough === 1 ? 1 : enough + 1
  const across = (nodes - 1) / nodes
  const postgres =
    load.daemons * units.idlePostgres +
    (load.daemons / terms.backSeconds) * units.connectPostgres +
    load.events * units.eventPostgres +
    load.deliveries * units.deliveryPostgres
  return {
    nodes,
    decidedBy: worst()[0] as Plan["decidedBy"],
    cores: coresOn(nodes, load, units),
    bytesPerNode: bytesOn(nodes, load, units) / nodes,
    daemonsPerNode: Math.ceil(load.daemons / nodes),
    postgresCores: postgres / microsPerSecond,
    redisCores: (load.commands * across * units.commandRedis) / microsPerSecond,
    redisMessages: load.commands * across * messagesPerCommand
  }
}
