/**
 * Do deliveries go on for long, while a forgotten transaction keeps Postgres from cleaning up, while its connections
 * are cut, and as before afterwards? One hub on a Postgres of its own, four phases under one steady load. Owns the
 * phases and what they are compared by.
 */
import { setTimeout as pause } from "node:timers/promises"
import { type BenchOptions, type Outcome, stretch } from "../fixture.ts"
import { type Arrivals, counted, endpoints, fleet, reset, subscribe } from "../load/deliveries.ts"
import { different, lap, endure as load } from "../load/endurance.ts"
import { against, atMost, type Figure, type Series, shown } from "../report/figures.ts"
import { startProgram } from "../servers/child.ts"
import { type BenchHub, makeAccount, startHub } from "../servers/hub.ts"
import { startPostgres } from "../servers/postgres.ts"
import { interfere, type StoreFaults, weighed } from "../servers/store-faults.ts"

const deliveriesPerSecond = 2_000
const peers = 40
const warmUpSeconds = 10
const lookMillis = 100
/** A phase in which nothing arrives is this much longer at most. */
const silentMillisMax = 60_000
const goals = { after: 0.95, growth: 1.2 }
/** Each phase as a share of `--seconds`, the length of the first. */
const lengths = { before: 1, pinned: 1 / 6, cut: 1 / 6, after: 1 / 3 }
type Phase = keyof typeof lengths
const phases = Object.keys(lengths) as ReadonlyArray<Phase>
const said: Record<Phase, string> = {
  before: "as it is",
  pinned: "beside an idle transaction",
  cut: "a connection of the hub is ended each second",
  after: "as before"
}

/** One second of the run. */
interface Sample {
  readonly phase: Phase
  readonly second: number
  readonly calls: number
  readonly megabytes: ReadonlyArray<number>
}

/** What a phase came to. */
interface Measured {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly postgresMicros: number
  readonly arrivals: Arrivals
}

interface Run {
  readonly measured: Readonly<Record<Phase, Measured>>
  readonly samples: ReadonlyArray<Sample>
  readonly lost: number
  readonly repeated: number
  readonly ended: number
}

const megabyte = 1e6

/**
 * Makes a sample each second until the phase is over and something has arrived in it, and ends a connection with each
 * where that is the phase.
 */
const watch = async (
  phase: Phase,
  seconds: number,
  receiver: string,
  faults: StoreFaults,
  samples: Array<Sample>
): Promise<number> => {
  const from = samples.at(-1)?.second ?? 0
  const before = await counted(receiver)
  const started = performance.now()
  let ended = 0
  for (;;) {
    const left = seconds * 1_000 - (performance.now() - started)
    const nothing = (samples.at(-1)?.calls ?? 0) <= before
    if (left <= 0 && !(nothing && left > -silentMillisMax)) return ended
    if (phase === "cut" && left > 0 && (await faults.endBackend())) ended++
    await pause(left > 0 ? Math.min(1_000, left) : lookMillis)
    const megabytes = (await faults.bytes()).map((bytes) => bytes / megabyte)
    const second = from + (performance.now() - started) / 1_000
    samples.push({ phase, second, calls: await counted(receiver), megabytes })
  }
}

/** All phases, one after another, under one load. */
const perform = async (
  options: BenchOptions,
  hub: BenchHub,
  postgres: { readonly url: string; readonly pid: number },
  receiver: string
): Promise<Run> => {
  const account = await makeAccount(hub, "endure@bench.local")
  for (let endpoint = 0; endpoint < endpoints; endpoint++) await subscribe(hub, account, `${receiver}/h/${endpoint}`)
  const daemons = await fleet(hub, account, peers)
  const faults = await interfere(postgres.url)
  const samples: Array<Sample> = []
  const measured = {} as Record<Phase, Measured>
  let ended = 0
  try {
    await reset(receiver)
    const running = load(receiver, daemons, options.rate ?? deliveriesPerSecond)
    await pause(options.tiny === true ? 0 : warmUpSeconds * 1_000)
    for (const phase of phases) {
      const seconds = options.seconds * lengths[phase]
      options.say(`endure: ${Math.round(seconds)} s ${said[phase]}`)
      const unpin = phase === "pinned" ? await faults.pin() : undefined
      await lap(receiver)
      const work = async (): Promise<number> => {
        const before = await different(receiver)
        ended += await watch(phase, seconds, receiver, faults, samples)
        return (await different(receiver)) - before
      }
      const { perSecond, cpuMicros, stores } = await stretch(hub.pid, work, { postgres: postgres.pid })
      measured[phase] = { perSecond, cpuMicros, postgresMicros: stores.postgres, arrivals: await lap(receiver) }
      await unpin?.()
    }
    const lost = await running.end()
    return { measured, samples, lost, repeated: (await counted(receiver)) - (await different(receiver)), ended }
  } finally {
    await faults.close()
    for (const daemon of daemons) daemon.close()
  }
}

