/** A write of usage whose COMMIT is not answered: a real Postgres behind a line that loses the answer. */
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { Usage } from "../../../../src/store/accounts/usage.ts"
import { layerPostgres } from "../../../../src/store/sql/postgres.ts"
import { startFaultyLine } from "../../../support/faulty-connection.ts"
import { postgresWatch } from "../../../support/postgres-lost-answers.ts"
import { useDatabase } from "../../../support/use-started.ts"

const month = "2026-01"

describe("usage whose write is not answered", () => {
  const database = useDatabase()

  it("is known to be written, and counts once", async () => {
    const answers = { next: 1 }
    const address = new URL(database.settings.databaseUrl!)
    const line = await startFaultyLine(Number(address.port), { watch: () => postgresWatch(answers, /calls, held\)/u) })
    onTestFinished(line.close)
    address.port = String(line.port)
    const accountId = newId("account")
    const rows = [{ accountId, month, used: 4, givenBack: 0 }]
    const found = await Effect.gen(function* () {
      const usage = yield* Usage
      const settled = yield* usage.settle({ nodeId: "a", leaseMillis: 1, rows })
      return { settled, lost: answers.next === 0, used: yield* usage.used(accountId, month) }
    }).pipe(Effect.provide(Usage.layer), Effect.provide(layerPostgres(address.href, { max: 1 })), Effect.runPromise)
    expect(found).toEqual({ settled: [{ accountId, month, used: 4, held: null }], lost: true, used: 4 })
  })
})
