/** The daemons of all accounts, found by filters, in a real database. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { copiedIdentity } from "../../../../src/domain/daemon/copied-identity.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { searchedDaemonsMax } from "../../../../src/limits/admin.ts"
import { type DaemonFilter, DaemonSearch } from "../../../../src/store/daemons/daemon-search.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { useStore } from "../../../support/store-services.ts"

const every: DaemonFilter = {
  accountId: undefined,
  version: undefined,
  online: undefined,
  seenSince: undefined,
  seenBefore: undefined,
  endReason: undefined,
  closeCode: undefined,
  identityCopied: undefined
}

describe("a search of daemons", () => {
  const store = useStore(Layer.mergeAll(DaemonSearch.layer, Daemons.layer))
  const { sql } = store
  const find = (filter: Partial<DaemonFilter>, limit = 100, after = "") =>
    store.run(Effect.flatMap(DaemonSearch, (search) => search.find({ ...every, ...filter }, limit, after)))
  const idsOf = async (filter: Partial<DaemonFilter>) =>
    (await find(filter)).daemons.map(({ daemonId }) => daemonId).sort()
  const enrol = async (accountId: string): Promise<string> => {
    const tokenHash = createHash("sha256").update(newId("key")).digest("hex")
    const enrolment = { accountId, daemonId: undefined, tokenHash, name: "", now: 5 }
    return (await store.run(Effect.flatMap(Daemons, (daemons) => daemons.enrol(enrolment))))!
  }
  let first: string
  let second: string
  let [online, closed, flooded, never, others] = ["", "", "", "", ""]

  beforeAll(async () => {
    first = await store.account()
    second = await store.account()
    online = await enrol(first)
    closed = await enrol(first)
    flooded = await enrol(first)
    never = await enrol(first)
    others = await enrol(second)
    const rows = [
      [online, "1.4.0", 100, "node_a", 90, null, null, null],
      [closed, "1.4.0", 200, null, null, 200, "closed", 1_001],
      [flooded, "1.3.0", 300, null, null, 300, "timeout", 4_429],
      [others, "1.3.0", 400, "node_b", 390, 350, "timeout", null]
    ]
    for (const [id, version, seen, node, since, ended, reason, code] of rows) {
      await sql("update daemons set version = $2, last_seen_at = $3 where id = $1", [id, version, seen])
      await sql(
        `insert into daemon_presence
          (daemon_id, account_id, epoch, node, online_since, last_ended_at, last_end_reason, last_close_code)
        select id, account_id, 3, $2, $3, $4, $5, $6 from daemons where id = $1`,
        [id, node, since, ended, reason, code]
      )
    }
  })

  it("finds those whose token two machines may have", async () => {
    const picture = JSON.stringify({ problems: [{ at: "x", reason: "y" }, copiedIdentity] })
    await sql("update daemons set picture = $2 where id = $1", [closed, picture])
    expect(await idsOf({ identityCopied: true })).toEqual([closed])
    expect(await idsOf({ identityCopied: false })).toEqual([online, flooded, never, others].sort())
    expect((await find({ accountId: first })).daemons.filter((one) => one.identityCopied)).toHaveLength(1)
  })

  it("finds those of all accounts, with what their last connection ended by", async () => {
    expect(await idsOf({})).toEqual([online, closed, flooded, never, others].sort())
    const { daemons } = await find({ closeCode: 4_429 })
    expect(daemons).toEqual([
      expect.objectContaining({
        daemonId: flooded,
        accountId: first,
        email: expect.stringContaining("@"),
        version: "1.3.0",
        online: false,
        node: null,
        lastSeenAt: 300,
        lastEndedAt: 300,
        lastEndReason: "timeout",
        lastCloseCode: 4_429
      })
    ])
  })

  it("takes account, version, presence, last sight and the last end as filters, alone and together", async () => {
    expect(await idsOf({ accountId: first })).toEqual([online, closed, flooded, never].sort())
    expect(await idsOf({ accountId: "acc_none" })).toEqual([])
    expect(await idsOf({ version: "1.3.0" })).toEqual([flooded, others].sort())
    expect(await idsOf({ online: true })).toEqual([online, others].sort())
    expect(await idsOf({ online: false })).toEqual([closed, flooded, never].sort())
    expect(await idsOf({ seenSince: 250 })).toEqual([online, flooded, others].sort())
    expect(await idsOf({ seenBefore: 250 })).toEqual([closed])
    expect(await idsOf({ endReason: "timeout" })).toEqual([flooded, others].sort())
    expect(await idsOf({ endReason: "timeout", online: false, accountId: first })).toEqual([flooded])
  })

  it("describes one, and none that is unknown", async () => {
    const describing = (id: string) => store.run(Effect.flatMap(DaemonSearch, (search) => search.describe(id)))
    expect(await describing(others)).toMatchObject({
      daemonId: others,
      accountId: second,
      online: true,
      node: "node_b",
      createdAt: 5,
      epoch: 3,
      tokens: 1,
      observedAt: null,
      sessions: 0,
      problems: []
    })
    expect(await describing(newId("daemon"))).toBeUndefined()
    expect(await describing("no id")).toBeUndefined()
  })

  it("goes page by page, each daemon once", async () => {
    const seen: Array<string> = []
    let after: string | undefined = ""
    while (after !== undefined) {
      const page: Awaited<ReturnType<typeof find>> = await find({}, 2, after)
      expect(page.daemons.length).toBeLessThanOrEqual(2)
      seen.push(...page.daemons.map(({ daemonId }) => daemonId))
      after = page.next
    }
    expect(seen.sort()).toEqual([online, closed, flooded, never, others].sort())
  })

  it("looks at a bounded number of daemons a page, and goes on where it stopped", async () => {
    const many = await store.account()
    await sql(
      `insert into daemons (id, account_id, created_at, version)
        select 'dmn_' || lpad(n::text, 20, '0'), $1, 0, case when n > $2 then 'rare' else '' end
        from generate_series(1, $2 + 1) n`,
      [many, searchedDaemonsMax]
    )
    const page = await find({ version: "rare" })
    expect(page).toEqual({ daemons: [], next: `dmn_${String(searchedDaemonsMax).padStart(20, "0")}` })
    const rest = await find({ version: "rare" }, 100, page.next)
    expect(rest).toMatchObject({ daemons: [{ accountId: many, version: "rare" }], next: undefined })
  })
})
