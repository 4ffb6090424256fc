/** How many daemons a second does a hub take in, credential and all, each token read for the first time? */

import { type BenchOptions, type Outcome, pidOf, type Stretch, stretch, withFixture } from "../fixture.ts"
import { capacity, middle, middleAtLeast, middleIfKnown } from "../report/compare.ts"
import { enrol } from "../servers/hub.ts"

const wave = 4_000
const warmWave = 1_000
const atOnce = 400
const perSecondMin = 3_000

/** Runs the scenario. */
export const connect = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async ({ hub, stores, account, generator }) => {
    const count = options.daemons ?? wave
    const join = async (fleet: string, tokens: ReadonlyArray<string>): Promise<Stretch> => {
      await generator.ask("fleet", { fleet, url: hub.url, reportMillis: 0 })
      const measured = await stretch(
        pidOf(hub),
        async () => {
          const { failed } = await generator.ask("join", { fleet, tokens, manner: "idle", atOnce })
          if (failed > 0) throw new Error(`${failed} of ${tokens.length} daemons could not connect`)
          return tokens.length
        },
        stores
      )
      await generator.ask("close", { fleet })
      return measured
    }
    const fresh = async (many: number): Promise<ReadonlyArray<string>> => {
      options.say(`connect: enrolling ${many} daemons`)
      return (await enrol(hub, account, many)).map(({ token }) => token)
    }
    await join("warm", await fresh(Math.min(warmWave, count)))
    const waves: Array<Stretch> = []
    for (let run = 1; run <= options.runs; run++) {
      const tokens = await fresh(count)
      options.say(`connect: wave ${run} of ${options.runs}`)
      waves.push(await join(`wave ${run}`, tokens))
    }
    return {
      figures: [
        middleAtLeast("connect_per_s", waves.map(capacity), "/s", perSecondMin),
        middle(
          "connect_measured_per_s",
          waves.map(({ perSecond }) => perSecond),
          "/s"
        ),
        middle(
          "connect_cpu_us",
          waves.map(({ cpuMicros }) => cpuMicros),
          "µs"
        ),
        ...middleIfKnown(
          "connect_postgres_us",
          waves.map((one) => one.stores.postgres),
          "µs"
        ),
        middle(
          "connect_busy",
          waves.map(({ busy }) => busy * 100),
          "%"
        )
      ]
    }
  })
