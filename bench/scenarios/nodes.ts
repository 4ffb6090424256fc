/**
 * What does it cost that a command comes to one node and its daemon is on another, beside a command to the daemon's own
 * node, and beside a bare request and reply over Redis and over NATS? Owns those comparisons.
 */

import {
  assertGood,
  type BenchOptions,
  coreOfLoad,
  coreOfServer,
  type Fixture,
  type Outcome,
  pidOf,
  requestText,
  type Stretch,
  saturate,
  stretch,
  withFixture
} from "../fixture.ts"
import type { Answers } from "../load/open-loop.ts"
import type { Ask } from "../load/wrk.ts"
import { details, difference, middle, middleIfKnown, type Rounds, rateRatio, whichCounts } from "../report/compare.ts"
import { against, type Figure, shown } from "../report/figures.ts"
import { type Broker, startNats, startProgram, startRedis } from "../servers/child.ts"
import { type BenchHub, enrol } from "../servers/hub.ts"
import { UsageError } from "../usage-error.ts"
import { commandTo, settle } from "./fleets.ts"

const nodesMin = 2
const fleetSize = 1_000
const callers = 64
const warmSeconds = 3
/** Commands a second at which every core sleeps between two of them. */
const pacedRate = 100
const reachMillisMax = 20_000
const goals = { addedMicros: 400, addedVsHop: 1.5, vsLocal: 0.6 }

type Way = "local" | "cross"
const ways: ReadonlyArray<Way> = ["local", "cross"]

/** Runs the scenario. */
export const nodes = async (options: BenchOptions): Promise<Outcome> => {
  if (options.hub !== undefined && (options.others ?? []).length === 0)
    throw new UsageError("nodes asks two nodes of one hub: give --url once for each")
  const made = await withFixture({ ...options, nodes: Math.max(nodesMin, options.nodes ?? nodesMin) }, (fixture) =>
    between(options, fixture)
  )
  const hops = await bareHops(options)
  return {
    ...made,
    figures: [...addedVsHop(made.figures, hops.figures), ...made.figures, ...hops.figures],
    notes: [...(made.notes ?? []), ...(hops.notes ?? [])]
  }
}

/** What a command through another node costs more, in bare requests and replies of this machine. */
const addedVsHop = (made: ReadonlyArray<Figure>, hops: ReadonlyArray<Figure>): ReadonlyArray<Figure> => {
  const added = made.find(({ name }) => name === "cross_node_added_p50_us")
  const bare = hops.find(({ name }) => name === "hop_redis_p50_us")
  if (added === undefined || bare === undefined) return []
  return [against("cross_node_added_vs_hop", added.value, bare.value, "µs", "<=", goals.addedVsHop)]
}

/** A fleet on each node, commanded through its own node and through its neighbour. */
const between = async (options: BenchOptions, fixture: Fixture): Promise<Outcome> => {
  const { hubs, account, generator } = fixture
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
    const compared = await throughput(options, fixture, asksOf)
    const { figures, series } = await latency(options, fixture, asksOf)
    return { figures: [...figures, ...compared.figures], series: series ?? [], notes: compared.notes ?? [] }
  } finally {
    for (const [at] of hubs.entries()) await generator.ask("close", { fleet: `node ${at}` }).catch(() => undefined)
  }
}

/** A daemon that has just come is known to the other nodes a moment later. */
const reached = async (hub: BenchHub, { path, body }: Ask, key: string): Promise<void> => {
  const patience = performance.now() + reachMillisMax
  for (;;) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const { status } = await fetch(`${hub.url}${path}`, { method: "POST", headers, body })
    if (status === 200) return
    if (performance.now() > patience) throw new Error(`${hub.url} does not reach a daemon of its neighbour: ${status}`)
    await new Promise((go) => setTimeout(go, 50))
  }
}

type AsksOf = (way: Way, node: number) => ReadonlyArray<Ask>

/** All nodes asked at once, as much as they take; their CPU is counted together. */
const throughput = async (options: BenchOptions, fixture: Fixture, asksOf: AsksOf): Promise<Outcome> => {
  const { hubs, stores, generator } = fixture
  const pids = hubs.map(pidOf).filter((pid) => pid !== undefined)
  const measure = (way: Way, seconds: number): Promise<Stretch> =>
    stretch(
      pids.length === hubs.length ? pids : undefined,
      async () => {
        const perNode = Math.ceil(callers / hubs.length)
        const one = (url: string, node: number) =>
          saturate(options, generator, undefined, url, asksOf(way, node), perNode, seconds)
        const done = await Promise.all(hubs.map(({ url }, node) => one(url, node)))
        return done.reduce((sum, part) => sum + part.done, 0)
      },
      stores
    )
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
      ...details(rounds satisfies Rounds<Way>, names),
      ...middleIfKnown(
        "cross_node_redis_us",
        rounds.map(({ cross }) => cross.stores.redis),
        "µs"
      )
    ],
    notes: whichCounts("cross_node_vs_local", rounds, names)
  }
}

