/** What many calls of one account leave of the store to others. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Config } from "../../../src/config.ts"
import { ownStatementsShare } from "../../../src/limits/store.ts"
import { useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

const hub = useHub()

it("leaves connections to other accounts, however many changes of one wait for its row", async () => {
  const [crowd, other] = [await hub.signedIn(), await hub.signedIn()]
  const set = (session: string, id: string) =>
    hub.request("PUT", `/api/v1/policies/${id}`, { session, body: { rules: [] } })
  const { databaseConnections: connections } = await hub.inside(Config)
  const changes = await hub.sql((sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select id from accounts where id = ${crowd.account.accountId} for update`
        const waiting = Array.from({ length: 2 * connections }, () => set(crowd.session, "same"))
        const held = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        const look = () => Effect.runPromise(held)
        const most = Math.floor(connections * ownStatementsShare)
        yield* Effect.promise(() => until("its changes wait", async () => (await look())[0]!.count >= most))
        expect(yield* Effect.promise(() => set(other.session, "mine"))).toMatchObject({ status: 200 })
        expect((yield* held)[0]!.count).toBe(most)
        return waiting
      })
    )
  )
  for (const { status } of await Promise.all(changes)) expect(status).toBe(200)
})
