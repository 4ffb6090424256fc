/**
 * The hub is killed with -9 at a random moment, round after round, with 1,000 deliveries on their way to a receiver
 * that dies too. A real process. More rounds, from another seed: HUB_TEST_ROUNDS=50 and `--seed`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FreshDatabase, freshDatabase } from "../../support/database.ts"
import { sizeOf } from "../../support/run-sizes.ts"
import { type KillWorld, killWorld } from "./killed-hub.ts"

const seed = sizeOf("SEED", 1)
const rounds = sizeOf("ROUNDS", 3)
const patience = { timeout: 7_200_000 }

describe(`a hub that is killed in mid-delivery, its receiver too (seed ${seed})`, patience, () => {
  let database: FreshDatabase
  let world: KillWorld
  beforeAll(async () => {
    database = await freshDatabase()
    world = await killWorld(database.settings, seed)
  })
  afterAll(async () => {
    await world?.close()
    await database?.close()
  })

  it.each(Array.from({ length: rounds }, (_, at) => at + 1))(
    "loses no delivery of an acknowledged event and gives none a second id (round %i)",
    async (round) => {
      expect(await world.round(round)).toEqual({ lost: 0, underSecondId: 0 })
    }
  )
})
