/**
 * What does the hub's watching of itself cost a command: traces of one command in a hundred, beside a hub that does not
 * trace; metrics and the audit log, which every hub has, by their calls? Owns both comparisons.
 */
import {
  type BenchOptions,
  coreOfLoad,
  coreOfServer,
  type Fixture,
  type Outcome,
  pidOf,
  type Stretch,
  saturate,
  withFixture
} from "../fixture.ts"
import type { Ask } from "../load/wrk.ts"
import type { ObservingCost, ObservingSize } from "../micro/observing.ts"
import { cpuRatio, details, median, middle, type Rounds, whichCounts } from "../report/compare.ts"
import { atMost, type Figure, shown } from "../report/figures.ts"
import { startProgram } from "../servers/child.ts"
import { enrol } from "../servers/hub.ts"
import { commandTo, settle } from "./fleets.ts"

const fleetSize = 1_000
const callers = 64
const warmSeconds = 3
const sampled = "0.01"
const goals = { tracesCpu: 1.03, observedPercent: 3 }
const whole: Omit<ObservingSize, "runs"> = { calls: 2_000_000 }
const small: ObservingSize = { calls: 1_000, runs: 1 }

type Server = "plain" | "traced"
const names: Record<Server, string> = { plain: "observed", traced: "observed_traced" }

/** Calls a command makes, as the metrics of a hub themselves tell. */
interface Calls {
  readonly counts: number
  readonly observations: number
}

/** The sums of all counters, and the numbers of all that histograms had; not what Node tells of itself. */
const read = async (url: string): Promise<Calls> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const sum = (shape: RegExp): number => [...text.matchAll(shape)].reduce((all, [, value]) => all + Number(value), 0)
  return { counts: sum(/^hub_\w+_total(?:\{.*\})? (\d+)/gmu), observations: sum(/^hub_\w+_count(?:\{.*\})? (\d+)/gmu) }
}

interface Side {
  readonly fixture: Fixture
  readonly asks: ReadonlyArray<Ask>
}

const prepared = async (options: BenchOptions, fixture: Fixture): Promise<Side> => {
  const { hub, account, generator } = fixture
  const tokens = (await enrol(hub, account, options.daemons ?? fleetSize)).map(({ token }) => token)
  const asks = (await settle(generator, "observed", hub.url, tokens)).map((id) => commandTo(id, account.key))
  return { fixture, asks }
}

const load = (options: BenchOptions, { fixture: { hub, generator }, asks }: Side, seconds: number): Promise<Stretch> =>
  saturate(options, generator, pidOf(hub), hub.url, asks, callers, seconds)

/** Both hubs in turns; and the calls that a command of the plain one made. */
const turns = async (options: BenchOptions, sides: Record<Server, Side>) => {
  const rounds: Array<Record<Server, Stretch>> = []
  for (const name of ["plain", "traced"] as const)
    await load(options, sides[name], Math.min(warmSeconds, options.seconds))
  const { hub } = sides.plain.fixture
  const before = await read(hub.url)
  for (let run = 1; run <= options.runs; run++) {
    const round = {} as Record<Server, Stretch>
    for (const name of ["plain", "traced"] as const) {
      options.say(`observability: run ${run} of ${options.runs}, ${name}`)
      round[name] = await load(options, sides[name], options.seconds)
    }
    rounds.push(round)
  }
  const after = await read(hub.url)
  const done = rounds.reduce((sum, { plain }) => sum + plain.done, 0)
  const calls: Calls = {
    counts: (after.counts - before.counts) / done,
    observations: (after.observations - before.observations) / done
  }
  return { rounds, calls }
}

/** What the calls of a command add up to, as a share of its CPU. */
const shares = (
  rounds: Rounds<Server>,
  { counts, observations }: Calls,
  cost: ObservingCost
): ReadonlyArray<Figure> => {
  const command = median(rounds.map(({ plain }) => plain.cpuMicros))
  const metrics = counts * median(cost.count) + observations * median(cost.observe)
  const audit = median(cost.audit)
  return [
    atMost("observed_cpu_share", ((metrics + audit) / command) * 100, "%", goals.observedPercent),
    shown("observed_metrics_us", metrics, "µs"),
    middle("observed_audit_us", cost.audit, "µs"),
    shown("observed_counts", counts, "per command"),
    shown("observed_observations", observations, "per command")
  ]
}

const microCost = async (options: BenchOptions): Promise<ObservingCost> => {
  const size = options.tiny === true ? small : { ...whole, runs: options.runs }
  const child = startProgram("micro/observing-process.ts", [JSON.stringify(size)], {}, coreOfServer(options))
  try {
    return (await child.line()) as unknown as ObservingCost
  } finally {
    await child.stop()
  }
}

/** Runs the scenario. */
export const observability = async (options: BenchOptions): Promise<Outcome> => {
  const receiver = startProgram("servers/trace-receiver.ts", [], {}, coreOfLoad(options))
  try {
    const url = `http://127.0.0.1:${(await receiver.line())["port"]}`
    const tracing = {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: sampled
    }
    const traced = { ...options, settings: { ...options.settings, ...tracing } }
    const { rounds, calls } = await withFixture(options, (plain) =>
      withFixture(traced, async (other) =>
        turns(options, { plain: await prepared(options, plain), traced: await prepared(options, other) })
      )
    )
    options.say("observability: the calls by themselves")
    const cost = await microCost(options)
    const { bytes } = (await (await fetch(`${url}/taken`)).json()) as { readonly bytes: number }
    return {
      figures: [
        cpuRatio("traces_sampled_cpu", rounds, "traced", "plain", goals.tracesCpu),
        ...shares(rounds, calls, cost),
        ...details(rounds, names),
        shown("traces_received_kb", bytes / 1_000, "KB")
      ],
      notes: whichCounts("traces_sampled_cpu", rounds, names)
    }
  } finally {
    await receiver.stop()
  }
}
