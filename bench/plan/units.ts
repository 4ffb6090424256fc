/** What one of everything costs, from the figures of record. Owns which figure says what; measures nothing. */
import type { Records } from "../report/record.ts"
import { UsageError } from "../usage-error.ts"

/** CPU in microseconds, memory in bytes. */
export interface Units {
  /** A daemon that only reports, per second: of a lone node, and of one that is joined to others. */
  readonly idle: number
  readonly idleJoined: number
  readonly idlePostgres: number
  readonly daemonBytes: number
  /** A node without a daemon. */
  readonly nodeBytes: number
  readonly connect: number
  readonly connectPostgres: number
  readonly command: number
  /** What a command costs more, in all nodes together, where its daemon is on another node. */
  readonly commandAcross: number
  readonly commandRedis: number
  readonly event: number
  readonly eventPostgres: number
  readonly delivery: number
  readonly deliveryPostgres: number
  readonly request: number
}

/** Where each is measured: the scenario and its figure. */
const sources = {
  idle: ["idle", "idle_cpu_us_per_s"],
  idleJoined: ["idle-joined", "idle_joined_cpu_us_per_s"],
  idlePostgres: ["idle-joined", "idle_joined_postgres_us_per_s"],
  daemonBytes: ["idle-joined", "idle_joined_rss_bytes"],
  nodeBytes: ["idle-joined", "idle_joined_empty_rss_mb"],
  connect: ["connect", "connect_cpu_us"],
  connectPostgres: ["connect", "connect_postgres_us"],
  command: ["command", "command_cpu_us"],
  commandLocal: ["nodes", "local_node_cpu_us"],
  commandCross: ["nodes", "cross_node_cpu_us"],
  commandRedis: ["nodes", "cross_node_redis_us"],
  event: ["fanout", "events_cpu_us"],
  eventPostgres: ["fanout", "events_postgres_us"],
  delivery: ["delivery", "delivery_cpu_us"],
  deliveryPostgres: ["delivery", "delivery_postgres_us"],
  request: ["rest", "get_daemons_cpu_us"]
} as const

type Source = keyof typeof sources

/** The scenarios that unit costs come from. */
export const unitScenarios: ReadonlyArray<string> = [...new Set(Object.values(sources).map(([scenario]) => scenario))]

/** Reads them. Fails with the scenarios that have to be measured first. */
export const unitsOf = (records: Records): Units => {
  const valueOf = (name: Source): number | undefined => {
    const [scenario, figure] = sources[name]
    return records[scenario]?.figures.find((one) => one.name === figure)?.value
  }
  const values = Object.fromEntries((Object.keys(sources) as Array<Source>).map((name) => [name, valueOf(name)]))
  const missing = (Object.keys(sources) as Array<Source>).filter((name) => values[name] === undefined)
  if (missing.length > 0) {
    const wanted = [...new Set(missing.map((name) => sources[name][0]))].join(" ")
    throw new UsageError(`no unit costs of ${missing.join(", ")} on record: measure them with ${wanted} --record`)
  }
  const { commandLocal, commandCross, nodeBytes, ...same } = values as Record<Source, number>
  return { ...same, nodeBytes: nodeBytes * 1e6, commandAcross: Math.max(0, commandCross - commandLocal) }
}
