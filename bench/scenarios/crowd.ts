/**
 * Tens of thousands of daemons on one machine: a hub of several nodes, a fleet in a process of its own for each,
 * commands through every node at a steady rate. Does everything stay online, fast and flat? Owns that question.
 */
import { setTimeout as pause } from "node:timers/promises"
import { type BenchOptions, type Fixture, type Outcome, pidOf, requestText, stretch, withFixture } from "../fixture.ts"
import { type Generator, startGenerator } from "../fleet/generator.ts"
import type { Answers } from "../load/open-loop.ts"
import { besideModel, type Taken } from "../plan/check.ts"
import { median } from "../report/compare.ts"
import { against, atLeast, atMost, type Figure, machine, type Series, shown } from "../report/figures.ts"
import { records } from "../report/record.ts"
import { type BenchHub, enrol, rssBytes } from "../servers/hub.ts"
import { UsageError } from "../usage-error.ts"
import { commandTo, settle } from "./fleets.ts"

const fleetSize = 50_000
const nodeCount = 4
/** A process here has 20,000 file descriptors; a node needs some for itself. */
const daemonsPerNodeMax = 19_000
const commandRate = 200
const callers = 256
const settleSeconds = 30
const warmSeconds = 5
const askedMax = 10_000
const goals = { p99Millis: 100, memoryGrowth: 1.1 }

/** Runs the scenario. */
export const crowd = async (options: BenchOptions): Promise<Outcome> => {
  const tiny = options.tiny === true
  const count = options.daemons ?? fleetSize
  const nodes = options.nodes ?? (tiny ? 2 : Math.max(nodeCount, Math.ceil(count / daemonsPerNodeMax)))
  if (options.hub === undefined && count > nodes * daemonsPerNodeMax)
    throw new UsageError(
      `a node holds ${daemonsPerNodeMax} daemons here: ${count} daemons need more --nodes than ${nodes}`
    )
  // no comparison: all processes share all cores
  return withFixture({ ...options, nodes, pinned: false }, (fixture) => gathered(options, fixture, count))
}

const gathered = async (options: BenchOptions, fixture: Fixture, count: number): Promise<Outcome> => {
  const fleets = fixture.hubs.map(() => startGenerator())
  try {
    const joined = await assemble(options, fixture, fleets, count)
    if (options.tiny !== true) await pause(settleSeconds * 1_000)
    const before = await tally(fleets)
    const watched = await watch(options, fixture, joined.daemonIds)
    const after = await tally(fleets)
    const beside =
      watched.taken === undefined
        ? { figures: [], notes: [] }
        : besideModel({ nodes: fixture.hubs.length, daemons: count, ...watched.taken }, records(), machine())
    const figures: Array<Figure> = [
      atLeast("crowd_online", after.online, "daemons", count),
      atMost("crowd_lost", after.closed - before.closed, "daemons", 0),
      ...watched.figures,
      ...beside.figures,
      shown("crowd_nodes", fixture.hubs.length, "nodes"),
      shown("crowd_join_per_s", count / joined.seconds, "/s"),
      shown("crowd_reports_per_s", (after.reports - before.reports) / options.seconds, "/s")
    ]
    return { figures, series: watched.series ?? [], notes: beside.notes }
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.stop()))
  }
}

/** A fleet for each node, from an address of its own. All join at once. */
const assemble = async (
  options: BenchOptions,
  { hubs, account }: Fixture,
  fleets: ReadonlyArray<Generator>,
  count: number
): Promise<{ readonly daemonIds: ReadonlyArray<string>; readonly seconds: number }> => {
  options.say(`crowd: enrolling ${count} daemons`)
  const tokens = await Promise.all(
    hubs.map((hub, at) =>
      enrol(hub, account, Math.floor((count + at) / hubs.length)).then((own) => own.map(({ token }) => token))
    )
  )
  options.say(`crowd: ${count} daemons connect to ${hubs.length} nodes`)
  const started = performance.now()
  const joined = await Promise.all(
    hubs.map(({ url }, at) => {
      // an address of its own, on this machine only
      const from = new URL(url).hostname === "127.0.0.1" ? `127.0.0.${2 + at}` : undefined
      return settle(fleets[at]!, "crowd", url, tokens[at]!, from)
    })
  )
  return { daemonIds: joined.flat(), seconds: (performance.now() - started) / 1_000 }
}

const tally = async (fleets: ReadonlyArray<Generator>) => {
  const sum = { online: 0, closed: 0, reports: 0 }
  for (const fleet of fleets) {
    const { online, closes, reports } = await fleet.ask("figures", { fleet: "crowd" })
    sum.online += online
    sum.closed += Object.values(closes).reduce((all, many) => all + many, 0)
    sum.reports += reports
  }
  return sum
}

interface Watched extends Outcome {
  /** What the nodes took; undefined where they are elsewhere. */
  readonly taken: Pick<Taken, "commands" | "cores" | "megabytes"> | undefined
}

