/** Dashboard sessions over HTTP: signing in by password, refreshing, logging out, and every kind of bad token. */
import { Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose"
import { describe, expect, it } from "vitest"
import { audience, issuer } from "../../../src/auth/session-tokens.ts"
import { SigningKeys } from "../../../src/auth/signing-keys.ts"
import { attemptCallsMax, attemptFailuresMax, refreshGraceMillis, sessionsMax } from "../../../src/limits.ts"
import { Accounts } from "../../../src/store/accounts/accounts.ts"
import { People } from "../../../src/store/accounts/people.ts"
import { useHub } from "../../support/hub.ts"

const password = "correct horse battery"
const fiveMinutes = 300_000

describe("dashboard sessions", () => {
  const hub = useHub({ virtual: true, settings: { trustedProxies: ["127.0.0.0/8"] } })

  // Each test comes from an address of its own: the limits of the auth endpoints are by address.
  let addresses = 0
  const newAddress = (): Record<string, string> => ({ "x-forwarded-for": `198.51.100.${++addresses}` })
  const login = (email: string, secret: string, headers = newAddress()) =>
    hub.request("POST", "/api/v1/auth/login", { body: { email, password: secret }, headers })
  const refresh = (session: string) => hub.request("POST", "/api/v1/auth/refresh", { session, headers: newAddress() })
  const me = (session: string) => hub.request("GET", "/api/v1/me", { session })

  it("begin with e-mail and password, whatever the case of the address", async () => {
    const account = await hub.account({ password })
    const answer = await login(account.email.toUpperCase(), password)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/u),
      expiresAt: hub.now() + 12 * 3_600_000,
      account: { id: account.accountId, email: account.email, plan: "pro", admin: false },
      person: { id: expect.stringMatching(/^per_/u), email: account.email }
    })
    expect((await me(answer.body.token)).body.credential).toMatchObject({
      kind: "session",
      authenticatedAt: hub.now(),
      recentUntil: hub.now() + 900_000
    })
  })

  it("begin with a password of whatever age: none has an end", async () => {
    const account = await hub.account({ password })
    await hub.sql((sql) => sql`update accounts set created_at = 0`)
    expect((await login(account.email, password)).status).toBe(200)
  })

  it("do not begin with a password that is replaced while it is compared", async () => {
    const account = await hub.account({ password })
    const people = await hub.inside(Effect.map(People, (port) => port))
    const { byEmail } = people
    const replaced: typeof byEmail = (email) =>
      Effect.tap(byEmail(email), (person) => people.setPassword(person!.id, "of another", account.accountId))
    Object.assign(people, { byEmail: replaced })
    try {
      expect(await login(account.email, password)).toMatchObject({ status: 401, body: { reason: "AUTH_INVALID" } })
    } finally {
      Object.assign(people, { byEmail })
    }
    expect(await hub.sql((sql) => sql`select 1 from sessions where account_id = ${account.accountId}`)).toEqual([])
  })

  it("do not begin with a wrong password, for nobody, without a password, or for a disabled account: all alike", async () => {
    const account = await hub.account({ password })
    const without = await hub.account()
    const disabled = await hub.account({ password })
    await hub.inside(Effect.flatMap(Accounts, (accounts) => accounts.setDisabled(disabled.accountId, true)))
    const answers = [
      await login(account.email, "wrong"),
      await login("nobody@example.org", password),
      await login(without.email, ""),
      await login(disabled.email, password)
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 400, 401])
    expect((await login(without.email, "anything")).status).toBe(401)
    for (const { body } of [answers[0]!, answers[1]!, answers[3]!]) expect(body.reason).toBe("AUTH_INVALID")
  })

  it("are refused to an address after 10 failures for one account in 5 minutes, even with the right password", async () => {
    const account = await hub.account({ password })
    const other = await hub.account({ password })
    const here = newAddress()
    for (let failure = 0; failure < attemptFailuresMax; failure++)
      expect((await login(account.email, "wrong", here)).status).toBe(401)
    const refused = await login(account.email, password, here)
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ code: "RATE_LIMITED", limit: attemptFailuresMax })
    expect(Number(refused.headers.get("retry-after"))).toBe(fiveMinutes / 1_000)
    expect((await login(other.email, password, here)).status).toBe(200)
    expect((await login(account.email, password)).status).toBe(200)
    await hub.advance(fiveMinutes)
    expect((await login(account.email, password, here)).status).toBe(200)
  })

  it("are tried 10 times by one address for one account, in whatever spelling its e-mail address comes", async () => {
    const account = await hub.account({ password })
    const here = newAddress()
    const wide = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)
    const spellings = [...account.email].slice(0, 6).flatMap((letter, at) => {
      const rest = [account.email.slice(0, at), account.email.slice(at + 1)]
      return [wide(letter), wide(letter.toUpperCase())].map((other) => rest.join(other))
    })
    const statuses: Array<number> = []
    for (const email of spellings) statuses.push((await login(email, "wrong", here)).status)
    expect(statuses).toEqual([...Array(attemptFailuresMax).fill(401), 429, 429])
    expect((await login(spellings[0]!, password)).body.account.id).toBe(account.accountId)
  })

  it("are tried no more than 10 times at once by one address for one account", async () => {
    const account = await hub.account({ password })
    const here = newAddress()
    const answers = await Promise.all(Array.from({ length: 30 }, () => login(account.email, "wrong", here)))
    expect(answers.filter(({ status }) => status === 401).length).toBe(attemptFailuresMax)
    expect(answers.filter(({ status }) => status === 429).length).toBe(30 - attemptFailuresMax)
  })

  it("take 100 calls of an address in 5 minutes over all auth endpoints, also with a body that does not fit or a credential that is none", async () => {
    const here = newAddress()
    const half = attemptCallsMax / 2
    for (let calls = 0; calls < half; calls++) {
      expect((await hub.request("POST", "/api/v1/auth/login", { body: {}, headers: here })).status).toBe(400)
      expect((await hub.request("POST", "/api/v1/auth/refresh", { key: "junk", headers: here })).status).toBe(401)
    }
    const refused = await hub.request("POST", "/api/v1/auth/exchange", { body: { code: "none" }, headers: here })
    expect([refused.status, refused.body.limit]).toEqual([429, attemptCallsMax])
    expect((await hub.request("GET", "/api/v1/auth/login", { headers: here })).status).toBe(429)
    expect((await login("a@example.org", password)).status).toBe(401)
  })

  it("are continued by a refresh, which makes the login no more recent", async () => {
    const first = await (await hub.account()).session({ ageSeconds: 890 })
    const at = hub.now() - 890_000
    const answer = await refresh(first)
    expect(answer.status).toBe(200)
    expect(answer.body.expiresAt).toBe(hub.now() + 12 * 3_600_000)
    expect((await me(answer.body.token)).body.credential.authenticatedAt).toBe(at)
    const key = () =>
      hub.request("POST", "/api/v1/api-keys", { session: answer.body.token, body: { name: "x", scopes: ["ide:read"] } })
    expect((await key()).status).toBe(201)
    await hub.advance(11_000)
    expect((await key()).body).toMatchObject({ code: "RECENT_LOGIN_REQUIRED", maxAge: 900, authAge: 901 })
  })

  it("end at once with a logout, every token of them, and no other", async () => {
    const account = await hub.account()
    const [first, other] = [await account.session(), await account.session()]
    const second = (await refresh(first)).body.token
    expect((await me(second)).status).toBe(200)
    const out = await hub.request("POST", "/api/v1/auth/logout", { session: first, headers: newAddress() })
    expect(out.body).toEqual({ success: true })
    for (const dead of [first, second]) expect((await me(dead)).body.code).toBe("AUTH_INVALID")
    expect((await me(other)).status).toBe(200)
    expect((await refresh(second)).status).toBe(401)
  })

  it("outlive a restart of the hub", async () => {
    const token = await (await hub.account()).session()
    await hub.restart()
    expect((await me(token)).status).toBe(200)
  })

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
    const { account, session: oldest } = await hub.signedIn()
    await hub.advance(1)
    const second = await account.session()
    for (let times = 2; times < sessionsMax; times++) await account.session()
    for (const token of [oldest, second]) expect((await me(token)).status).toBe(200)
    await account.session()
    expect(await Promise.all([oldest, second].map(async (one) => (await me(one)).status))).toEqual([401, 200])
  })

  describe("with a token that is", () => {
    const claims = (change: Record<string, unknown> = {}) => {
      const seconds = Math.floor(hub.now() / 1_000)
      return { iss: issuer, aud: audience, sub: "acc_x", sid: "ses_x", iat: seconds, exp: seconds + 600, ...change }
    }
    const current = () => hub.inside(Effect.flatMap(SigningKeys, (signing) => signing.current))
    const signedByUs = async (change: Record<string, unknown>) => {
      const { kid, privateKey } = await current()
      return new SignJWT(claims(change)).setProtectedHeader({ alg: "EdDSA", kid }).sign(privateKey)
    }
    /** Claims of a session that lives, so that only the change can be what is refused. */
    const living = async () => {
      const [, body = ""] = (await (await hub.account()).session()).split(".")
      return JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>
    }
    const refused = async (token: string) => {
      const answer = await me(token)
      expect(answer.status).toBe(401)
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"')
      return answer.body.reason
    }

    const signedAs = async (alg: string, kid: string, secret: Parameters<SignJWT["sign"]>[0]) =>
      new SignJWT(await living()).setProtectedHeader({ alg, kid }).sign(secret)
    const forged = async () => (await generateKeyPair("EdDSA")).privateKey

    it.each<[what: string, make: () => Promise<string>]>([
      ["unsigned", async () => new UnsecuredJWT(await living()).encode()],
      ["for another audience", async () => signedByUs({ ...(await living()), aud: "another" })],
      ["of another issuer", async () => signedByUs({ ...(await living()), iss: "another" })],
      ["expired", async () => signedByUs({ ...(await living()), exp: Math.floor(hub.now() / 1_000) - 1 })],
      ["for another's account", async () => signedByUs({ ...(await living()), sub: (await hub.account()).accountId })],
      ["of a session that never was", () => signedByUs({ sid: `ses_${"a".repeat(20)}` })],
      ["signed by an unknown key", async () => signedAs("EdDSA", "unknown", await forged())],
      ["signed by an unknown key under our id", async () => signedAs("EdDSA", (await current()).kid, await forged())],
      [
        "signed by our public key as if it were a shared secret",
        async () => {
          const { kid, publicKey } = await current()
          return signedAs("HS256", kid, new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey))))
        }
      ],
      ["10 KB long", async () => `${"a".repeat(5_120)}.${"b".repeat(5_000)}.c`]
    ])("%s: 401", async (_, make) => expect(await refused(await make())).toBe("AUTH_INVALID"))

    it("good but for one character of its signature: 401", async () => {
      const token = await signedByUs(await living())
      expect((await me(token)).status).toBe(200)
      const at = token.length - 10
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
      expect(await refused(changed)).toBe("AUTH_INVALID")
    })
  })
})
