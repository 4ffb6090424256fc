/**
 * What does it cost that a command comes to one node and its daemon is on another, beside a command to the daemon's own
 * node, and beside a bare request and reply over Redis and over NATS? Owns those comparisons.
 */
import { details, median, middle, type Rounds, rateRatio, spread, whichCounts } from "../compare.ts"
import { atMost, type Figure, shown } from "../figures.ts"
import {
  assertGood,
  type BenchOptions,
  coreOfLoad,
  coreOfServer,
  type Ground,
  type Outcome,
  onGround,
  pidOf,
  requestText,
  type Stretch,
  saturate,
  stretch
} from "../ground.ts"
import { type BenchHub, enrol } from "../hub.ts"
import type { Answers } from "../lanes.ts"
import { type Broker, startNats, startProgram, startRedis } from "../servers.ts"
import { Unfit } from "../unfit.ts"
import type { Ask } from "../wrk.ts"
import { commandTo, settle } from "./fleets.ts"

const nodesMin = 2
const fleetSize = 1_000
const callers = 64
const warmSeconds = 3
const pacedRate = 100
const reachMillisMax = 20_000
const goals = { addedMicros: 400, vsLocal: 0.5 }

type Way = "local" | "cross"
const ways: ReadonlyArray<Way> = ["local", "cross"]

/** Runs the scenario. */
export const nodes = async (options: BenchOptions): Promise<Outcome> => {
  if (options.hub !== undefined && (options.others ?? []).length === 0)
    throw new Unfit("nodes asks two nodes of one hub: give --url once for each")
  const made = await onGround({ ...options, nodes: Math.max(nodesMin, options.nodes ?? nodesMin) }, (ground) =>
    between(options, ground)
  )
  const hops = await bareHops(options)
  return {
    ...made,
    figures: [...made.figures, ...hops.figures],
    notes: [...(made.notes ?? []), ...(hops.notes ?? [])]
  }
}

/** A fleet on each node, commanded through its own node and through its neighbour. */
const between = async (options: BenchOptions, ground: Ground): Promise<Outcome> => {
  const { hubs, account, generator } = ground
  const each = Math.max(1, Math.floor((options.daemons ?? fleetSize) / hubs.length))
  const own: Array<ReadonlyArray<Ask>> = []
  try {
    for (const [at, hub] of hubs.entries()) {
      options.say(`nodes: ${each} daemons connect to node ${at + 1} of ${hubs.length}`)
      const tokens = (await enrol(hub, account, each)).map(({ token }) => token)
      const daemonIds = await settle(generator, `node ${at}`, hub.url, tokens)
      own.push(daemonIds.map((daemonId) => commandTo(daemonId, account.key)))
    }
    const asksOf = (way: Way, node: number): ReadonlyArray<Ask> =>
      own[way === "local" ? node : (node + 1) % own.length]!
    options.say("nodes: until each node reaches its neighbour's daemons")
    for (const [at, hub] of hubs.entries()) await reached(hub, asksOf("cross", at).at(-1)!, account.key)
    const compared = await throughput(options, ground, asksOf)
    const { figures, series } = await latency(options, ground, asksOf)
    return { figures: [...figures, ...compared.figures], series: series ?? [], notes: compared.notes ?? [] }
  } finally {
    for (const [at] of hubs.entries()) await generator.ask("close", { fleet: `node ${at}` }).catch(() => undefined)
  }
}

/** A daemon that has just come is known to the other nodes a moment later. */
const reached = async (hub: BenchHub, { path, body }: Ask, key: string): Promise<void> => {
  const patience = performance.now() + reachMillisMax
  for (;;) {
    const { status } = await hub.call("POST", path, key, JSON.parse(body!))
    if (status === 200) return
    if (performance.now() > patience) throw new Error(`${hub.url} does not reach a daemon of its neighbour: ${status}`)
    await new Promise((go) => setTimeout(go, 50))
  }
}

type AsksOf = (way: Way, node: number) => ReadonlyArray<Ask>

/** All nodes asked at once, as much as they take; their CPU is counted together. */
const throughput = async (options: BenchOptions, { hubs, generator }: Ground, asksOf: AsksOf): Promise<Outcome> => {
  const pids = hubs.map(pidOf).filter((pid) => pid !== undefined)
  const measure = (way: Way, seconds: number): Promise<Stretch> =>
    stretch(pids.length === hubs.length ? pids : undefined, async () => {
      const lanes = Math.ceil(callers / hubs.length)
      const one = (url: string, node: number) =>
        saturate(options, generator, undefined, url, asksOf(way, node), lanes, seconds)
      const done = await Promise.all(hubs.map(({ url }, node) => one(url, node)))
      return done.reduce((sum, part) => sum + part.done, 0)
    })
  const rounds: Array<Record<Way, Stretch>> = []
  for (let run = 1; run <= options.runs; run++) {
    const round = {} as Record<Way, Stretch>
    for (const way of ways) {
      options.say(`nodes: run ${run} of ${options.runs}, ${way}`)
      if (run === 1) await measure(way, Math.min(warmSeconds, options.seconds))
      round[way] = await measure(way, options.seconds)
    }
    rounds.push(round)
  }
  const names: Record<Way, string> = { local: "local_node", cross: "cross_node" }
  return {
    figures: [
      rateRatio("cross_node_vs_local", rounds, "cross", "local", goals.vsLocal),
      ...details(rounds satisfies Rounds<Way>, names)
    ],
    notes: whichCounts("cross_node_vs_local", rounds, names)
  }
}

