/**
 * What nodes say of themselves in the database, and what it says of the daemons of one that may have missed a message.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { nodeLeaseMillis, nodeRowMillis } from "../../../../src/limits/nodes.ts"
import { Nodes } from "../../../../src/store/daemons/nodes.ts"
import { databaseMissing } from "../../../support/database.ts"
import { useStore } from "../../../support/store.ts"

describe.skipIf(databaseMissing)("nodes in the store", () => {
  const store = useStore(Nodes.layer)
  const nodes = <A, E>(use: (port: Nodes["Service"]) => Effect.Effect<A, E>) => store.run(Effect.flatMap(Nodes, use))
  const sql = (text: string, values: ReadonlyArray<unknown>) =>
    store.run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ node: string }>(text, [...values])))
  /** As if so much time had passed since its last beat. */
  const age = (node: string, millis: number) =>
    sql("update nodes set seen_at = seen_at - $2 where node = $1", [node, millis])
  const alive = () => nodes((port) => port.alive)

  it("are alive for as long as a lease after each beat, by the database's clock, until they are forgotten", async () => {
    const [one, other] = [newId("key"), newId("key")]
    for (const node of [one, other]) await nodes((port) => port.beat(node))
    expect(await alive()).toEqual(expect.arrayContaining([one, other]))
    await age(one, nodeLeaseMillis + 1)
    expect(await alive()).not.toContain(one)
    await nodes((port) => port.beat(one))
    expect(await alive()).toContain(one)
    await nodes((port) => port.forget(other))
    expect(await alive()).not.toContain(other)
  })

  it("leave no row behind for long", async () => {
    const [one, other] = [newId("key"), newId("key")]
    await nodes((port) => port.beat(one))
    await age(one, nodeRowMillis + 1)
    await nodes((port) => port.beat(other))
    expect(await sql("select node from nodes where node = $1", [one])).toEqual([])
  })
})
