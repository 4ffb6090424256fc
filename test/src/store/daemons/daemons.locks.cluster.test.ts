/**
 * Daemons that connect for the first time while those that never did are looked for: the look is held open here. Only a
 * database with several connections has this.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { until } from "../../../support/until.ts"
import { connect, usePresenceStore } from "./presence-store.ts"

describe("daemons that never connected", () => {
  const { store, daemons, sql, node, daemon, claim, placeOf } = usePresenceStore()

  it("stay where one connects after the look for them began, before its row is locked", async () => {
    const [accountId, held] = [await store.account(), await node()]
    const [comes, stays] = [await daemon(accountId), await daemon(accountId)]
    await sql("update daemons set remove_after_minutes = 1 where account_id = $1", [accountId])
    // that look alone, as it begins with a row: a claim reads daemons too
    await sql(`create function pauses() returns boolean language plpgsql as $$ begin
      if current_query() like '%remove_after_minutes%not exists%' then perform pg_advisory_xact_lock_shared(1); end if;
      return true; end $$`)
    await sql("alter table daemons rename to daemons_rows")
    await sql("create view daemons as select * from daemons_rows where pauses()")
    const waits =
      "select pid as id from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    let removing: Promise<unknown> | undefined
    const meanwhile = async () => {
      removing = daemons((port) => port.removeEphemeral(60_005, 5))
      await until("the look waits", async () => (await sql(waits)).length > 0)
      await claim(held, connect(comes))
    }
    await store.run(
      Effect.gen(function* () {
        const client = yield* SqlClient.SqlClient
        const lock = client`select pg_advisory_xact_lock(1)`
        yield* client.withTransaction(Effect.andThen(lock, Effect.promise(meanwhile)))
      })
    )
    expect(await removing).toEqual([{ daemonId: stays, accountId }])
    expect([await placeOf(comes), await placeOf(stays)]).toEqual([held, undefined])
    expect(await daemons((port) => port.byId(stays))).toBeUndefined()
  })
})
