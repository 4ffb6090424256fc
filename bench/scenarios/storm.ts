/**
 * Everybody at once: a fleet loses all its connections in one moment and comes back, while commands to other daemons go on at
 * a steady rate. Owns two questions: how long until all are back, and whether the others notice.
 */
import { atMost, type Series, shown } from "../figures.ts"
import { startGenerator } from "../generator.ts"
import { type BenchOptions, coreOfLoad, type Ground, type Outcome, onGround, requestText } from "../ground.ts"
import { enrol } from "../hub.ts"
import { commandTo, settle } from "./fleets.ts"

const fleetSize = 10_000
const othersSize = 200
const commandRate = 200
const callers = 64
const goals = { backSeconds: 30, p99Millis: 200 }
const patienceMillis = 60_000
/** The commands go on for as long as the crowd should take to come back. */
const loadSeconds = 12
const calmSeconds = 5
/** The rate at which a hub lets daemons in when nobody says otherwise. */
const standard = { HUB_CONNECTS_PER_SECOND: "1000" }

/** Runs the scenario. */
export const storm = (options: BenchOptions): Promise<Outcome> =>
  onGround({ ...options, settings: { ...standard, ...options.settings } }, async (ground) => {
    // a process of its own: who measures must not wait for the crowd
    const crowd = startGenerator(coreOfLoad(options))
    try {
      return await measured(options, ground, crowd)
    } finally {
      await crowd.stop()
    }
  })

const measured = async (
  options: BenchOptions,
  { hub, account, generator }: Ground,
  crowd: Ground["generator"]
): Promise<Outcome> => {
  const count = options.daemons ?? fleetSize
  const tokens = (await enrol(hub, account, count + othersSize)).map(({ token }) => token)
  options.say(`storm: ${tokens.length} daemons connect`)
  const others = await settle(generator, "others", hub.url, tokens.splice(0, othersSize))
  await settle(crowd, "crowd", hub.url, tokens)
  const requests = others.map((id) => requestText(hub.url, commandTo(id, account.key)))
  const rate = options.rate ?? commandRate
  const load = (seconds: number) =>
    generator.ask("load", { url: hub.url, requests, connections: callers, seconds, rate })
  const scale = options.tiny === true ? 0.05 : 1
  options.say("storm: calm")
  const calm = await load(calmSeconds * scale)
  options.say(`storm: ${count} daemons are cut off`)
  const [back, answers] = await Promise.all([
    crowd.ask("storm", { fleet: "crowd", patienceMillis }),
    load(loadSeconds * scale)
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
      lines: [{ name: "p99", points: answers.timeline.map(({ second, p99 }) => [second, p99] as const) }]
    }
  ]
  return {
    figures: [
      atMost("storm_back_s", back.millis / 1_000, "s", goals.backSeconds),
      atMost("storm_command_p99_ms", answers.latency.p99, "ms", goals.p99Millis),
      atMost("storm_failed", failed, "commands", 0),
      shown("storm_command_p50_ms", answers.latency.p50, "ms"),
      shown("storm_calm_p99_ms", calm.latency.p99, "ms"),
      shown("storm_put_off", back.putOff, "times")
    ],
    series
  }
}
