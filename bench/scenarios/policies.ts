/** How soon has each connected daemon a changed policy, and what CPU does that take? */
import { type BenchOptions, type Outcome, pidOf, type Stretch, stretch, withFixture } from "../fixture.ts"
import { middle, middleAtMost, middleIfKnown } from "../report/compare.ts"
import { shown } from "../report/figures.ts"
import { enrol } from "../servers/hub.ts"

const fleetSize = 10_000
const millisMax = 2_000
const lookMillis = 10
const patienceMillis = 60_000
const rulesOf = (version: number) =>
  Array.from({ length: 50 }, (_, at) => ({
    action: "execute",
    resource: `program-${at} version-${version} *`,
    effect: "allow" as const
  }))

/** Runs the scenario. */
export const policies = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async ({ hub, account, stores, generator }) => {
    const count = options.daemons ?? fleetSize
    options.say(`policies: ${count} daemons connect`)
    const tokens = (await enrol(hub, account, count)).map(({ token }) => token)
    const fleet = "policies"
    await generator.ask("fleet", { fleet, url: hub.url, reportMillis: 0, capabilities: ["policies"] })
    const { failed } = await generator.ask("join", { fleet, tokens, manner: "idle", atOnce: 200 })
    if (failed > 0) throw new Error(`${failed} of ${count} daemons could not connect`)
    const told = async (number: number): Promise<number> => {
      const until = performance.now() + patienceMillis
      while ((await generator.ask("figures", { fleet })).policies < number) {
        if (performance.now() > until) throw new Error("not every daemon was told the policies")
        await new Promise((go) => setTimeout(go, lookMillis))
      }
      return count
    }
    // each with its connection
    await told(count)
    const owner = hub.client(account.session)
    const change = (version: number) => async () => {
      await owner.policies.set({ policyId: "bench", rules: rulesOf(version) })
      return told(count * (version + 2))
    }
    const runs: Array<Stretch> = []
    for (let run = 0; run <= options.runs; run++) {
      options.say(run === 0 ? "policies: warm-up" : `policies: run ${run} of ${options.runs}`)
      const measured = await stretch(pidOf(hub), change(run), stores)
      if (run > 0) runs.push(measured)
    }
    await generator.ask("close", { fleet })
    const millis = runs.map(({ perSecond }) => (count / perSecond) * 1_000)
    return {
      figures: [
        middleAtMost("policies_reach_ms", millis, "ms", millisMax),
        middle(
          "policies_cpu_us",
          runs.map(({ cpuMicros }) => cpuMicros),
          "µs"
        ),
        ...middleIfKnown(
          "policies_postgres_us",
          runs.map((one) => one.stores.postgres),
          "µs"
        ),
        shown("policies_daemons", count, "daemons")
      ]
    }
  })
