/** How many events per second does a hub receive and acknowledge without a subscriber? */

import { type BenchOptions, type Fixture, type Outcome, pidOf, type Stretch, stretch, withFixture } from "../fixture.ts"
import { capacity, middle, middleAtLeast, middleIfKnown } from "../report/compare.ts"
import { enrol, makeAccount } from "../servers/hub.ts"

const fleetSize = 5_000
const perSecondMin = 25_000
/** A daemon may send 100 frames in 10 s, its reports among them. */
const perDaemonMax = 9

/** The daemons of one account may send some 11,000 events/s together (docs/daemon-protocol.md, P87). */
const accountCount = 8

/** Tokens of a fleet that belongs to several accounts, where the hub is the bench's own. */
const tokensFor = async (options: BenchOptions, { hub, account }: Fixture, count: number): Promise<Array<string>> => {
  const accounts = [account]
  while (options.tiny !== true && hub.owner === undefined && accounts.length < accountCount)
    accounts.push(await makeAccount(hub, `bench${accounts.length}@bench.local`))
  const share = Math.ceil(count / accounts.length)
  const tokens: Array<string> = []
  for (const one of accounts)
    tokens.push(...(await enrol(hub, one, Math.min(share, count - tokens.length))).map(({ token }) => token))
  return tokens
}

/** Runs the scenario. */
export const fanout = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async (fixture) => {
    const { hub, stores, generator } = fixture
    const count = options.daemons ?? fleetSize
    options.say(`fanout: ${count} daemons connect`)
    const tokens = await tokensFor(options, fixture, count)
    await generator.ask("fleet", { fleet: "fanout", url: hub.url, reportMillis: 0 })
    const { failed } = await generator.ask("join", { fleet: "fanout", tokens, manner: "idle", atOnce: 200 })
    if (failed > 0) throw new Error(`${failed} of ${count} daemons could not connect`)
    const perSecond = options.rate ?? perDaemonMax * count
    const runs: Array<Stretch> = []
    for (let run = 0; run <= options.runs; run++) {
      options.say(run === 0 ? "fanout: warm-up" : `fanout: run ${run} of ${options.runs}, ${perSecond}/s offered`)
      const seconds = run === 0 ? Math.min(2, options.seconds) : options.seconds
      const measured = await stretch(
        pidOf(hub),
        async () => {
          const { sent, acked } = await generator.ask("events", { fleet: "fanout", perSecond, seconds })
          if (acked < sent) throw new Error(`${sent - acked} of ${sent} events were not acknowledged`)
          return acked
        },
        stores
      )
      if (run > 0) runs.push(measured)
    }
    await generator.ask("close", { fleet: "fanout" })
    return {
      figures: [
        middleAtLeast("events_per_s", runs.map(capacity), "/s", perSecondMin),
        middle(
          "events_measured_per_s",
          runs.map(({ perSecond }) => perSecond),
          "/s"
        ),
        middle(
          "events_cpu_us",
          runs.map(({ cpuMicros }) => cpuMicros),
          "µs"
        ),
        ...middleIfKnown(
          "events_postgres_us",
          runs.map((one) => one.stores.postgres),
          "µs"
        ),
        middle(
          "events_busy",
          runs.map(({ busy }) => busy * 100),
          "%"
        )
      ]
    }
  })
