/** A machine that joins again while its daemon connects for the first time: the claim is held open here. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { JoinKeys } from "../../../../src/store/daemons/join-keys.ts"
import type { Joined } from "../../../../src/store/daemons/joining.ts"
import { PresenceStore } from "../../../../src/store/daemons/presence.ts"
import { until } from "../../../support/until.ts"
import { connect, someTokenHash, usePresenceStore } from "./presence-store.ts"

describe("a machine that joins", () => {
  const { store, daemons, sql, node } = usePresenceStore()
  const joinKeys = store.using(JoinKeys)

  it("is given no daemon whose first connect is not committed yet, and ends no token of it", async () => {
    const [accountId, held, keyHash, tokenHash] = [
      await store.account(),
      await node(),
      someTokenHash(),
      someTokenHash()
    ]
    const about = { name: "", prefix: "", tags: {}, maxUses: null, removeAfterMinutes: null, expiresAt: null }
    await joinKeys((port) => port.add({ id: newId("joinKey"), accountId, hash: keyHash, createdAt: 1, ...about }))
    const machine = { keyHash, machineIdHash: someTokenHash(), name: "", hostname: "", now: 5 }
    const first = (await joinKeys((port) => port.join({ ...machine, tokenHash })))!
    const waits =
      "select pid as id from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    let joining: Promise<Joined | undefined> | undefined
    const meanwhile = async () => {
      joining = joinKeys((port) => port.join({ ...machine, tokenHash: someTokenHash() }))
      await until("it waits", async () => (await sql(waits)).length > 0)
    }
    await store.run(
      Effect.gen(function* () {
        const client = yield* SqlClient.SqlClient
        const { claim } = yield* PresenceStore
        const claimed = claim(held, [connect(first.daemonId, { tokenHash })], 4)
        yield* client.withTransaction(Effect.andThen(claimed, Effect.promise(meanwhile)))
      })
    )
    const second = await joining
    expect(second?.again).toBe(false)
    expect(second?.daemonId).not.toBe(first.daemonId)
    expect((await daemons((port) => port.tokenOwner(tokenHash)))?.revoked).toBe(false)
  })
})
