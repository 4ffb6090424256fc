/**
 * A job that is made while its credential is being ended: that end is held open here. Only a database with several
 * connections has this.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import type { StoreFailed } from "../../../../src/errors.ts"
import { Keys } from "../../../../src/store/accounts/api-keys.ts"
import { Grants } from "../../../../src/store/oauth/grants.ts"
import { until } from "../../../support/until.ts"
import { useEndingCredentials } from "./ending-credentials.ts"

describe("a job of a credential that is being ended", () => {
  const { store, start, stopOf, key, grant } = useEndingCredentials()
  const waits = "select pid as id from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

  it("waits for the end before it begins, and is cancelled", async () => {
    const accountId = await store.account()
    const [one, other] = [await key(accountId), await grant(accountId, "is disconnected")]
    const ends = [
      [one.id, Effect.asVoid(Effect.flatMap(Keys, (port) => port.revoke(accountId, one.id, 2)))],
      [other.id, Effect.asVoid(Effect.flatMap(Grants, (port) => port.end(accountId, undefined, other.id)))]
    ] as ReadonlyArray<readonly [string, Effect.Effect<void, StoreFailed, Keys | Grants>]>
    let begun: Promise<string> | undefined
    for (const [id, end] of ends) {
      const meanwhile = Effect.promise(async () => {
        begun = start(accountId, id)
        await until("the job waits", async () => (await store.sql(waits)).length > 0)
      })
      await store.run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.andThen(end, meanwhile))))
      expect(await stopOf(accountId, await begun!)).toBe("cancelled")
    }
  })
})
