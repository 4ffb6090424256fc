/** Codes, grants and tokens in a real database: each secret is good once, whatever comes at once. */
import { describe, expect, it } from "vitest"
import { hashCredential } from "../../../../src/auth/api-key.ts"
import { newId } from "../../../../src/domain/ids.ts"
import {
  accessTokensPerGrantMax,
  codesMax,
  codesPerAccountMax,
  grantMillisMax,
  grantsPerAccountMax,
  replacedTokensKeptMax,
  usedCodeKeptMillis
} from "../../../../src/limits/oauth.ts"
import type { Code, Taken } from "../../../../src/store/oauth/grant-rows.ts"
import { Grants } from "../../../../src/store/oauth/grants.ts"
import { given } from "../../../support/given.ts"
import { insertMany } from "../../../support/many-rows.ts"
import { useStore } from "../../../support/store-services.ts"

describe("grants in the store", () => {
  const store = useStore(Grants.layer)
  const grants = store.using(Grants)
  const { sql } = store
  let number = 0
  /** Who owns an account that was made with an address of its own. */
  const personOf = (accountId: string) => accountId.replace("acc_", "per_")
  const secret = () => hashCredential(`secret ${number++}`)
  const tokens = (more = {}) => ({
    access: secret(),
    accessExpiresAt: 3_000,
    refresh: secret() as string | undefined,
    grantExpiresAt: 9_000,
    ...more
  })
  const codeOf = (accountId: string, more: Partial<Code> = {}): Code => ({
    accountId,
    personId: personOf(accountId),
    clientId: "https://a.example/client",
    clientName: "A",
    redirectUri: "https://a.example/callback",
    redirectHost: "a.example",
    challenge: "c",
    resource: "https://hub.example/mcp",
    scopes: ["ide:read", "agent:read"],
    selector: null,
    offline: true,
    createdAt: 1_000,
    expiresAt: 2_000,
    ...more
  })
  const added = async (code: Code) => {
    const hash = secret()
    expect(await grants((port) => port.addCode(hash, code))).toBe("added")
    return hash
  }
  const redeem = (hash: string, now = 1_500, given = tokens(), fits = true) =>
    grants((port) =>
      port.redeem(
        hash,
        now,
        () => fits,
        newId("grant"),
        () => given
      )
    )
  const connected = async (accountId: string, given = tokens()) => {
    const taken = await redeem(await added(codeOf(accountId)), 1_500, given)
    return { given, id: taken.state === "granted" ? taken.grant.id : "" }
  }
  const refresh = (hash: string | undefined, given = tokens(), now = 2_000, clientId = "https://a.example/client") =>
    grants((port) => port.refresh(hash!, now, clientId, given))
  const holder = (hash: string) => grants((port) => port.byToken(hash))
  const states = (all: ReadonlyArray<Taken>) => all.map(({ state }) => state).toSorted()

  it("come from a code, with what it was made for, and an access token finds them", async () => {
    const accountId = await store.account()
    const given = tokens()
    const code = codeOf(accountId, { selector: "env=prod" })
    const taken = await redeem(await added(code), 1_500, given)
    const { clientId, clientName, redirectHost, scopes, selector, offline } = code
    const shown = { accountId, clientId, clientName, redirectHost, scopes, selector, offline, expiresAt: 9_000 }
    expect(taken).toMatchObject({ state: "granted", grant: { ...shown, createdAt: 1_500, lastUsedAt: null } })
    expect(await grants((port) => port.listByAccount(accountId, undefined, 2_000))).toMatchObject([shown])
    const holds = {
      accountId,
      scopes,
      selector,
      expiresAt: 3_000,
      plan: "pro",
      accountDisabled: false,
      member: { role: "owner" }
    }
    expect(await holder(given.access)).toMatchObject(holds)
    expect(await holder(given.refresh!)).toBeUndefined()
    expect(await holder(secret())).toBeUndefined()
  })

  it("are given once for a code, however many calls come at once; its second use ends what the first gave", async () => {
    const accountId = await store.account()
    const hash = await added(codeOf(accountId))
    const all = await Promise.all(Array.from({ length: 8 }, () => redeem(hash)))
    expect(states(all)).toEqual(["granted", ...Array(7).fill("reused")])
    expect(await grants((port) => port.listByAccount(accountId, undefined, 2_000))).toEqual([])
  })

  it("are not given for a code that is unknown, over, unfit for the call, or of a disabled account", async () => {
    const accountId = await store.account()
    const hash = await added(codeOf(accountId))
    expect(await redeem(secret())).toEqual({ state: "refused" })
    expect(await redeem(hash, 2_000)).toEqual({ state: "refused" })
    expect(await redeem(hash, 1_500, tokens(), false)).toEqual({ state: "refused" })
    await sql(`update accounts set disabled = true where id = '${accountId}'`)
    expect(await redeem(hash)).toEqual({ state: "refused" })
    await sql(`update accounts set disabled = false where id = '${accountId}'`)
    expect(await redeem(hash)).toMatchObject({ state: "granted" })
  })

  given(store.account)("go on by a refresh, which ends the token that it was made with", async (accountId) => {
    const { given, id } = await connected(accountId)
    const next = tokens({ grantExpiresAt: 12_000 })
    expect(await refresh(given.refresh, next)).toMatchObject({ state: "granted", grant: { id, expiresAt: 12_000 } })
    expect(await holder(next.access)).toMatchObject({ grantId: id })
    expect(await refresh(given.refresh)).toEqual({ state: "reused", accountId, grantId: id, cancelledJobs: [] })
    expect(await holder(next.access)).toBeUndefined()
    expect(await refresh(next.refresh)).toEqual({ state: "refused" })
  })

  it("end a year after they were given, however often they are refreshed", async () => {
    const { given } = await connected(await store.account())
    const end = 1_500 + grantMillisMax
    const late = tokens({ accessExpiresAt: 2 * end, grantExpiresAt: 2 * end })
    expect(await refresh(given.refresh, late)).toMatchObject({ state: "granted", grant: { expiresAt: end } })
    expect(await holder(late.access)).toMatchObject({ expiresAt: end })
    expect(await refresh(late.refresh, tokens(), end)).toEqual({ state: "refused" })
  })

  it("end where one refresh token is used by several at once: which of them is the thief, nothing shows", async () => {
    const { given } = await connected(await store.account())
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(given.refresh)))
    expect(states(all)).toEqual(["granted", ...Array(6).fill("refused"), "reused"])
  })

  it("are not refreshed by another client, when they are over, or while their account is disabled", async () => {
    const accountId = await store.account()
    const { given } = await connected(accountId)
    expect(await refresh(given.refresh, tokens(), 2_000, "https://b.example/client")).toEqual({ state: "refused" })
    expect(await refresh(given.access)).toEqual({ state: "refused" })
    expect(await refresh(given.refresh, tokens(), 9_000)).toEqual({ state: "refused" })
    await sql(`update accounts set disabled = true where id = '${accountId}'`)
    expect(await refresh(given.refresh)).toEqual({ state: "refused" })
    expect(await holder(given.access)).toMatchObject({ accountDisabled: true })
  })

  it("keep few access tokens and a bounded number of replaced refresh tokens", async () => {
    const { given, id } = await connected(await store.account())
    const first = given.refresh
    let last = given.refresh
    for (let nth = 0; nth < replacedTokensKeptMax + 1; nth++) {
      const next = tokens()
      expect(await refresh(last, next, 2_000 + nth)).toMatchObject({ state: "granted" })
      last = next.refresh
    }
    const held = await sql<{ refreshes: boolean; n: number }>(
      `select refreshes, count(*)::integer as n from oauth_tokens where grant_id = '${id}' group by 1 order by 1`
    )
    expect(held.map(({ n }) => n)).toEqual([accessTokensPerGrantMax, replacedTokensKeptMax + 1])
    expect(await refresh(first)).toEqual({ state: "refused" })
    const afterClockWasSetBack = tokens()
    expect(await refresh(last, afterClockWasSetBack, 1_000)).toMatchObject({ state: "granted" })
    expect(await holder(afterClockWasSetBack.access)).toBeDefined()
    expect(await refresh(afterClockWasSetBack.refresh)).toMatchObject({ state: "granted" })
  })

  it("end by their account, not by another, and by whoever gives one of their tokens back", async () => {
    const [accountId, other] = [await store.account(), await store.account()]
    const { given, id } = await connected(accountId)
    const ended = (grantId: string) => ({ grantId, accountId, cancelledJobs: [] })
    expect(await grants((port) => port.end(other, undefined, id))).toBeUndefined()
    expect(await grants((port) => port.end(accountId, undefined, "grt_x"))).toBeUndefined()
    expect(await grants((port) => port.end(accountId, undefined, id))).toEqual(ended(id))
    expect(await grants((port) => port.end(accountId, undefined, id))).toBeUndefined()
    expect(await holder(given.access)).toBeUndefined()
    const second = await connected(accountId)
    expect(await grants((port) => port.endByToken(second.given.refresh!, "https://b.example/"))).toBeUndefined()
    expect(await grants((port) => port.endByToken(second.given.refresh!, undefined))).toEqual(ended(second.id))
    expect(await grants((port) => port.endByToken(second.given.refresh!, undefined))).toBeUndefined()
  })

  given(store.account)("are those of a person, and end with their membership", async (accountId) => {
    const { given, id } = await connected(accountId)
    const waiting = await added(codeOf(accountId))
    const listed = (personId: string) => grants((port) => port.listByAccount(accountId, personId, 2_000))
    expect(await listed(personOf(accountId))).toMatchObject([{ id, personId: personOf(accountId) }])
    expect(await listed("per_x")).toEqual([])
    expect(await grants((port) => port.end(accountId, "per_x", id))).toBeUndefined()
    await sql(`update memberships set role = 'viewer', selector = 'env=prod' where account_id = '${accountId}'`)
    expect(await holder(given.access)).toMatchObject({ member: { role: "viewer", selector: "env=prod" } })
    await sql(`delete from memberships where account_id = '${accountId}'`)
    expect(await holder(given.access)).toBeUndefined()
    expect(await refresh(given.refresh)).toEqual({ state: "refused" })
    expect(await redeem(waiting)).toEqual({ state: "refused" })
  })

  given(store.account)("say when they were last used; an older use changes nothing", async (accountId) => {
    const { id } = await connected(accountId)
    const use = (at: number) => grants((port) => port.touch([{ id, at }]))
    await use(5_000)
    await use(4_000)
    expect(await grants((port) => port.listByAccount(accountId, undefined, 2_000))).toMatchObject([
      { lastUsedAt: 5_000 }
    ])
  })

  it("have a bound for each account, and so have codes, for each account and in all", async () => {
    const accountId = await store.account()
    const make = (table: string, columns: string, values: string, count: number) =>
      store.run(insertMany(count, `insert into ${table} (${columns}) select ${values}`))
    const columns =
      "account_id, person_id, client_id, client_name, redirect_host, scopes, offline, created_at, expires_at"
    const values = `'${accountId}', '${personOf(accountId)}', 'c', 'c', 'h', '{}', true, 1, 9000`
    for (let nth = 0; nth < codesPerAccountMax; nth++) await added(codeOf(accountId))
    expect(await grants((port) => port.addCode(secret(), codeOf(accountId)))).toBe("full")
    const waiting = await added(codeOf(await store.account()))
    await sql(
      `update oauth_codes set account_id = '${accountId}', person_id = '${personOf(accountId)}' where hash = '\\x${waiting}'`
    )
    await make("oauth_grants", `id, ${columns}`, `'grt_' || n, ${values}`, grantsPerAccountMax)
    await expect(redeem(waiting)).rejects.toMatchObject({ _tag: "ConnectedAppLimitReached" })
    await expect(grants((port) => port.addCode(secret(), codeOf(accountId)))).rejects.toMatchObject({
      limit: grantsPerAccountMax
    })
    await sql(`delete from oauth_grants where account_id = '${accountId}'`)
    expect(await redeem(waiting)).toMatchObject({ state: "granted" })
    const all = `hash, redirect_uri, challenge, resource, ${columns}`
    await make("oauth_codes", all, `sha256(n::text::bytea), '', '', '', ${values}`, codesMax)
    expect(await grants((port) => port.addCode(secret(), codeOf(accountId)))).toBe("full")
    await sql("delete from oauth_codes")
  })

  it("are removed when they are over, and used codes when nobody can use them again", async () => {
    const accountId = await store.account()
    await connected(accountId)
    const prune = (now: number) => grants((port) => port.prune(now))
    const rows = () => sql(`select 1 from oauth_codes where account_id = '${accountId}'`)
    await prune(8_999)
    expect([
      (await rows()).length,
      (await grants((port) => port.listByAccount(accountId, undefined, 0))).length
    ]).toEqual([1, 1])
    await prune(9_001)
    expect(await grants((port) => port.listByAccount(accountId, undefined, 0))).toEqual([])
    await prune(2_001 + usedCodeKeptMillis)
    expect(await rows()).toEqual([])
  })
})