/** Commands at a steady rate through all nodes, to daemons anywhere, while memory is watched. */
const watch = async (options: BenchOptions, fixture: Fixture, daemonIds: ReadonlyArray<string>): Promise<Watched> => {
  const { hubs, account, generator } = fixture
  const { seconds } = options
  const rate = options.rate ?? commandRate
  const step = Math.max(1, Math.floor(daemonIds.length / askedMax))
  const asked = daemonIds.filter((_, at) => at % step === 0)
  const load = {
    url: hubs[0]!.url,
    others: hubs.slice(1).map(({ url }) => url),
    requests: shuffled(asked).map((daemonId) => requestText(hubs[0]!.url, commandTo(daemonId, account.key))),
    connections: callers,
    coarse: true
  }
  await generator.ask("load", { ...load, rate, seconds: options.tiny === true ? 0.1 : warmSeconds })
  const pids = hubs.map(pidOf).filter((pid) => pid !== undefined)
  const memory = await memoryOf(hubs)
  let answers: Answers | undefined
  let over = false
  const watching = (async () => {
    const started = performance.now()
    while (!over) {
      await pause(Math.min(1_000, seconds * 250))
      const at = (performance.now() - started) / 1_000
      await memory.look(at)
      options.say(`crowd: ${Math.round(at)} of ${seconds} s, ${Math.round(memory.last())} MB in ${hubs.length} nodes`)
    }
  })()
  const measured = await stretch(pids.length === hubs.length ? pids : undefined, async () => {
    answers = await generator.ask("load", { ...load, rate, seconds })
    return answers.answered
  })
  over = true
  await watching
  const { latency, statuses, answered, timeline } = answers!
  const commands = answered / seconds
  const megabytes = memory.settled()
  return {
    taken: megabytes === undefined ? undefined : { commands, cores: measured.busy, megabytes },
    figures: [
      atMost("crowd_command_p99_ms", latency.p99, "ms", goals.p99Millis),
      atMost("crowd_failed", answered - (statuses["200"] ?? 0), "commands", 0),
      ...memory.figures(),
      shown("crowd_command_p50_ms", latency.p50, "ms"),
      shown("crowd_command_p999_ms", latency.p999, "ms"),
      shown("crowd_command_max_ms", latency.max, "ms"),
      shown("crowd_commands_per_s", commands, "/s"),
      shown("crowd_cores", measured.busy, "cores")
    ],
    series: [
      {
        title: `Command latency at ${rate} commands/s, ${daemonIds.length} daemons`,
        x: "percentile",
        y: "ms",
        lines: [{ name: "command", points: latency.curve }]
      },
      {
        title: "Commands answered over time",
        x: "s",
        y: "/s",
        lines: [{ name: "commands", points: timeline.map(({ second, perSecond }) => [second, perSecond] as const) }]
      },
      {
        title: "p99 over time",
        x: "s",
        y: "ms",
        lines: [{ name: "command", points: timeline.map(({ second, p99 }) => [second, p99] as const) }]
      },
      ...memory.series()
    ]
  }
}

/** In another order, the same each time: neighbours in the list are on one node. */
const shuffled = (ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const stride = 7_919 // a prime: every place is visited once unless it divides the length
  if (ids.length % stride === 0) return ids
  return ids.map((_, at) => ids[(at * stride) % ids.length]!)
}

/** The resident memory of the nodes over time, in MB; nothing where they are elsewhere. */
const memoryOf = async (hubs: ReadonlyArray<BenchHub>) => {
  const pids = hubs.map(pidOf)
  const lines: Array<Array<readonly [number, number]>> = hubs.map(() => [])
  const known = pids.every((pid) => pid !== undefined)
  const sums = (): ReadonlyArray<number> =>
    (lines[0] ?? []).map((_, at) => lines.reduce((sum, line) => sum + line[at]![1], 0))
  const part = (from: number, to: number): number => {
    const all = sums()
    return median(all.slice(Math.floor(all.length * from), Math.max(1, Math.ceil(all.length * to))))
  }
  return {
    look: async (second: number): Promise<void> => {
      if (!known) return
      const now = await Promise.all(pids.map((pid) => rssBytes(pid!)))
      for (const [at, bytes] of now.entries()) lines[at]!.push([second, bytes / 1e6])
    },
    last: (): number => sums().at(-1) ?? Number.NaN,
    /** The middle of the last fifth. */
    settled: (): number | undefined => (sums().length === 0 ? undefined : part(0.8, 1)),
    /** The middle of the last fifth beside the middle of the first: a leak shows, a collection does not. */
    figures: (): ReadonlyArray<Figure> =>
      sums().length === 0
        ? []
        : [against("crowd_memory_growth", part(0.8, 1), part(0, 0.2), "MB", "<=", goals.memoryGrowth)],
    series: (): ReadonlyArray<Series> =>
      sums().length === 0
        ? []
        : [
            {
              title: "Memory of the nodes",
              x: "s",
              y: "MB",
              lines: lines.map((points, at) => ({ name: `node ${at + 1}`, points }))
            }
          ]
  }
}
