/**
 * Everybody at once: a fleet loses all its connections in one moment and comes back, while commands to other daemons go
 * on at a steady rate. Owns two questions: how long until all are back, and whether the others notice.
 */

import { type BenchOptions, coreOfLoad, type Fixture, type Outcome, requestText, withFixture } from "../fixture.ts"
import { startGenerator } from "../fleet/generator.ts"
import type { Answers } from "../load/open-loop.ts"
import { atMost, type Series, shown } from "../report/figures.ts"
import { enrol } from "../servers/hub.ts"
import { commandTo, settle } from "./fleets.ts"

const fleetSize = 10_000
const othersSize = 200
const commandRate = 200
/** More than can wait at once while no call waits longer than a second. */
const callers = 256
/** A crowd comes from many places: a hub bounds what one address may have open before it says who it is. */
const addresses = 64
const firstAddress = "127.0.1.1"
const goals = { backSeconds: 12, p99Millis: 200 }
const patienceMillis = 60_000
const calmSeconds = 5
/** After this many daemons have just connected, the hub and its stores still write: it is not calm yet. */
const calmMillis = 25
const calmTries = 6
/** The rate at which a hub admits daemons by default. */
const standard = { HUB_CONNECTS_PER_SECOND: "1000" }

/** Runs the scenario. */
export const storm = (options: BenchOptions): Promise<Outcome> =>
  withFixture({ ...options, settings: { ...standard, ...options.settings } }, async (fixture) => {
    // a process of its own that yields: the measurement must not wait for the crowd, which really has its own machines
    const crowd = startGenerator(coreOfLoad(options), true)
    try {
      return await measured(options, fixture, crowd)
    } finally {
      await crowd.stop()
    }
  })

const measured = async (
  options: BenchOptions,
  { hub, account, generator }: Fixture,
  crowd: Fixture["generator"]
): Promise<Outcome> => {
  const count = options.daemons ?? fleetSize
  const tokens = (await enrol(hub, account, count + othersSize)).map(({ token }) => token)
  options.say(`storm: ${tokens.length} daemons connect`)
  const others = await settle(generator, "others", hub.url, tokens.splice(0, othersSize))
  const from = new URL(hub.url).hostname === "127.0.0.1" ? firstAddress : undefined
  await settle(crowd, "crowd", hub.url, tokens, from, addresses)
  const requests = others.map((id) => requestText(hub.url, commandTo(id, account.key)))
  const rate = options.rate ?? commandRate
  const load = (seconds: number) =>
    generator.ask("load", { url: hub.url, requests, connections: callers, standing: true, seconds, rate })
  const scale = options.tiny === true ? 0.05 : 1
  let calm: Answers | undefined
  for (let tries = 1; calm === undefined || (calm.latency.p99 > calmMillis && tries <= calmTries); tries++) {
    options.say(calm === undefined ? "storm: calm" : `storm: not calm yet, p99 ${Math.round(calm.latency.p99)} ms`)
    calm = await load(calmSeconds * scale)
  }
  options.say(`storm: ${count} daemons are cut off`)
  const [answers, back] = await Promise.all([
    load(patienceMillis / 1_000),
    crowd.ask("storm", { fleet: "crowd", patienceMillis }).finally(() => generator.ask("enough", null))
  ])
  if (back.online < count) throw new Error(`${count - back.online} of ${count} daemons did not come back`)
  const failed = answers.answered - (answers.statuses["200"] ?? 0)
  await generator.ask("close", { fleet: "others" })
  await crowd.ask("close", { fleet: "crowd" })
  const series: Array<Series> = [
    {
      title: "Command latency while a crowd comes back",
      x: "s",
      y: "ms",
      lines: [
        { name: "p99", points: answers.timeline.map(({ second, p99 }) => [second, p99] as const) },
        {
          name: "of it the generator's own",
          points: answers.timeline.map(({ second, late }) => [second, late] as const)
        }
      ]
    }
  ]
  return {
    figures: [
      atMost("storm_back_s", back.millis / 1_000, "s", goals.backSeconds),
      atMost("storm_command_p99_ms", answers.latency.p99, "ms", goals.p99Millis),
      atMost("storm_failed", failed, "commands", 0),
      shown("storm_command_p50_ms", answers.latency.p50, "ms"),
      shown("storm_calm_p99_ms", calm.latency.p99, "ms"),
      shown("storm_generator_late_p99_ms", answers.late.p99, "ms"),
      shown("storm_put_off", back.putOff, "times")
    ],
    series
  }
}