/** How much later an answer comes through another node, at an easy pace. */
const latency = async (options: BenchOptions, { hubs, generator }: Ground, asksOf: AsksOf): Promise<Outcome> => {
  const paced = (way: Way, seconds: number): Promise<Answers> => {
    const requests = asksOf(way, 0).map((ask) => requestText(hubs[0]!.url, ask))
    return generator.ask("load", { url: hubs[0]!.url, requests, connections: callers, seconds, rate: pacedRate })
  }
  const runs: Array<Record<Way, Answers>> = []
  for (let run = 1; run <= options.runs; run++) {
    options.say(`nodes: latency at ${pacedRate}/s, run ${run} of ${options.runs}`)
    if (run === 1) for (const way of ways) await paced(way, Math.min(1, options.seconds))
    const round = { local: await paced("local", options.seconds), cross: await paced("cross", options.seconds) }
    for (const way of ways) assertGood(hubs[0]!.url, round[way].statuses)
    runs.push(round)
  }
  const micros = (way: Way, share: "p50" | "p99"): Array<number> =>
    runs.map((round) => round[way].latency[share] * 1_000)
  const added = runs.map(({ local, cross }) => (cross.latency.p50 - local.latency.p50) * 1_000)
  const figure = atMost("cross_node_added_p50_us", median(added), "µs", goals.addedMicros)
  const last = runs[runs.length - 1]!
  return {
    figures: [
      runs.length < 2 ? figure : { ...figure, spread: spread(added) },
      middle("cross_node_p50_us", micros("cross", "p50"), "µs"),
      middle("cross_node_p99_us", micros("cross", "p99"), "µs"),
      middle("local_node_p50_us", micros("local", "p50"), "µs"),
      middle("local_node_p99_us", micros("local", "p99"), "µs")
    ],
    series: [
      {
        title: `Command latency at ${pacedRate} commands/s`,
        x: "percentile",
        y: "ms",
        lines: ways.map((name) => ({ name, points: last[name].latency.curve }))
      },
      {
        title: "Commands answered over time",
        x: "s",
        y: "/s",
        lines: ways.map((name) => ({
          name,
          points: last[name].timeline.map(({ second, perSecond }) => [second, perSecond] as const)
        }))
      }
    ]
  }
}

const brokers = { redis: (core?: number) => startRedis(false, core), nats: (core?: number) => startNats(core) }

/** A bare request and reply between two processes, over each broker that is installed. */
const bareHops = async (options: BenchOptions): Promise<Outcome> => {
  const figures: Array<Figure> = []
  const notes: Array<string> = []
  for (const [name, start] of Object.entries(brokers)) {
    options.say(`nodes: bare request and reply over ${name}`)
    let broker: Broker
    try {
      broker = await start(coreOfLoad(options))
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      notes.push(`hop_${name}_* left out: ${error.message}`)
      continue
    }
    try {
      figures.push(...(await hop(options, name, broker.url)))
    } finally {
      await broker.stop()
    }
  }
  return { figures, notes }
}

const hop = async (options: BenchOptions, name: string, url: string): Promise<ReadonlyArray<Figure>> => {
  const core = coreOfServer(options)
  const file = "baseline/hop.ts"
  const echo = startProgram(file, ["echo", url], {}, core)
  const ends = [echo.stop]
  try {
    await echo.line()
    const ask = startProgram(file, ["ask", url, String(options.seconds)], {}, core)
    ends.push(ask.stop)
    const { p50, p99 } = await ask.line()
    const many = await stretch([echo.pid, ask.pid], async () => Number((await ask.line())["asked"]))
    return [
      shown(`hop_${name}_p50_us`, Number(p50), "µs"),
      shown(`hop_${name}_p99_us`, Number(p99), "µs"),
      shown(`hop_${name}_per_s`, many.perSecond, "/s"),
      shown(`hop_${name}_cpu_us`, many.cpuMicros, "µs")
    ]
  } finally {
    await Promise.all(ends.map((end) => end()))
  }
}
