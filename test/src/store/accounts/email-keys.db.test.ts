/**
 * Addresses in the store: one account per key, in whatever spelling; and those from before they were compared by key.
 */
import { Effect, Layer, type Result } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import type { StoreFailed, ValidationFailed } from "../../../../src/errors.ts"
import { emailRowsMax, emailsNamedMax } from "../../../../src/limits.ts"
import { Accounts } from "../../../../src/store/accounts/accounts.ts"
import { fillEmailKeys } from "../../../../src/store/accounts/email-keys.ts"
import { useStore } from "../../../support/store-services.ts"

describe("addresses in the store", () => {
  const store = useStore(Layer.empty)
  const accounts = store.using(Accounts)
  const sql = store.using(SqlClient.SqlClient)
  const create = (email: string): Promise<Result.Result<boolean, StoreFailed | ValidationFailed>> => {
    const draft = { id: newId("account"), email, passwordHash: null, plan: "free", admin: false, createdAt: 5 } as const
    return accounts((port) => Effect.result(port.create(draft)))
  }
  /** An account as it was stored before there were keys. */
  const old = async (email: string, at: number): Promise<string> => {
    const id = newId("account")
    await sql((one) => one`insert into accounts (id, email, plan, created_at) values (${id}, ${email}, 'free', ${at})`)
    return id
  }
  const keyOf = async (id: string) =>
    (await sql((one) => one<{ key: string | null }>`select email_key as key from accounts where id = ${id}`))[0]!.key

  it("belong to one account in all their spellings, also when they come at once", async () => {
    const spellings = ["victim@x.test", "VICTIM@x.test", "ｖictim@x.test", "victim@Ｘ.test", "𝐯ictim@x.test"]
    const made = await Promise.all(spellings.map(create))
    expect(made.filter((one) => one._tag === "Success" && one.success).length).toBe(1)
    expect(made.every((one) => one._tag === "Success")).toBe(true)
    const found = await Promise.all(spellings.map((email) => accounts((port) => port.byEmail(email))))
    expect(new Set(found.map((one) => one?.id)).size).toBe(1)
    expect(found[0]).toMatchObject({ email: "victim@x.test" })
  })

  it("are refused in words when they may name no account", async () => {
    for (const email of ["victim@x.test ", "a\n\u001b[2J@x.test", "<script>@x", "nobody"])
      expect(await create(email)).toMatchObject({ failure: { _tag: "ValidationFailed", issues: [{ path: "email" }] } })
  })

  it("from before get their keys at a start; the oldest of a kind has it, the others stay as they are and are named", async () => {
    const [first, wide, blank, plain] = [
      await old("ｔwin@y.test", 10),
      await old("twin@y.test", 20),
      await old("twin@y.test ", 30),
      await old("jürgen@bücher.de", 40)
    ]
    const { named, count } = await store.run(fillEmailKeys)
    expect(named).toEqual([
      { account: wide, because: `its address is that of ${first}` },
      { account: blank, because: "its address holds a blank, a control character or an invisible one" }
    ])
    expect(count).toBe(2)
    expect(await Promise.all([first, wide, blank, plain].map(keyOf))).toEqual([
      "twin@y.test",
      null,
      null,
      "jürgen@xn--bcher-kva.de"
    ])
    // each still signs in under the very address it has
    for (const [id, email] of [
      [first, "ｔwin@y.test"],
      [wide, "Twin@y.test"],
      [blank, "twin@y.test "]
    ] as const) {
      expect((await accounts((port) => port.byEmail(email)))?.id).toBe(id)
    }
    expect((await create("TWIN@y.test"))._tag === "Success").toBe(true)
    expect(await store.run(fillEmailKeys)).toEqual({ named, count })
    await sql((one) => one`delete from accounts where id in (${wide}, ${blank})`)
  })

  it(`from before are filled ${emailRowsMax} at a time, and ${emailsNamedMax} of those left over are named`, async () => {
    await sql(
      (one) => one`insert into accounts (id, email, plan, created_at)
        select 'acc_' || lpad(n::text, 20, '0'), case when n % 2 = 0 then 'é' || n || '@z.test' else n || ' @z.test' end, 'free', n
        from generate_series(1, ${emailRowsMax * 2 + 10}) as n`
    )
    const { named, count } = await store.run(fillEmailKeys)
    expect([named.length, count]).toEqual([emailsNamedMax, emailRowsMax + 5])
    expect((await accounts((port) => port.byEmail("É2000@z.test")))?.email).toBe("é2000@z.test")
  })
})
