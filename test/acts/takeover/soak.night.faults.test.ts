/**
 * Faults of every kind befall three nodes, their Postgres and their Redis one after the other for a minute, while
 * events and commands go on. Real processes. `node test/acts/takeover/soak-program.ts 600` is the same for longer,
 * with another seed.
 */
import { describe, expect, it } from "vitest"
import { databaseMissing } from "../../support/database.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { faults } from "./soak/faults.ts"
import { type Soaked, soak } from "./soak/soak.ts"

// A minute and what it takes to be healthy again after each; real processes on a busy machine take longer.
const patience = { timeout: 1_200_000 }
const say = (line: string): void => void process.stderr.write(`soak: ${line}\n`)

describe.runIf(hasRedis && !databaseMissing)("a minute of faults, one after the other", patience, () => {
  it("loses no event and no command, runs none twice, tells each time online once, and leaves every node healthy", async () => {
    const soaked: Soaked = await soak({ seconds: 60, seed: 20_261, say })
    expect(soaked.wrongs).toEqual([])
    expect(Object.keys(soaked.befell).length + soaked.leftOut.length).toBe(faults.length)
    // something was harmed, and something served
    expect(soaked.events).toBeGreaterThan(50)
    expect(soaked.answers["202"]).toBeGreaterThan(50)
    expect(soaked.answers["200"]).toBeGreaterThan(20)
  })
})
