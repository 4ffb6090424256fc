/** Dashboard sessions over HTTP: what a refresh replaces, what ends them all, and how many an account has. */
import { describe, expect, it } from "vitest"
import { refreshGraceMillis, sessionsMax } from "../../../src/limits.ts"
import { useHub } from "../../support/hub.ts"

describe("dashboard sessions", () => {
  const hub = useHub({ virtual: true, settings: { trustedProxies: ["127.0.0.0/8"] } })

  // Each call comes from an address of its own: the limits of the auth endpoints are by address.
  let addresses = 0
  const newAddress = (): Record<string, string> => ({ "x-forwarded-for": `198.51.100.${++addresses}` })
  const refresh = (session: string) => hub.request("POST", "/api/v1/auth/refresh", { session, headers: newAddress() })
  const me = (session: string) => hub.request("GET", "/api/v1/me", { session, headers: newAddress() })

  it("go on with the newest token after a refresh, and beside it with the one before for a minute", async () => {
    const first = await (await hub.account()).session()
    const second = (await refresh(first)).body.token
    // another tab, at the same moment
    const alike = (await refresh(first)).body.token
    for (const token of [first, second, alike]) expect((await me(token)).status).toBe(200)
    await hub.advance(refreshGraceMillis)
    const refused = await me(first)
    expect(refused.body).toMatchObject({
      code: "AUTH_INVALID",
      error: "The token was replaced by a newer one of its session."
    })
    for (const token of [second, alike]) expect((await me(token)).status).toBe(200)
  })

  it("are refreshed by many at once with one token, each of which has a good one then", async () => {
    const first = await (await hub.account()).session()
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(first)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    await hub.advance(refreshGraceMillis)
    for (const { body } of answers) expect((await me(body.token)).status).toBe(200)
  })

  it("end when a token comes to be refreshed that was refreshed before: every token of them", async () => {
    const account = await hub.account()
    const [first, other] = [await account.session(), await account.session()]
    const tokens = [first]
    for (let times = 0; times < 6; times++) {
      tokens.push((await refresh(tokens.at(-1)!)).body.token)
      await hub.advance(refreshGraceMillis)
    }
    for (const old of tokens.slice(0, 6)) expect((await me(old)).status).toBe(401)
    expect((await me(tokens[6]!)).status).toBe(200)
    const stolen = await refresh(tokens[2]!)
    expect([stolen.status, stolen.body.code]).toEqual([401, "AUTH_INVALID"])
    expect((await me(tokens[6]!)).status).toBe(401)
    expect((await refresh(tokens[6]!)).status).toBe(401)
    expect((await me(other)).status).toBe(200)
  })

  it("are ended by their account itself, all but the one that asks and no other account's", async () => {
    const [account, stranger] = [await hub.account(), await hub.account()]
    const [mine, lost, stolen] = [await account.session(), await account.session(), await account.session()]
    const theirs = await stranger.session()
    for (const token of [mine, lost, stolen, theirs]) expect((await me(token)).status).toBe(200)
    const others = (session: string) =>
      hub.request("POST", "/api/v1/auth/logout-others", { session, headers: newAddress() })
    expect((await others(await account.session({ ageSeconds: 3_600 }))).body.code).toBe("RECENT_LOGIN_REQUIRED")
    expect((await others(mine)).body).toEqual({ success: true, ended: 3 })
    expect(await Promise.all([mine, lost, stolen, theirs].map(async (one) => (await me(one)).status))).toEqual([
      200, 401, 401, 200
    ])
    expect((await others(mine)).body).toEqual({ success: true, ended: 0 })
  })

  it(`are ${sessionsMax} of one account: with one more the oldest ends at once`, async () => {
    const account = await hub.account()
    const oldest = await account.session()
    await hub.advance(1)
    const second = await account.session()
    for (let times = 2; times < sessionsMax; times++) await account.session()
    for (const token of [oldest, second]) expect((await me(token)).status).toBe(200)
    await account.session()
    expect(await Promise.all([oldest, second].map(async (one) => (await me(one)).status))).toEqual([401, 200])
  })
})