const whole = ({ megabytes }: Sample): number => megabytes.reduce((sum, one) => sum + one, 0)

/** The size of all tables in a part of a phase: the largest there, since cleaning up comes in waves. */
const size = (samples: ReadonlyArray<Sample>, phase: Phase, from: number, to: number): number => {
  const own = samples.filter((sample) => sample.phase === phase)
  const part = own.slice(Math.floor(own.length * from), Math.max(1, Math.ceil(own.length * to)))
  return Math.max(...part.map(whole))
}

const figuresOf = ({ measured, samples, lost, repeated, ended }: Run): ReadonlyArray<Figure> => {
  const growth = (name: string, phase: Phase, early: readonly [number, number]): Figure =>
    against(name, size(samples, phase, 0.8, 1), size(samples, phase, ...early), "MB", "<=", goals.growth)
  return [
    atMost("endure_lost", lost, "deliveries", 0),
    against(
      "endure_throughput_after_vs_before",
      measured.after.perSecond,
      measured.before.perSecond,
      "/s",
      ">=",
      goals.after
    ),
    growth("endure_table_growth", "before", [0.2, 0.4]),
    growth("endure_table_growth_after", "after", [0, 0.2]),
    // a cost per delivery has no value where none arrived
    ...phases
      .flatMap((phase) => [
        shown(`endure_${phase}_per_s`, measured[phase].perSecond, "/s"),
        shown(`endure_${phase}_p50_ms`, measured[phase].arrivals.p50, "ms"),
        shown(`endure_${phase}_p99_ms`, measured[phase].arrivals.p99, "ms"),
        shown(`endure_${phase}_cpu_us`, measured[phase].cpuMicros, "µs"),
        shown(`endure_${phase}_postgres_us`, measured[phase].postgresMicros, "µs"),
        shown(`endure_${phase}_tables_mb`, size(samples, phase, 0.8, 1), "MB")
      ])
      .filter(({ value }) => Number.isFinite(value)),
    shown("endure_repeated", repeated, "deliveries"),
    shown("endure_connections_ended", ended, "connections")
  ]
}

const seriesOf = ({ samples }: Run): ReadonlyArray<Series> => [
  {
    title: `Deliveries over time (${phases.map((phase) => said[phase]).join("; ")})`,
    x: "s",
    y: "/s",
    lines: phases.map((phase) => ({
      name: phase,
      points: samples.flatMap((sample, at) => {
        const last = samples[at - 1]
        if (sample.phase !== phase || last === undefined) return []
        return [[sample.second, (sample.calls - last.calls) / (sample.second - last.second)] as const]
      })
    }))
  },
  {
    title: "Tables with their indexes",
    x: "s",
    y: "MB",
    lines: weighed.map((name, at) => ({
      name,
      points: samples.map(({ second, megabytes }) => [second, megabytes[at]!] as const)
    }))
  }
]

/** Runs the scenario. */
export const endure = async (options: BenchOptions): Promise<Outcome> => {
  const receiver = startProgram("servers/receiver.ts", [])
  try {
    const url = `http://127.0.0.1:${(await receiver.line())["port"]}`
    const postgres = await startPostgres()
    try {
      const settings = { DATABASE_URL: postgres.url, HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8", ...options.settings }
      const hub = await startHub({ settings, nodeArguments: options.nodeArguments ?? [] })
      try {
        const run = await perform(options, hub, postgres, url)
        return { figures: figuresOf(run), series: seriesOf(run) }
      } finally {
        await hub.stop()
      }
    } finally {
      await postgres.stop()
    }
  } finally {
    await receiver.stop()
  }
}
