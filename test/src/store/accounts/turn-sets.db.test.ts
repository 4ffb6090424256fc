/** The TURN servers that accounts were given, in a real database: one set per account and hour, whoever keeps it. */
import { describe, expect, it } from "vitest"
import { TurnSets } from "../../../../src/store/accounts/turn-sets.ts"
import { useStore } from "../../../support/store-services.ts"

describe("TURN servers in the store", () => {
  const store = useStore(TurnSets.layer)
  const sets = store.using(TurnSets)

  it("are those that were kept first, until their end, and of one source only", async () => {
    const account = await store.account()
    const keep = (sealed: string, now: number, source = "s") =>
      sets((port) => port.keep(account, source, { sealed, until: now + 100 }, now))
    const find = (now: number, source = "s") => sets((port) => port.find(account, source, now))
    expect(await find(0)).toBeUndefined()
    const both = await Promise.all([keep("one", 0), keep("two", 0)])
    expect(new Set(both.map(({ sealed }) => sealed)).size).toBe(1)
    expect([await find(99), await find(100), await find(0, "other")]).toEqual([both[0], undefined, undefined])
    expect((await keep("three", 100)).sealed).toBe("three")
    expect((await keep("four", 101, "other")).sealed).toBe("four")
    expect(await find(101)).toBeUndefined()
  })

  it("go with their account", async () => {
    const account = await store.account()
    await sets((port) => port.keep(account, "s", { sealed: "x", until: 9 }, 0))
    await store.sql("delete from accounts where id = $1", [account])
    expect(await store.sql("select 1 from turn_sets where account_id = $1", [account])).toEqual([])
  })
})
