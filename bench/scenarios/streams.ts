/**
 * What does it cost to pass on what agents say, from the frame of a daemon to the streams of its sessions, beside bare
 * uWebSockets.js, how late does it arrive, and what does a stream weigh that says nothing? Owns those comparisons.
 */
import {
  type BenchOptions,
  coreOfLoad,
  coreOfServer,
  type Fixture,
  type Outcome,
  pidOf,
  type Stretch,
  stretch,
  withFixture
} from "../fixture.ts"
import { type AskedProgram, startAsked } from "../fleet/generator.ts"
import type { Heard, StreamJobs } from "../fleet/streams-process.ts"
import { cpuRatio, details, median, middle, spread } from "../report/compare.ts"
import { atMost, type Figure } from "../report/figures.ts"
import { startProgram } from "../servers/child.ts"
import { freePort } from "../servers/free-port.ts"
import { enrol, rssBytes } from "../servers/hub.ts"
import { collect, inspectedAt } from "../servers/inspector.ts"

const streamsUsual = 1_000
const sessionsPerDaemon = 10
const perStreamPerSecond = 20
const warmSeconds = 3
const goals = { p50: 2, p99: 20, cpuVsBare: 2.5, bytes: 16_384 }

type Server = "hub" | "bare"
type Talkers = AskedProgram<StreamJobs>

interface Target {
  readonly pid: number | undefined
  readonly talkers: Talkers
}

interface Sizes {
  readonly daemons: number
  readonly sessions: number
}

const talk = async (
  { pid, talkers }: Target,
  sizes: Sizes,
  seconds: number
): Promise<{ readonly stretch: Stretch; readonly heard: Heard }> => {
  const perSecond = sizes.daemons * sizes.sessions * perStreamPerSecond
  let heard: Heard | undefined
  const measured = await stretch(pid, async () => {
    heard = await talkers.ask("talk", { perSecond, seconds })
    if (heard.received < heard.sent) throw new Error(`${heard.sent - heard.received} of ${heard.sent} words were lost`)
    return heard.received
  })
  return { stretch: measured, heard: heard! }
}

/** Memory of the hub, where its process is here; collected before, where it can be told to. */
const weigh = async (pid: number | undefined, port: number | undefined): Promise<number> => {
  if (port !== undefined) await collect(port)
  return pid === undefined ? Number.NaN : rssBytes(pid)
}

const compare = async (
  options: BenchOptions,
  targets: Record<Server, Target>,
  sizes: Sizes
): Promise<Array<Figure>> => {
  const rounds: Array<Record<Server, Stretch>> = []
  const heard: Record<Server, Array<Heard>> = { hub: [], bare: [] }
  for (let run = 0; run <= options.runs; run++) {
    const round = {} as Record<Server, Stretch>
    for (const name of ["hub", "bare"] as const) {
      options.say(run === 0 ? `streams: warm-up, ${name}` : `streams: run ${run} of ${options.runs}, ${name}`)
      const seconds = run === 0 ? Math.min(warmSeconds, options.seconds) : options.seconds
      const talked = await talk(targets[name], sizes, seconds)
      round[name] = talked.stretch
      if (run > 0) heard[name].push(talked.heard)
    }
    if (run > 0) rounds.push(round)
  }
  const late = (name: string, values: ReadonlyArray<number>, goal: number): Figure => ({
    ...atMost(name, median(values), "ms", goal),
    ...(values.length < 2 ? {} : { spread: spread(values) })
  })
  return [
    late(
      "streams_p50_ms",
      heard.hub.map(({ p50 }) => p50),
      goals.p50
    ),
    late(
      "streams_p99_ms",
      heard.hub.map(({ p99 }) => p99),
      goals.p99
    ),
    cpuRatio("streams_cpu_vs_bare", rounds, "hub", "bare", goals.cpuVsBare),
    middle(
      "streams_bare_p50_ms",
      heard.bare.map(({ p50 }) => p50),
      "ms"
    ),
    middle(
      "streams_bare_p99_ms",
      heard.bare.map(({ p99 }) => p99),
      "ms"
    ),
    ...details(rounds, { hub: "streams", bare: "streams_bare" })
  ]
}

const measured = async (
  options: BenchOptions,
  { hub, account }: Fixture,
  port: number | undefined
): Promise<Outcome> => {
  const count = options.daemons ?? streamsUsual
  const sizes = { daemons: Math.ceil(count / sessionsPerDaemon), sessions: Math.min(count, sessionsPerDaemon) }
  const bare = startProgram("baseline/streams.ts", [], {}, coreOfServer(options))
  const programs: Record<Server, Talkers> = {
    hub: startAsked<StreamJobs>("fleet/streams-process.ts", coreOfLoad(options)),
    bare: startAsked<StreamJobs>("fleet/streams-process.ts", coreOfLoad(options))
  }
  try {
    options.say(`streams: ${sizes.daemons} daemons of ${sizes.sessions} sessions connect to each server`)
    const pid = pidOf(hub)
    const tokens = (await enrol(hub, account, sizes.daemons)).map(({ token }) => token)
    await programs.hub.ask("daemons", { url: hub.url, tokens, sessions: sizes.sessions })
    const targets = { hub: { pid, talkers: programs.hub }, bare: { pid: bare.pid, talkers: programs.bare } }
    const reported = () => new Promise((go) => setTimeout(go, options.tiny === true ? 100 : 2_000))
    await reported()
    // what the first streams of a process cost is not theirs
    await programs.hub.ask("readers", { url: hub.url, key: account.key })
    await programs.hub.ask("leave", null)
    await programs.hub.ask("daemons", { url: hub.url, tokens, sessions: sizes.sessions })
    await reported()
    const empty = await weigh(pid, port)
    const open = await programs.hub.ask("readers", { url: hub.url, key: account.key })
    await new Promise((go) => setTimeout(go, options.tiny === true ? 0 : 1_000))
    const full = await weigh(pid, port)
    const url = `http://127.0.0.1:${(await bare.line())["port"]}`
    const unknown = Array.from({ length: sizes.daemons }, (_, at) => `dmn_bench${String(at).padStart(8, "0")}`)
    await programs.bare.ask("daemons", { url, tokens: unknown, sessions: sizes.sessions })
    await programs.bare.ask("readers", { url, key: "" })
    const figures = await compare(options, targets, sizes)
    return { figures: [...figures, atMost("streams_idle_bytes", (full - empty) / open, "B", goals.bytes)] }
  } finally {
    await Promise.all([programs.hub.stop(), programs.bare.stop(), bare.stop()])
  }
}

/** Runs the scenario. */
export const streams = async (options: BenchOptions): Promise<Outcome> => {
  // a hub that runs already has no inspector: its memory is taken as it is
  const port = options.hub === undefined ? await freePort() : undefined
  const nodeArguments = [...(options.nodeArguments ?? []), ...(port === undefined ? [] : inspectedAt(port))]
  return withFixture({ ...options, nodeArguments }, (fixture) => measured(options, fixture, port))
}
