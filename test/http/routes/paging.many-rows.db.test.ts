/** Lists over several pages: no row is missed and none comes twice, also when rows are added in between. */
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { listPageMax } from "../../../src/limits.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { idOfRow, insertMany } from "../../support/many-rows.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"

const count = 10_500
/** Rows among them that take no room of a page. */
const revoked = 3_000

describe("a list that is longer than a page", () => {
  const hub = useHub()
  let account: TestAccount
  let session: string
  beforeAll(async () => {
    account = await hub.account({ plan: "enterprise" })
    session = await account.session()
    const { accountId } = account
    const making = Effect.andThen(
      insertMany(
        count + revoked,
        `insert into daemons (id, account_id, hostname, revoked, created_at)
         select ${idOfRow("dmn")}, '${accountId}', 'h' || n, n > ${count}, 0`
      ),
      insertMany(
        count + revoked,
        `insert into api_keys (id, account_id, name, prefix, hash, scopes, created_at, revoked_at)
         select ${idOfRow("key")}, '${accountId}', 'k', 'hub_', sha256(n::text::bytea), '{ide:read}', n / 9,
           case when n > ${count} then 1 end`
      )
    )
    await hub.inside(making)
  })

  const get = async (path: string) => (await hub.request("GET", path, { session })).body
  /** The ids of all pages; `between` is done after each. */
  const paged = async (path: string, name: string, between?: () => Promise<unknown>) => {
    const pages: Array<ReadonlyArray<string>> = []
    for (let cursor = ""; ; ) {
      const body = await get(`${path}${cursor}`)
      pages.push(body[name].map((row: { id: string }) => row.id))
      await between?.()
      if (body.nextCursor === undefined) return pages
      cursor = `&cursor=${body.nextCursor}`
    }
  }

  it("has every daemon that a search finds once, in order, and says how many these are", async () => {
    const path = "/api/v1/daemons?include=offline&sort=name&q=H1&limit=700"
    const pages = await paged(path, "daemons")
    const wanted = Array.from({ length: count }, (_, at) => `h${at + 1}`).filter((name) => name.includes("h1"))
    expect(pages.flat()).toHaveLength(wanted.length)
    expect(new Set(pages.flat()).size).toBe(wanted.length)
    const first = await get(path)
    expect([first.total, first.onlineTotal]).toEqual([wanted.length, 0])
    expect(first.daemons.map(({ hostname }: { hostname: string }) => hostname)).toEqual(wanted.sort().slice(0, 700))
    for (const q of ["h10499", "nowhere at all"])
      expect((await get(`/api/v1/daemons?include=offline&q=${q}`)).total).toBe(q === "h10499" ? 1 : 0)
  })

  it("has every daemon that is online on its first page, and all others once, revoked ones apart", async () => {
    const { token, daemonId } = await account.daemonToken()
    const daemon = await connectDaemon(hub, token)
    const pages = await paged("/api/v1/daemons?include=offline", "daemons")
    expect(pages[0]![0]).toBe(daemonId)
    expect(pages.map(({ length }) => length).slice(0, 2)).toEqual([listPageMax + 1, listPageMax])
    const ids = pages.flat()
    expect([ids.length, new Set(ids).size]).toEqual([count + 1, count + 1])
    expect((await get("/api/v1/daemons")).daemons.map(({ id }: { id: string }) => id)).toEqual([daemonId])
    await daemon.leave()
  })

  it("loses no daemon and doubles none while others are enrolled and connect", async () => {
    const before = new Set((await paged("/api/v1/daemons?include=offline", "daemons")).flat())
    const made: Array<{ leave: () => Promise<void>; daemonId: string }> = []
    const between = async () => {
      await account.daemonToken()
      const { token, daemonId } = await account.daemonToken()
      const { leave } = await connectDaemon(hub, token)
      made.push({ leave, daemonId })
    }
    const ids = (await paged("/api/v1/daemons?include=offline&limit=777", "daemons", between)).flat()
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) before.delete(id)
    expect([...before]).toEqual([])
    await Promise.all(made.map(({ leave }) => leave()))
  })

  /** More than any plan allows, as an account may have from before there were limits. */
  const anotherKey = () =>
    hub.inside(
      insertMany(
        1,
        `insert into api_keys (id, account_id, name, prefix, hash, scopes, created_at)
         select 'key_' || left(md5(random()::text), 20), '${account.accountId}', 'k', 'hub_',
           sha256(random()::text::bytea), '{ide:read}', ${Date.now()} + n`
      )
    )

  it("has every key that is not revoked once, newest first, while others are made", async () => {
    const pages = await paged("/api/v1/api-keys?limit=2000", "apiKeys", anotherKey)
    const ids = pages.flat()
    expect(pages[0]).toHaveLength(listPageMax)
    expect([ids.length, new Set(ids).size]).toEqual([count, count])
    const { apiKeys, nextCursor } = await get("/api/v1/api-keys?limit=3")
    expect([apiKeys.length, nextCursor]).toEqual([3, expect.any(String)])
    const times = (await get(`/api/v1/api-keys?limit=3&cursor=${nextCursor}`)).apiKeys.map(
      ({ createdAt }: { createdAt: number }) => createdAt
    )
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(times[0]).toBeLessThanOrEqual(apiKeys[2].createdAt)
  })

  it.each(["limit=0", "limit=x", "limit=-1", "limit=1.5", "cursor=x", "cursor="])(
    "refuses %s with 400",
    async (query) => {
      for (const path of ["/api/v1/daemons?include=offline&", "/api/v1/daemons?", "/api/v1/api-keys?"]) {
        const { status, body } = await hub.request("GET", `${path}${query}`, { session })
        expect([status, body.issues?.[0]?.path]).toEqual([400, query.split("=")[0]])
      }
    }
  )

  it("takes no cursor of another list", async () => {
    const { nextCursor } = await get("/api/v1/api-keys?limit=1")
    expect((await hub.request("GET", `/api/v1/daemons?cursor=${nextCursor}`, { session })).status).toBe(400)
  })
})
