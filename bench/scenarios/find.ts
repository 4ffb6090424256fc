/** How long does it take to find machines of a large account by words, while they are online and once they are not? */
import { setTimeout as pause } from "node:timers/promises"
import { type BenchOptions, type Fixture, type Outcome, withFixture } from "../fixture.ts"
import { median, middleAtMost } from "../report/compare.ts"
import { type Figure, shown } from "../report/figures.ts"
import { enrol } from "../servers/hub.ts"
import { settle } from "./fleets.ts"

const fleetSize = 10_000
const millisMax = 50
const calls = 100
const pageSize = 100
const lookMillis = 500
const patienceMillis = 120_000
const fleet = "find"
/** Each call's other than the one before: a word that all have, and one that some have. */
const wordsOf = (nth: number): string => `bench ${nth.toString(36)}`

type Finder = ReturnType<Fixture["hub"]["client"]>

/** Milliseconds of so many calls, one after another. */
const found = async (client: Finder, include: { readonly include?: "offline" }): Promise<ReadonlyArray<number>> => {
  const millis: Array<number> = []
  for (let nth = 0; nth < calls; nth++) {
    const began = performance.now()
    await client.daemons.list({ q: wordsOf(nth), limit: pageSize, ...include })
    millis.push(performance.now() - began)
  }
  return millis
}

const figuresOf = (name: string, runs: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<Figure> => [
  middleAtMost(`${name}_ms`, runs.map(median), "ms", millisMax),
  shown(`${name}_worst_ms`, Math.max(...runs.flat()), "ms")
]

const allAway = async (client: Finder): Promise<void> => {
  const until = performance.now() + patienceMillis
  while ((await client.daemons.list({ q: "bench", limit: 1 })).onlineTotal !== 0) {
    if (performance.now() > until) throw new Error("daemons that left are still online")
    await pause(lookMillis)
  }
}

/** Runs the scenario. */
export const find = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async ({ hub, account, generator }) => {
    const count = options.daemons ?? fleetSize
    options.say(`find: ${count} daemons connect`)
    const tokens = (await enrol(hub, account, count)).map(({ token }) => token)
    await settle(generator, fleet, hub.url, tokens)
    const client = hub.client(account.key)
    const measured = async (include: { readonly include?: "offline" }) => {
      const runs: Array<ReadonlyArray<number>> = []
      await found(client, include)
      for (let run = 0; run < options.runs; run++) runs.push(await found(client, include))
      return runs
    }
    options.say("find: all online")
    const online = await measured({})
    await generator.ask("close", { fleet })
    options.say("find: all go offline")
    await allAway(client)
    const offline = await measured({ include: "offline" })
    return {
      figures: [
        ...figuresOf("find_online", online),
        ...figuresOf("find_offline", offline),
        shown("find_daemons", count, "daemons")
      ]
    }
  })
