/** The rows of the request log in a real database: the newest of an account, by filter and page, and their removal. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import type { LoggedRequest } from "../../../../src/domain/account/logged-request.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { loggedRequestsMax, loggedRowsMax, sweptAccountsMax } from "../../../../src/limits/request-log.ts"
import { removeSome } from "../../../../src/store/accounts/account-removal.ts"
import { LoggedRequests, type RequestsAsked } from "../../../../src/store/accounts/logged-requests.ts"
import { insertMany } from "../../../support/many-rows.ts"
import { useStore } from "../../../support/store-services.ts"

describe("the request log in the store", () => {
  const store = useStore(Layer.mergeAll(LoggedRequests.layer))
  const log = store.using(LoggedRequests)
  const row = (accountId: string, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
    id: newId("loggedRequest"),
    accountId,
    at: 100,
    keyId: undefined,
    ownerId: undefined,
    requestId: newId("request"),
    method: "GET",
    operation: "account.me",
    route: "/api/v1/me",
    path: "/api/v1/me",
    status: 200,
    reason: undefined,
    code: undefined,
    durationMicros: 1_500,
    omitted: 0,
    ...more
  })
  const all = {
    since: 0,
    credential: undefined,
    method: undefined,
    operation: undefined,
    pathContains: undefined,
    status: undefined,
    reason: undefined,
    of: undefined,
    after: undefined,
    limit: 5_000
  }
  const list = (accountId: string, more: Partial<RequestsAsked> = {}) =>
    log((port) => port.list({ ...all, accountId, ...more }))
  const idsOf = async (...given: Parameters<typeof list>) => (await list(...given)).requests.map(({ id }) => id)
  const countOf = async (accountId: string): Promise<number> => {
    const [row] = await store.run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ n: number }>`select count(*) as n from logged_requests where account_id = ${accountId}`
      )
    )
    return row!.n
  }
  /** So many rows of an account, answered one millisecond after the other. */
  const many = (accountId: string, count: number) =>
    store.run(
      insertMany(
        count,
        `insert into logged_requests (id, account_id, at, request_id, method, operation, route, path, duration_micros, omitted)
         select 'lrq_' || lpad(n::text, 20, '0'), '${accountId}', n, '', 'GET', '', '', '', 1, 0`
      )
    )

  it("names who is behind a credential while they are in the account, and gives theirs alone where that is asked", async () => {
    const [accountId, other] = [await store.account(), await store.account()]
    const [mine, theirs] = [accountId, other].map((id) => row(accountId, { ownerId: id.replace("acc", "per") }))
    await log((port) => port.insert([mine!, theirs!]))
    const { requests } = await list(accountId)
    expect(new Map(requests.map(({ id, ownerName }) => [id, ownerName]))).toEqual(
      new Map([
        [mine!.id, `${accountId}@example.com`],
        [theirs!.id, undefined]
      ])
    )
    expect(await idsOf(accountId, { of: mine!.ownerId })).toEqual([mine!.id])
  })

  it("gives a row back as it was written", async () => {
    const accountId = await store.account()
    const refused = row(accountId, { keyId: "key_1", status: 429, reason: "RATE_LIMITED", code: "RATE_LIMITED" })
    const left = row(accountId, { at: 99, status: undefined, omitted: 12 })
    await log((port) => port.insert([left, refused]))
    expect(await list(accountId)).toEqual({
      requests: [
        { ...refused, keyName: undefined },
        { ...left, keyName: undefined }
      ],
      omitted: 12
    })
    expect(await list(await store.account())).toEqual({ requests: [], omitted: 0 })
  })

  it("writes more rows than a statement takes, and none of an account that is not there", async () => {
    const accountId = await store.account()
    const rows = Array.from({ length: loggedRowsMax + 1 }, () => row(accountId))
    await log((port) => port.insert([...rows, row("acc_gone")]))
    expect([await countOf(accountId), await countOf("acc_gone")]).toEqual([rows.length, 0])
  })

  it("finds by every filter, and none of another account", async () => {
    const [accountId, other] = [await store.account(), await store.account()]
    const wanted = row(accountId, {
      keyId: "key_1",
      method: "POST",
      operation: "daemons.terminal",
      path: "/api/v1/daemons/dmn_%5F1/terminal",
      status: 404,
      reason: "NOT_FOUND"
    })
    const unwanted = row(accountId)
    const left = row(accountId, { status: undefined })
    await log((port) => port.insert([wanted, unwanted, left, { ...wanted, accountId: other }]))
    const filters: ReadonlyArray<Partial<RequestsAsked>> = [
      { credential: "key_1" },
      { method: "POST" },
      { operation: "daemons.terminal" },
      { pathContains: "/dmn_%" },
      { status: { from: 400, to: 499 } },
      { status: { from: 404, to: 404 } },
      { reason: "NOT_FOUND" }
    ]
    for (const filter of filters) expect(await idsOf(accountId, filter), JSON.stringify(filter)).toEqual([wanted.id])
    expect(await idsOf(accountId, { status: "none" })).toEqual([left.id])
    expect((await idsOf(accountId, { credential: "session" })).sort()).toEqual([unwanted.id, left.id].sort())
    expect(await idsOf(accountId, { since: 101 })).toEqual([])
    expect(await idsOf(accountId, { pathContains: "' or true --" })).toEqual([])
  })

  it("has each row once over all pages, also where many were answered at one time", async () => {
    const accountId = await store.account()
    const rows = Array.from({ length: 50 }, (_, nth) => row(accountId, { at: nth % 3 }))
    await log((port) => port.insert(rows))
    const seen: Array<string> = []
    for (let after: RequestsAsked["after"]; ; ) {
      const { requests } = await list(accountId, { after, limit: 7 })
      seen.push(...requests.map(({ id }) => id))
      after = requests.at(-1)
      if (requests.length < 7) break
    }
    expect(seen).toEqual(await idsOf(accountId))
    expect(new Set(seen).size).toBe(50)
  })

  it(`shows the newest ${loggedRequestsMax} only, and keeps no more of the accounts that are shortened`, async () => {
    const [accountId, other] = [await store.account(), await store.account()]
    await many(accountId, loggedRequestsMax + 500)
    await many(other, loggedRequestsMax + 1)
    const before = await idsOf(accountId)
    expect([before.length, before[0]]).toEqual([
      loggedRequestsMax,
      `lrq_${String(loggedRequestsMax + 500).padStart(20, "0")}`
    ])
    const absent = Array.from({ length: sweptAccountsMax }, (_, nth) => `acc_${nth}`)
    expect(await log((port) => port.trim([...absent, accountId]))).toBe(500)
    expect([await countOf(accountId), await countOf(other)]).toEqual([loggedRequestsMax, loggedRequestsMax + 1])
    expect(await idsOf(accountId)).toEqual(before)
  })

  it("goes with its account", async () => {
    const accountId = await store.account()
    await many(accountId, 1_500)
    while (!(await store.run(removeSome(accountId))));
    expect(await countOf(accountId)).toBe(0)
  })
})
