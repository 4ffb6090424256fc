/** Signing in at a real OpenID Connect provider: the way there, the way back, and what is refused on it. */
import { Effect } from "effect"
import { decodeJwt } from "jose"
import { describe, expect, it } from "vitest"
import { AuditLog } from "../../../actors/audit-log/audit-log.ts"
import { perform } from "../../../src/admin/operations.ts"
import { challengeOf } from "../../../src/auth/challenge.ts"
import { startHub, useHub } from "../../support/hub.ts"
import { signInAt, startProvider } from "../../support/openid-provider.ts"
import { useStarted } from "../../support/use-started.ts"

const publicUrl = "http://hub.test"
const dashboardUrl = "http://dashboard.test/signed-in"
const verifier = "the-verifier-that-only-the-dashboard-of-this-browser-has"

describe("signing in at an OpenID Connect provider", () => {
  const provider = useStarted(() => startProvider(`${publicUrl}/api/v1/auth/callback`))
  const hub = useHub(() => {
    const { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret } = provider
    return { settings: { publicUrl, dashboardUrl, oidcIssuer, oidcClientId, oidcClientSecret } }
  })

  const begin = async (challenge = challengeOf(verifier)) => {
    const answer = await hub.request("GET", `/api/v1/auth/login?challenge=${challenge}`)
    expect(answer.status).toBe(302)
    const line = answer.headers.get("set-cookie") ?? ""
    return { location: answer.headers.get("location") ?? "", line, cookie: line.split(";")[0]! }
  }
  const comeBack = (url: URL, cookie: string) =>
    hub.request("GET", `${url.pathname}${url.search}`, { headers: { cookie } })
  const fragmentOf = (location: string | null) => new URLSearchParams(new URL(location ?? "").hash.slice(1))
  const exchange = (code: string, shown: string | null = verifier) =>
    hub.request("POST", "/api/v1/auth/exchange", { body: { code, verifier: shown } })
  /** The whole way; gives what the dashboard's fragment says. */
  const signIn = async (person: string) => {
    const { location, cookie } = await begin()
    const answer = await comeBack(await signInAt(location, person), cookie)
    expect(answer.status).toBe(302)
    return fragmentOf(answer.headers.get("location"))
  }

  it("sends the browser there with PKCE, state and nonce, and keeps them from everybody in a sealed cookie", async () => {
    const { location, line, cookie } = await begin()
    const query = new URL(location).searchParams
    expect(query.get("code_challenge_method")).toBe("S256")
    expect(query.get("redirect_uri")).toBe(`${publicUrl}/api/v1/auth/callback`)
    expect(query.get("max_age")).toBe("900")
    for (const name of ["state", "nonce", "code_challenge"]) expect(query.get(name)).toMatch(/^[\w-]{20,}$/u)
    expect(line).toMatch(/; HttpOnly; SameSite=Lax$/u)
    expect(cookie).not.toContain(query.get("state"))
  })

  it("ends at the dashboard with a code in the fragment, which is good for one token", async () => {
    const code = (await signIn("ann")).get("code")!
    const answer = await exchange(code)
    expect(answer.status).toBe(200)
    expect(answer.body.account).toMatchObject({ email: "ann@example.org", admin: false })
    const me = await hub.request("GET", "/api/v1/me", { session: answer.body.token })
    expect(me.body.account.id).toBe(answer.body.account.id)
    expect((await exchange(code)).status).toBe(401)
    expect(answer.text).not.toContain(provider.clientSecret)
  })

  it("gives a code that only the dashboard which began can exchange: a planted or stolen one signs nobody in", async () => {
    const another = "the-verifier-of-another-browser-which-did-not-begin-this"
    for (const shown of [another, null]) {
      const code = (await signIn("mia")).get("code")!
      expect((await exchange(code, shown)).body).toMatchObject({ reason: "AUTH_INVALID" })
      // one try, right or wrong
      expect((await exchange(code)).status).toBe(401)
    }
    expect((await exchange((await signIn("mia")).get("code")!)).status).toBe(200)
  })

  it("does not begin without a challenge, or with one that is none, and says what is missing", async () => {
    for (const query of ["", "?challenge=", "?challenge=abc", `?challenge=${"a".repeat(44)}`]) {
      const { status, body } = await hub.request("GET", `/api/v1/auth/login${query}`)
      expect([status, body.reason, body.issues[0].path]).toEqual([400, "VALIDATION_FAILED", "challenge"])
    }
    const short = await hub.request("POST", "/api/v1/auth/exchange", { body: { code: "x", verifier: "short" } })
    expect([short.status, short.body.issues[0].path]).toEqual([400, "verifier"])
  })

  it("says when the person signed in there, so that the login is recent", async () => {
    const answer = await exchange((await signIn("bea")).get("code")!)
    const claims = decodeJwt(answer.body.token)
    expect(claims["auth_time"]).toBeTypeOf("number")
    const key = await hub.request("POST", "/api/v1/api-keys", {
      session: answer.body.token,
      body: { name: "first", scopes: ["ide:read"] }
    })
    expect(key.status).toBe(201)
  })

  it("that does not say when the person signed in gives a login of unknown age, which is not recent, refreshed or not", async () => {
    const { location, cookie } = await begin()
    const unasked = new URL(location)
    unasked.searchParams.delete("max_age")
    const answer = await comeBack(await signInAt(unasked.href, "hal"), cookie)
    const { body } = await exchange(fragmentOf(answer.headers.get("location")).get("code")!)
    const refreshed = await hub.request("POST", "/api/v1/auth/refresh", { session: body.token, body: {} })
    for (const session of [body.token, refreshed.body.token]) {
      const me = await hub.request("GET", "/api/v1/me", { session })
      expect(me.body.credential).toMatchObject({ authenticatedAt: null, recentUntil: null })
      const key = { name: "first", scopes: ["ide:read"] }
      const refused = await hub.request("POST", "/api/v1/api-keys", { session, body: key })
      expect([refused.status, refused.body.reason]).toEqual([403, "RECENT_LOGIN_REQUIRED"])
    }
  })

  it("finds the same account again, and makes one for each person", async () => {
    const account = async (person: string) => (await exchange((await signIn(person)).get("code")!)).body.account
    const first = await account("carl")
    expect(await account("carl")).toEqual(first)
    expect((await account("dora")).id).not.toBe(first.id)
  })

  it("joins an account that has the address only when the provider vouches for it", async () => {
    const own = await exchange((await signIn("eve")).get("code")!)
    expect((await signIn("unvouched-eve")).get("error")).toBe("sign_in_failed")
    const nameless = await signIn("nameless")
    expect([...nameless]).toEqual([
      ["error", "sign_in_failed"],
      ["error_description", "the e-mail address of the provider is missing"]
    ])
    expect(own.status).toBe(200)
  })

  it("joins by the address whatever its case and width, and makes no account of one that only looks like it", async () => {
    const own = (await exchange((await signIn("ida")).get("code")!)).body.account
    expect((await exchange((await signIn("ＩＤＡ")).get("code")!)).body.account).toEqual(own)
    for (const person of ["i\u200bda", "id\u0430"]) {
      const fragment = await signIn(person)
      expect([person, fragment.get("error"), fragment.get("code")]).toEqual([person, "sign_in_failed", null])
      expect(fragment.get("error_description")).toMatch(/^the e-mail address of the provider [a-zL@, -]+$/u)
    }
  })

  it("lets nobody join an account that was made under an address nobody vouched for", async () => {
    const early = await exchange((await signIn("unvouched-gil")).get("code")!)
    expect(early.status).toBe(200)
    expect((await signIn("gil")).get("error")).toBe("sign_in_failed")
    const again = await exchange((await signIn("unvouched-gil")).get("code")!)
    expect(again.body.account).toEqual(early.body.account)
  })

  it("refuses a callback with another's cookie, without one, with another state or a spent code", async () => {
    const { location, cookie } = await begin()
    const another = await begin()
    const url = await signInAt(location, "finn")
    const forged = new URL(url)
    forged.searchParams.set("state", "x".repeat(43))
    const tries: ReadonlyArray<readonly [URL, string]> = [
      [url, another.cookie],
      [url, ""],
      [url, "hub_sign_in=v1.aaaaaaaa.AAAA.AAAA"],
      [forged, cookie]
    ]
    for (const [at, with_] of tries) {
      const answer = await comeBack(at, with_)
      expect(fragmentOf(answer.headers.get("location")).get("error")).toBe("sign_in_failed")
    }
    expect(fragmentOf((await comeBack(url, cookie)).headers.get("location")).get("code")).toBeTruthy()
    expect(fragmentOf((await comeBack(url, cookie)).headers.get("location")).get("error")).toBe("sign_in_failed")
  })

  it("refuses what the provider calls an error, and a code nobody made", async () => {
    const { location, cookie } = await begin()
    const state = new URL(location).searchParams.get("state")
    const denied = await comeBack(
      new URL(`${publicUrl}/api/v1/auth/callback?error=access_denied&state=${state}`),
      cookie
    )
    expect(fragmentOf(denied.headers.get("location")).get("error")).toBe("sign_in_failed")
    expect((await exchange("made up")).status).toBe(401)
  })

  it("is in the audit log of the hub when it fails, and names no account there", async () => {
    const { cookie } = await begin()
    const forged = new URL(`${publicUrl}/api/v1/auth/callback?code=x&state=forged`)
    await comeBack(forged, cookie)
    await hub.inside(Effect.flatMap(AuditLog, (log) => log.flush))
    const listed = await hub.inside(perform({ op: "audit list", action: "session.started", outcome: "refused" }))
    const { events } = (listed as unknown as { answer: { events: ReadonlyArray<object> } }).answer
    const noted = { actor: "anonymous", accountId: null, reason: "AUTH_INVALID" }
    expect(events).toContainEqual(expect.objectContaining(noted))
  })

  it("may begin without a challenge where the operator says so; a verifier then is refused, and one that is asked for is not", async () => {
    await hub.restart({ signInChallenge: "optional" })
    const plainly = async () => {
      const answer = await hub.request("GET", "/api/v1/auth/login")
      const cookie = answer.headers.get("set-cookie")!.split(";")[0]!
      const back = await comeBack(await signInAt(answer.headers.get("location")!, "jim"), cookie)
      return fragmentOf(back.headers.get("location")).get("code")!
    }
    expect((await exchange(await plainly(), null)).status).toBe(200)
    expect((await exchange(await plainly())).status).toBe(401)
    expect((await exchange((await signIn("jim")).get("code")!, null)).status).toBe(401)
    expect((await exchange((await signIn("jim")).get("code")!)).status).toBe(200)
    const unbound = await plainly()
    await hub.restart({ signInChallenge: "required" })
    expect((await exchange(unbound, null)).status).toBe(401)
  })

  it("comes back below the path of HUB_PUBLIC_URL, where the browser then has the cookie", async () => {
    await hub.restart({ publicUrl: "http://hub.test/below/" })
    const { location, line } = await begin()
    expect(new URL(location).searchParams.get("redirect_uri")).toBe("http://hub.test/below/api/v1/auth/callback")
    expect(line).toMatch(/^hub_sign_in_\d+_[\w-]{16}=.*; Path=\/below\/api\/v1\/auth; .*; SameSite=Lax$/u)
  })

  it("over https has a cookie that only its own host can have set, and is rid of it again", async () => {
    await hub.restart({ publicUrl: "https://hub.test/below/" })
    const { location, line, cookie } = await begin()
    const callback = new URL(location).searchParams.get("redirect_uri")!
    expect(callback).toBe("https://hub.test/below/api/v1/auth/callback")
    expect(line).toMatch(
      /^__Host-hub_sign_in_\d+_[\w-]{16}=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/u
    )
    const state = new URL(location).searchParams.get("state")
    const back = await comeBack(new URL(`${publicUrl}/api/v1/auth/callback?code=x&state=${state}`), cookie)
    expect(back.headers.get("set-cookie")).toBe(
      `${cookie.split("=")[0]}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`
    )
  })
})

it("without a provider there is nothing to sign in at", async () => {
  const hub = await startHub()
  try {
    expect((await hub.request("GET", "/api/v1/auth/login")).status).toBe(404)
    expect((await hub.request("GET", "/api/v1/auth/callback?state=x")).status).toBe(404)
  } finally {
    await hub.close()
  }
})
