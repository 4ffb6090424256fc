/**
 * A day in a minute: daemons that idle, talk, flap, hardly read and break off in mid-command, with commands and lists
 * at a steady rate beside them. Owns the mixture; its question is whether anything but the broken ones notices.
 */

import { type BenchOptions, type Fixture, type Outcome, pidOf, requestText, stretch, withFixture } from "../fixture.ts"
import type { Behaviour } from "../fleet/light-daemon.ts"
import type { Answers } from "../load/open-loop.ts"
import { atMost, type Series, shown } from "../report/figures.ts"
import { enrol, rssBytes } from "../servers/hub.ts"

const fleetSize = 2_000
const commandRate = 200
const callers = 256
const healthyP99Max = 100
const shares: ReadonlyArray<readonly [Behaviour, number]> = [
  ["idle", 0.6],
  ["chatty", 0.25],
  ["flapping", 0.05],
  ["slow", 0.05],
  ["lost", 0.05]
]

type Fleets = ReadonlyMap<Behaviour, ReadonlyArray<string>>

/** Connects each fleet; gives the ids of its daemons. */
const connectFleets = async ({ hub, account, generator }: Fixture, options: BenchOptions): Promise<Fleets> => {
  const count = options.daemons ?? fleetSize
  const tokens = (await enrol(hub, account, count)).map(({ token }) => token)
  const fleets = new Map<Behaviour, ReadonlyArray<string>>()
  for (const [manner, share] of shares) {
    const own = tokens.splice(0, manner === "lost" ? tokens.length : Math.max(1, Math.floor(count * share)))
    options.say(`mixed: ${own.length} ${manner} daemons connect`)
    await generator.ask("fleet", { fleet: manner, url: hub.url, reportMillis: 30_000 })
    const { daemonIds } = await generator.ask("join", { fleet: manner, tokens: own, manner, atOnce: 200 })
    fleets.set(manner, daemonIds)
  }
  return fleets
}

/** The requests of the three loads: commands to healthy daemons, lists, commands to broken daemons. */
const requestsOf = ({ hub, account }: Fixture, fleets: Fleets) => {
  const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" }
  const command = (daemonId: string): string =>
    requestText(hub.url, {
      method: "POST",
      path: `/api/v1/daemons/${daemonId}/command`,
      headers,
      body: '{"type":"read_chat","payload":{}}'
    })
  const commands = (...behaviours: ReadonlyArray<Behaviour>) =>
    behaviours.flatMap((manner) => fleets.get(manner) ?? []).map(command)
  const path = `/api/v1/daemons/${fleets.get("idle")![0]}/status`
  return {
    healthy: commands("idle", "chatty"),
    list: [requestText(hub.url, { method: "GET", path, headers })],
    broken: commands("flapping", "lost")
  }
}

/** Samples the hub's memory once per second until it is stopped. */
const watchMemory = (pid: number | undefined, { say, seconds }: BenchOptions) => {
  const samples: Array<readonly [number, number]> = []
  const started = performance.now()
  if (pid === undefined) return { samples, stop: () => undefined }
  const timer = setInterval(() => {
    const at = (performance.now() - started) / 1_000
    void rssBytes(pid).then((rss) => samples.push([at, rss / 1e6]))
    say(`mixed: ${Math.round(at)} of ${seconds} s`)
  }, 1_000)
  return { samples, stop: () => clearInterval(timer) }
}

/** Closes the fleets; counts what was acknowledged, and the healthy daemons that lost their connection. */
const closeFleets = async ({ generator }: Fixture) => {
  let healthyLost = 0
  let acks = 0
  for (const [manner] of shares) {
    const figures = await generator.ask("figures", { fleet: manner })
    acks += figures.acks
    if (manner === "idle" || manner === "chatty")
      healthyLost += Object.values(figures.closes).reduce((sum, many) => sum + many, 0)
    await generator.ask("close", { fleet: manner })
  }
  return { healthyLost, acks }
}

const seriesOf = (
  good: Answers,
  lists: Answers,
  memory: ReadonlyArray<readonly [number, number]>
): ReadonlyArray<Series> => [
  {
    title: "Command latency, healthy daemons",
    x: "percentile",
    y: "ms",
    lines: [
      { name: "command", points: good.latency.curve },
      { name: "status", points: lists.latency.curve }
    ]
  },
  {
    title: "Answers over time",
    x: "s",
    y: "/s",
    lines: [{ name: "commands", points: good.timeline.map(({ second, perSecond }) => [second, perSecond] as const) }]
  },
  { title: "Memory of the hub", x: "s", y: "MB", lines: [{ name: "RSS", points: memory }] }
]

/** Runs the scenario. */
export const mixed = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async (fixture) => {
    const { hub, generator } = fixture
    const pid = pidOf(hub)
    const { healthy, list, broken } = requestsOf(fixture, await connectFleets(fixture, options))
    const { seconds, rate = commandRate } = options
    const load = (requests: ReadonlyArray<string>, perSecond: number) =>
      generator.ask("load", { url: hub.url, requests, connections: callers, seconds, rate: perSecond })
    const memory = watchMemory(pid, options)
    let answers: ReadonlyArray<Answers> = []
    const measured = await stretch(pid, async () => {
      answers = await Promise.all([load(healthy, rate), load(list, rate), load(broken, Math.max(1, rate / 20))])
      return answers.reduce((sum, { answered }) => sum + answered, 0)
    })
    memory.stop()
    const [good, lists, bad] = answers as [Answers, Answers, Answers]
    const { healthyLost, acks } = await closeFleets(fixture)
    return {
      figures: [
        atMost("mixed_command_p99_ms", good.latency.p99, "ms", healthyP99Max),
        atMost("mixed_failed", good.answered - (good.statuses["200"] ?? 0), "commands", 0),
        atMost("mixed_healthy_lost", healthyLost, "daemons", 0),
        shown("mixed_command_p50_ms", good.latency.p50, "ms"),
        shown("mixed_status_p99_ms", lists.latency.p99, "ms"),
        shown("mixed_broken_answered", bad.answered, "commands"),
        shown("mixed_events_acked", acks, "events"),
        shown("mixed_busy", measured.busy * 100, "%")
      ],
      series: seriesOf(good, lists, memory.samples)
    }
  })
