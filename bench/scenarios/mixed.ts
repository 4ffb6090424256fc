/**
 * A day in a minute: daemons that idle, talk, flap, hardly read and break off in mid-command, with commands and lists
 * at a steady rate beside them. Owns the mixture; its question is whether anything but the broken ones notices.
 */

import { type BenchOptions, type Outcome, pidOf, requestText, stretch, withFixture } from "../fixture.ts"
import type { Behaviour } from "../fleet/light-daemon.ts"
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

/** Runs the scenario. */
export const mixed = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async ({ hub, account, generator }) => {
    const count = options.daemons ?? fleetSize
    const pid = pidOf(hub)
    const tokens = (await enrol(hub, account, count)).map(({ token }) => token)
    const members = new Map<Behaviour, ReadonlyArray<string>>()
    for (const [manner, share] of shares) {
      const own = tokens.splice(0, manner === "lost" ? tokens.length : Math.max(1, Math.floor(count * share)))
      options.say(`mixed: ${own.length} ${manner} daemons connect`)
      await generator.ask("fleet", { fleet: manner, url: hub.url, reportMillis: 30_000 })
      const { daemonIds } = await generator.ask("join", { fleet: manner, tokens: own, manner, atOnce: 200 })
      members.set(manner, daemonIds)
    }
    const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" }
    const command = (daemonId: string): string =>
      requestText(hub.url, {
        method: "POST",
        path: `/api/v1/daemons/${daemonId}/command`,
        headers,
        body: '{"type":"read_chat","payload":{}}'
      })
    const list = requestText(hub.url, {
      method: "GET",
      path: `/api/v1/daemons/${members.get("idle")![0]}/status`,
      headers
    })
    const healthy = ["idle", "chatty"].flatMap((manner) => members.get(manner as Behaviour) ?? []).map(command)
    const broken = ["flapping", "lost"].flatMap((manner) => members.get(manner as Behaviour) ?? []).map(command)
    const { seconds } = options
    const rate = options.rate ?? commandRate
    const load = (requests: ReadonlyArray<string>, perSecond: number) =>
      generator.ask("load", { url: hub.url, requests, connections: callers, seconds, rate: perSecond })
    const memory: Array<readonly [number, number]> = []
    const started = performance.now()
    const watching =
      pid === undefined
        ? undefined
        : setInterval(() => {
            const at = (performance.now() - started) / 1_000
            void rssBytes(pid).then((rss) => memory.push([at, rss / 1e6]))
            options.say(`mixed: ${Math.round(at)} of ${seconds} s`)
          }, 1_000)
    let answers: ReadonlyArray<Awaited<ReturnType<typeof load>>> = []
    const measured = await stretch(pid, async () => {
      answers = await Promise.all([load(healthy, rate), load([list], rate), load(broken, Math.max(1, rate / 20))])
      return answers.reduce((sum, { answered }) => sum + answered, 0)
    })
    clearInterval(watching)
    const [good, lists, bad] = answers as [(typeof answers)[0], (typeof answers)[0], (typeof answers)[0]]
    let closed = 0
    let acks = 0
    for (const [manner] of shares) {
      const figures = await generator.ask("figures", { fleet: manner })
      acks += figures.acks
      if (manner === "idle" || manner === "chatty")
        closed += Object.values(figures.closes).reduce((sum, many) => sum + many, 0)
      await generator.ask("close", { fleet: manner })
    }
    const failed = good.answered - (good.statuses["200"] ?? 0)
    const series: Array<Series> = [
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
        lines: [
          { name: "commands", points: good.timeline.map(({ second, perSecond }) => [second, perSecond] as const) }
        ]
      },
      { title: "Memory of the hub", x: "s", y: "MB", lines: [{ name: "RSS", points: memory }] }
    ]
    return {
      figures: [
        atMost("mixed_command_p99_ms", good.latency.p99, "ms", healthyP99Max),
        atMost("mixed_failed", failed, "commands", 0),
        atMost("mixed_healthy_lost", closed, "daemons", 0),
        shown("mixed_command_p50_ms", good.latency.p50, "ms"),
        shown("mixed_status_p99_ms", lists.latency.p99, "ms"),
        shown("mixed_broken_answered", bad.answered, "commands"),
        shown("mixed_events_acked", acks, "events"),
        shown("mixed_busy", measured.busy * 100, "%")
      ],
      series
    }
  })
