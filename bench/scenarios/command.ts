/**
 * What does a command cost, from an integrator to a daemon and back, beside the tuned bare relay and beside fastify,
 * how much latency does the hub add, and does the cost grow with the fleet? Owns those comparisons.
 */

import {
  assertGood,
  type BenchOptions,
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
import type { Generator } from "../fleet/generator.ts"
import type { Answers } from "../load/open-loop.ts"
import type { Ask } from "../load/wrk.ts"
import {
  cpuRatio,
  details,
  difference,
  median,
  middle,
  type Rounds,
  rateRatio,
  spread,
  whichCounts
} from "../report/compare.ts"
import { against, type Figure } from "../report/figures.ts"
import { type Child, startProgram } from "../servers/child.ts"
import { enrol } from "../servers/hub.ts"
import { commandTo, settle } from "./fleets.ts"

const fleetSize = 1_000
const callers = 64
const warmSeconds = 3
const pacedRate = 100
const growthFleets = { small: 100, large: 15_000 }
/** The large fleet is at least this many times the small one. */
const growthTimesMin = 10
const growthRate = 2_000
const goals = { vsBare: 0.6, cpuVsBare: 1.5, vsFastify: 1.5, addedP50: 0.3, addedP99: 2, growth: 1.6 }

type Server = "hub" | "bare" | "fastify"
interface Target {
  readonly pid: number | undefined
  readonly url: string
  readonly asks: ReadonlyArray<Ask>
}

const tokensFor = async ({ hub, account }: Fixture, count: number): Promise<Array<string>> =>
  (await enrol(hub, account, count)).map(({ token }) => token)

/** Runs the scenario. */
export const command = async (options: BenchOptions): Promise<Outcome> => {
  const compared = await withFixture(options, (fixture) => comparison(options, fixture))
  const sizes = growthSizes(options)
  if (typeof sizes === "string") return { ...compared, notes: [...(compared.notes ?? []), sizes] }
  const growth = await withFixture(options, (fixture) => grown(options, fixture, sizes))
  return { ...compared, figures: [...compared.figures, ...growth] }
}

/** How many daemons the cost is measured at; or, as a sentence, why it cannot be. */
export const growthSizes = ({ daemons, hub, tiny }: BenchOptions): { small: number; large: number } | string => {
  if (hub !== undefined && pidOf(hub) === undefined)
    return "growth_command was left out: it measures the hub's CPU, which needs its process on this machine (--pid)"
  if (tiny === true) return { small: 2, large: 4 }
  const large = daemons ?? growthFleets.large
  const small = Math.min(growthFleets.small, Math.floor(large / growthTimesMin))
  return small > 0 ? { small, large } : `growth_command was left out: it needs --daemons ${growthTimesMin} or more`
}

const comparison = async (options: BenchOptions, fixture: Fixture): Promise<Outcome> => {
  const { hub, account, generator } = fixture
  const programs: Array<Child> = []
  try {
    const count = options.daemons ?? fleetSize
    options.say(`command: ${count} daemons connect to each server`)
    const asksOf = async (fleet: string, url: string, tokens: ReadonlyArray<string>): Promise<ReadonlyArray<Ask>> =>
      (await settle(generator, fleet, url, tokens)).map((daemonId) => commandTo(daemonId, account.key))
    const unknown = Array.from({ length: count }, (_, at) => `dmn_bench${at}`)
    const baseline = async (name: Server, file: string): Promise<Target> => {
      const child = startProgram(file, [account.key], {}, coreOfServer(options))
      programs.push(child)
      const url = `http://127.0.0.1:${(await child.line())["port"]}`
      return { pid: child.pid, url, asks: await asksOf(name, url, unknown) }
    }
    const tokens = await tokensFor(fixture, count)
    const targets: Record<Server, Target> = {
      hub: { pid: pidOf(hub), url: hub.url, asks: await asksOf("hub", hub.url, tokens) },
      bare: await baseline("bare", "baseline/relay.ts"),
      fastify: await baseline("fastify", "baseline/relay-fastify.ts")
    }
    const rounds: Array<Record<Server, Stretch>> = []
    for (let run = 1; run <= options.runs; run++) {
      const round = {} as Record<Server, Stretch>
      for (const name of ["hub", "bare", "fastify"] as const) {
        const { pid, url, asks } = targets[name]
        options.say(`command: run ${run} of ${options.runs}, ${name}`)
        if (run === 1)
          await saturate(options, generator, pid, url, asks, callers, Math.min(warmSeconds, options.seconds))
        round[name] = await saturate(options, generator, pid, url, asks, callers, options.seconds)
      }
      rounds.push(round)
    }
    const { figures, series } = await added(options, generator, targets)
    return {
      figures: [...ratios(rounds), ...figures],
      series: series ?? [],
      notes: whichCounts("command_vs_bare", rounds, names)
    }
  } finally {
    for (const fleet of ["hub", "bare", "fastify"]) await generator.ask("close", { fleet }).catch(() => undefined)
    await Promise.all(programs.map((program) => program.stop()))
  }
}

const names: Record<Server, string> = { hub: "command", bare: "command_bare", fastify: "command_fastify" }

const ratios = (rounds: Rounds<Server>): Array<Figure> => [
  rateRatio("command_vs_bare", rounds, "hub", "bare", goals.vsBare),
  cpuRatio("command_cpu_vs_bare", rounds, "hub", "bare", goals.cpuVsBare),
  rateRatio("command_vs_fastify", rounds, "hub", "fastify", goals.vsFastify),
  ...details(rounds, names)
]

/** How much later an answer comes through the hub than through the bare relay, at an easy pace. */
const added = async (
  options: BenchOptions,
  generator: Generator,
  targets: Record<Server, Target>
): Promise<Outcome> => {
  const paced = ({ url, asks }: Target, seconds: number): Promise<Answers> =>
    generator.ask("load", {
      url,
      requests: asks.map((ask) => requestText(url, ask)),
      connections: callers,
      seconds,
      rate: pacedRate
    })
  const runs: Array<{ hub: Answers; bare: Answers }> = []
  for (let run = 1; run <= options.runs; run++) {
    options.say(`command: latency at ${pacedRate}/s, run ${run} of ${options.runs}`)
    if (run === 1) for (const name of ["hub", "bare"] as const) await paced(targets[name], Math.min(1, options.seconds))
    const round = { hub: await paced(targets.hub, options.seconds), bare: await paced(targets.bare, options.seconds) }
    assertGood(targets.hub.url, round.hub.statuses)
    runs.push(round)
  }
  const extra = (share: "p50" | "p99"): ReadonlyArray<number> =>
    runs.map(({ hub, bare }) => hub.latency[share] - bare.latency[share])
  const last = runs[runs.length - 1]!
  return {
    figures: [
      difference("command_added_p50_ms", extra("p50"), "ms", goals.addedP50),
      difference("command_added_p99_ms", extra("p99"), "ms", goals.addedP99),
      middle(
        "command_p50_ms",
        runs.map(({ hub }) => hub.latency.p50),
        "ms"
      ),
      middle(
        "command_p99_ms",
        runs.map(({ hub }) => hub.latency.p99),
        "ms"
      )
    ],
    series: [
      {
        title: `Command latency at ${pacedRate} commands/s`,
        x: "percentile",
        y: "ms",
        lines: (["hub", "bare"] as const).map((name) => ({ name, points: last[name].latency.curve }))
      },
      {
        title: `p99 over time at ${pacedRate} commands/s`,
        x: "s",
        y: "ms",
        lines: (["hub", "bare"] as const).map((name) => ({
          name,
          points: last[name].timeline.map(({ second, p99 }) => [second, p99] as const)
        }))
      }
    ]
  }
}

/**
 * CPU per command with few daemons and with many, at one offered rate; what the idle fleet costs by itself is taken
 * off.
 */
const grown = async (
  options: BenchOptions,
  fixture: Fixture,
  sizes: { readonly small: number; readonly large: number }
): Promise<Array<Figure>> => {
  const { hub, account, generator } = fixture
  const pid = pidOf(hub)
  const rate = options.rate ?? growthRate
  const cost = async (asks: ReadonlyArray<Ask>): Promise<Array<number>> => {
    const requests = asks.map((ask) => requestText(hub.url, ask))
    const load = (seconds: number) =>
      generator.ask("load", { url: hub.url, requests, connections: callers, seconds, rate })
    await load(Math.min(warmSeconds, options.seconds))
    const idle = await stretch(pid, async () => {
      await new Promise((go) => setTimeout(go, options.seconds * 1_000))
      return 1
    })
    const costs: Array<number> = []
    for (let run = 0; run < options.runs; run++) {
      const busy = await stretch(pid, async () => (await load(options.seconds)).answered)
      costs.push(((busy.busy - idle.busy) * 1e6) / busy.perSecond)
    }
    return costs
  }
  try {
    options.say(`command: growth, ${sizes.small} daemons`)
    const asksOf = async (fleet: string, count: number): Promise<ReadonlyArray<Ask>> =>
      (await settle(generator, fleet, hub.url, await tokensFor(fixture, count))).map((daemonId) =>
        commandTo(daemonId, account.key)
      )
    const first = await asksOf("first", sizes.small)
    const small = await cost(first)
    options.say(`command: growth, ${sizes.large} daemons connect`)
    const large = await cost([...first, ...(await asksOf("more", sizes.large - sizes.small))])
    const figure = against("growth_command", median(large), median(small), "µs", "<=", goals.growth)
    return [{ ...figure, spread: spread(large) }]
  } finally {
    for (const fleet of ["first", "more"]) await generator.ask("close", { fleet }).catch(() => undefined)
  }
}
