/**
 * A hub that is killed at random moments, with 1,000 deliveries on their way to a receiver that dies too: each arrives,
 * under one id. HUB_TEST_ROUNDS=50 for more of it.
 */
import { describe, expect, it } from "vitest"
import { useDatabase } from "../../support/use-started.ts"
import { killWorld } from "./killed-hub.ts"

const rounds = Number(process.env["HUB_TEST_ROUNDS"] ?? 3)

describe("a hub that is killed while it delivers", () => {
  const database = useDatabase()

  it.each([
    ["the embedded database", () => undefined],
    ["Postgres", () => database.settings.databaseUrl]
  ])("loses nothing and makes nothing anew on %s", async (_, databaseUrl) => {
    const world = await killWorld(databaseUrl())
    try {
      for (let number = 1; number <= rounds; number++) {
        const { events, arrived, lost, strangers } = await world.round(number)
        expect({ number, arrived, lost, strangers }).toEqual({ number, arrived: 10 * events, lost: 0, strangers: 0 })
      }
    } finally {
      await world.close()
    }
  })
})
