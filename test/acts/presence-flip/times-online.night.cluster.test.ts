/**
 * Several nodes on a real Postgres and a real Redis, daemons that come, move, leave and are lost, and whatever may go
 * wrong meanwhile: each time online is announced once at its beginning and once at its end.
 *
 * HUB_TEST_PRESENCE_RUNS=50 draws so many further seeds, from HUB_TEST_PRESENCE_SEED on. What happens in which
 * millisecond is up to the machine: a seed gives the same script, not the same course.
 */
import { describe, expect, it } from "vitest"
import { judge } from "../../actors/presence/random-faults/run.ts"
import { furtherSeeds, scriptOf } from "../../actors/presence/random-faults/script.ts"
import { databaseMissing } from "../../support/database.ts"
import { hasRedis } from "../../support/redis-server.ts"

const seeds: ReadonlyArray<number> = [3_001, 3_003, 3_012, 3_015]

const wrongsOf = async (seed: number, faultsMax?: number): Promise<string> => {
  const { wrongs, course } = await judge(scriptOf(seed, faultsMax))
  return wrongs.length === 0 ? "" : [`seed ${seed}`, ...wrongs, ...course].join("\n")
}

/** Real time on a machine that may be busy. */
const patience = { timeout: 400_000 }
const whole = "each time online of a daemon is announced once and ended once"

describe.runIf(hasRedis && !databaseMissing)(whole, patience, () => {
  it.concurrent("while nothing goes wrong", async () => {
    expect(await wrongsOf(1, 0)).toBe("")
  })

  it.concurrent.each([...seeds, ...furtherSeeds])(
    "whatever befalls nodes, Redis and Postgres (seed %i)",
    async (seed) => {
      expect(await wrongsOf(seed)).toBe("")
    }
  )
})
