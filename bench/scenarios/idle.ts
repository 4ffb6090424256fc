/**
 * What does a connected daemon that does nothing but report weigh, and what CPU does it take: of a lone node, and of
 * one that is joined to others?
 */

import { type BenchOptions, type Outcome, pidOf, stretch, withFixture } from "../fixture.ts"
import { middleIfKnown } from "../report/compare.ts"
import { atMost, type Figure, type Series, shown } from "../report/figures.ts"
import { freePort } from "../servers/free-port.ts"
import { enrol, rssBytes } from "../servers/hub.ts"
import { collect, inspectedAt } from "../servers/inspector.ts"
import { UsageError } from "../usage-error.ts"

const fleetSize = 15_000
const secondsMin = 60
const reportMillis = 30_000
const goals = { rssBytes: 10_240, cpuMicros: 6 }

/** Runs the scenario. */
export const idle = async (options: BenchOptions): Promise<Outcome> => {
  // a hub that runs already has no inspector unless it is said: its memory is taken as it is
  const port = options.hub === undefined ? await freePort() : options.inspector
  const nodeArguments = [...(options.nodeArguments ?? []), ...(port === undefined ? [] : inspectedAt(port))]
  return withFixture({ ...options, nodeArguments }, async ({ hub, hubs, stores, account, generator }) => {
    const pid = pidOf(hub)
    if (pid === undefined)
      throw new UsageError("idle measures a process: it needs a hub on this machine, named by --pid")
    const weigh = async (): Promise<number> => {
      if (port !== undefined) await collect(port)
      return rssBytes(pid)
    }
    const count = options.daemons ?? fleetSize
    const seconds = options.tiny === true ? options.seconds : Math.max(secondsMin, options.seconds)
    options.say(`idle: enrolling ${count} daemons`)
    const tokens = (await enrol(hub, account, count)).map(({ token }) => token)
    const empty = await weigh()
    options.say(`idle: ${count} daemons connect`)
    await generator.ask("fleet", { fleet: "idle", url: hub.url, reportMillis })
    const { failed } = await generator.ask("join", { fleet: "idle", tokens, manner: "idle", atOnce: 200 })
    if (failed > 0) throw new Error(`${failed} of ${count} daemons could not connect`)
    const memory: Array<readonly [number, number]> = []
    const watch = async (): Promise<number> => {
      const ends = performance.now() + seconds * 1_000
      for (let at = 0; performance.now() < ends; at++) {
        memory.push([at, (await rssBytes(pid)) / 1e6])
        options.say(`idle: ${at} of ${seconds} s, ${Math.round(memory[at]![1])} MB`)
        await new Promise((go) => setTimeout(go, Math.min(1_000, Math.max(1, ends - performance.now()))))
      }
      return 1
    }
    // the first reports, all within 2 s of the connect, are not idleness
    await new Promise((go) => setTimeout(go, options.tiny === true ? 0 : 5_000))
    const measured = await stretch(pid, watch, stores)
    const full = await weigh()
    const { online } = await generator.ask("figures", { fleet: "idle" })
    await generator.ask("close", { fleet: "idle" })
    if (online < count) throw new Error(`${count - online} of ${count} daemons were lost`)
    const name = hubs.length > 1 ? "idle_joined" : "idle"
    const figures: Array<Figure> = [
      atMost(`${name}_rss_bytes`, (full - empty) / count, "B", goals.rssBytes),
      atMost(`${name}_cpu_us_per_s`, (measured.busy * 1e6) / count, "µs/s", goals.cpuMicros),
      ...middleIfKnown(`${name}_postgres_us_per_s`, [(measured.stores.postgres * measured.perSecond) / count], "µs/s"),
      shown(`${name}_daemons`, count, "daemons"),
      shown(`${name}_hub_rss_mb`, full / 1e6, "MB"),
      shown(`${name}_empty_rss_mb`, empty / 1e6, "MB")
    ]
    const series: Array<Series> = [
      { title: `Memory with ${count} idle daemons`, x: "s", y: "MB", lines: [{ name: "RSS", points: memory }] }
    ]
    return { figures, series }
  })
}