/**
 * How commands are asked for where latency counts: `single`, by one caller who asks again once it is answered, so that
 * no core sleeps; `paced`, at an easy rate.
 */
const paces = { single: { connections: 1 }, paced: { connections: callers, rate: pacedRate } }
type Pace = keyof typeof paces
type Round = Record<Pace, Record<Way, Answers>>

/** How much later an answer comes through another node. */
const latency = async (options: BenchOptions, { hubs, generator }: Fixture, asksOf: AsksOf): Promise<Outcome> => {
  const { url } = hubs[0]!
  const asked = async (pace: Pace, way: Way, seconds: number): Promise<Answers> => {
    const requests = asksOf(way, 0).map((ask) => requestText(url, ask))
    const answers = await generator.ask("load", { url, requests, seconds, ...paces[pace] })
    assertGood(url, answers.statuses)
    return answers
  }
  const both = async (pace: Pace): Promise<Record<Way, Answers>> => ({
    local: await asked(pace, "local", options.seconds),
    cross: await asked(pace, "cross", options.seconds)
  })
  const runs: Array<Round> = []
  for (let run = 1; run <= options.runs; run++) {
    options.say(`nodes: latency, run ${run} of ${options.runs}`)
    if (run === 1) for (const way of ways) await asked("single", way, Math.min(1, options.seconds))
    runs.push({ single: await both("single"), paced: await both("paced") })
  }
  return {
    figures: [...latencies(runs, "single", ""), ...latencies(runs, "paced", "paced_")],
    series: curves(runs[runs.length - 1]!)
  }
}

/**
 * The goal is the single caller's: at an easy rate what counts most is how long a core takes to wake, which is not the
 * hub's.
 */
const latencies = (runs: ReadonlyArray<Round>, pace: Pace, named: string): ReadonlyArray<Figure> => {
  const micros = (way: Way, share: "p50" | "p99"): Array<number> =>
    runs.map((round) => round[pace][way].latency[share] * 1_000)
  const added = runs.map(({ [pace]: { local, cross } }) => (cross.latency.p50 - local.latency.p50) * 1_000)
  const name = `cross_node_added_${named}p50_us`
  return [
    difference(name, added, "µs", pace === "single" ? goals.addedMicros : undefined),
    ...ways
      .toReversed()
      .flatMap((way) => [
        middle(`${way}_node_${named}p50_us`, micros(way, "p50"), "µs"),
        middle(`${way}_node_${named}p99_us`, micros(way, "p99"), "µs")
      ])
  ]
}

const curves = ({ single, paced }: Round): NonNullable<Outcome["series"]> => [
  ...(
    [
      ["one at a time", single],
      [`${pacedRate} commands/s`, paced]
    ] as const
  ).map(([pace, of]) => ({
    title: `Command latency, ${pace}`,
    x: "percentile",
    y: "ms",
    lines: ways.map((name) => ({ name, points: of[name].latency.curve }))
  })),
  {
    title: "Commands of one caller answered over time",
    x: "s",
    y: "/s",
    lines: ways.map((name) => ({
      name,
      points: single[name].timeline.map(({ second, perSecond }) => [second, perSecond] as const)
    }))
  }
]

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
      if (!(error instanceof UsageError)) throw error
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
    const [single, paced] = [await ask.line(), await ask.line()]
    const many = await stretch([echo.pid, ask.pid], async () => Number((await ask.line())["asked"]))
    return [
      shown(`hop_${name}_p50_us`, Number(single["p50"]), "µs"),
      shown(`hop_${name}_p99_us`, Number(single["p99"]), "µs"),
      shown(`hop_${name}_paced_p50_us`, Number(paced["p50"]), "µs"),
      shown(`hop_${name}_paced_p99_us`, Number(paced["p99"]), "µs"),
      shown(`hop_${name}_per_s`, many.perSecond, "/s"),
      shown(`hop_${name}_cpu_us`, many.cpuMicros, "µs")
    ]
  } finally {
    await Promise.all(ends.map((end) => end()))
  }
}
