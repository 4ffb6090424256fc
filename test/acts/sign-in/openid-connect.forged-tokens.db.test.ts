/** A provider that says what another would not: for another client, an older sign-in, as another issuer, or nothing. */
import { generateKeyPair } from "jose"
import { describe, expect, it } from "vitest"
import { challengeOf } from "../../../src/auth/challenge.ts"
import { signInsPerBrowserMax } from "../../../src/limits.ts"
import { type IssuerOddity, type Said, startIssuer } from "../../support/foreign/issuer.ts"
import { type HubAnswer, useHub } from "../../support/hub.ts"
import { useStarted } from "../../support/use-started.ts"

const publicUrl = "http://hub.test"
const dashboardUrl = "http://dashboard.test/signed-in"
const verifier = "the-verifier-that-only-the-dashboard-of-this-browser-has"

describe("a sign-in at a provider", () => {
  const provider = useStarted(() => startIssuer())
  const hub = useHub(() => {
    const client = { oidcIssuer: provider.own, oidcClientId: provider.clientId, oidcClientSecret: "secret" }
    return { settings: { publicUrl, dashboardUrl, ...client } }
  })

  const begin = (cookie = "") =>
    hub.request("GET", `/api/v1/auth/login?challenge=${challengeOf(verifier)}`, { headers: { cookie } })
  const fragmentOf = (answer: HubAnswer) =>
    new URLSearchParams(new URL(answer.headers.get("location") ?? "").hash.slice(1))
  /** Begins, and comes back; `cookies` are the browser's, `forged` is what the provider says. */
  const begun = async (cookies = "") => {
    const answer = await begin(cookies)
    const asked = new URL(answer.headers.get("location") ?? "").searchParams
    const set = answer.headers.getSetCookie()
    const path = `/api/v1/auth/callback?code=c&state=${asked.get("state")}`
    return {
      set,
      cookie: set.at(-1)!.split(";")[0]!,
      comeBack: (cookie: string, forged: Said = {}) => {
        provider.say(forged, asked.get("nonce") ?? "")
        return hub.request("GET", path, { headers: { cookie } })
      }
    }
  }
  /** What the dashboard is told after a sign-in whose provider says this. */
  const signIn = async (forged: Said) => {
    const one = await begun()
    return fragmentOf(await one.comeBack(one.cookie, forged))
  }

  it("does not begin where the provider's metadata are those of another issuer", async () => {
    provider.say({ issuer: "http://another.test" })
    expect((await begin()).status).toBe(500)
    provider.say({})
    expect((await begin()).status).toBe(302)
  })

  it("is one with a token that is all right", async () =>
    expect((await signIn({})).get("code")).toMatch(/^[\w-]{43}$/u))

  it.each([
    ["of another sign-in", { nonce: "n".repeat(43) }],
    ["of no sign-in", { nonce: undefined }],
    ["for another client", { aud: "another" }],
    ["for several clients, by another", { aud: ["hub", "another"], azp: "another" }],
    ["by another issuer", { iss: "http://another.test" }],
    ["that has ended", { exp: 1_000 }],
    ["of no person", { sub: undefined }]
  ])("is none with a token %s", async (_, claims) => {
    const told = await signIn({ claims })
    expect([told.get("code"), told.get("error")]).toEqual([null, "sign_in_failed"])
  })

  it("is none with a token that another key signed", async () => {
    const { privateKey } = await generateKeyPair("RS256")
    expect((await signIn({ signedBy: privateKey })).get("error")).toBe("sign_in_failed")
  })

  it.each<IssuerOddity>([
    "token 500",
    "token 503",
    "token 429",
    "token drops",
    "token hangs",
    "token pads",
    "token fills",
    "userinfo 503",
    "userinfo fills"
  ])("is told to come again while the provider's %s, and the same callback then goes on", async (oddity) => {
    const one = await begun()
    const said = { claims: { email: undefined }, userInfo: { email: "ann@example.org", email_verified: true } }
    provider.be(oddity)
    const away = await one.comeBack(one.cookie, said)
    provider.be()
    expect([away.status, fragmentOf(away).get("error")]).toEqual([302, "temporarily_unavailable"])
    expect(away.headers.getSetCookie()).toEqual([])
    expect(fragmentOf(await one.comeBack(one.cookie, said)).get("code")).toMatch(/^[\w-]{43}$/u)
  })

  it("takes the address from UserInfo where the ID token has none, of the same person only", async () => {
    const userInfo = { email: "una@example.org", email_verified: true }
    const claims = { sub: "una", email: undefined, email_verified: undefined }
    expect((await signIn({ claims, userInfo: { sub: "una", ...userInfo } })).get("code")).toMatch(/^[\w-]{43}$/u)
    const other = { sub: "oto", email: undefined }
    expect((await signIn({ claims: other, userInfo: { ...userInfo, sub: "una" } })).get("error")).toBe("sign_in_failed")
    const asked = provider.asked("userinfo")
    await signIn({})
    expect(provider.asked("userinfo")).toBe(asked)
  })

  it("of a person whose address is verified, as true or as a text, joins the account that has it; others are told why not", async () => {
    await signIn({ claims: { sub: "vic", email: "vic@example.org" } })
    for (const [at, email_verified] of [true, "true"].entries()) {
      const told = await signIn({ claims: { sub: `vic-${at}`, email: "vic@example.org", email_verified } })
      expect(told.get("code"), `${email_verified}`).not.toBe(null)
    }
    for (const email_verified of ["false", false, 1, "yes", "TRUE", ["true"], null, undefined]) {
      const told = await signIn({ claims: { sub: "not-vic", email: "vic@example.org", email_verified } })
      expect([told.get("code"), told.get("error_description")]).toEqual([
        null,
        "the e-mail address of the provider is not verified there, and an account has it already"
      ])
    }
    await signIn({ claims: { sub: "wim", email: "wim@example.org", email_verified: false } })
    expect((await signIn({ claims: { sub: "real-wim", email: "wim@example.org" } })).get("error_description")).toBe(
      "the e-mail address of the provider is that of an account that was made before it was verified"
    )
  })

  it("goes on in each of two tabs, and a callback of another state leaves the cookies of both", async () => {
    const [one, other] = [await begun(), await begun()]
    const jar = `${one.cookie}; ${other.cookie}`
    const foreign = await hub.request("GET", "/api/v1/auth/callback?code=c&state=foreign", { headers: { cookie: jar } })
    expect([fragmentOf(foreign).get("error"), foreign.headers.getSetCookie()]).toEqual(["sign_in_failed", []])
    const ends = [await one.comeBack(jar), await other.comeBack(jar)]
    for (const end of ends) expect(fragmentOf(end).get("code")).toMatch(/^[\w-]{43}$/u)
    expect(ends.flatMap((end) => end.headers.getSetCookie()).map((line) => line.split("; ")[0])).toEqual(
      [one, other].map(({ cookie }) => `${cookie.split("=")[0]}=`)
    )
  })

  it(`has ${signInsPerBrowserMax} begun in a browser at most: one more ends the oldest`, async () => {
    const old = [...Array(signInsPerBrowserMax + 1).keys()].map((n) => `hub_sign_in_100${n}_${"a".repeat(16)}=x`)
    const { set } = await begun(old.toReversed().join("; "))
    expect(set).toHaveLength(3)
    for (const [at, line] of set.slice(0, 2).entries())
      expect(line).toMatch(new RegExp(`^hub_sign_in_100${at}_a{16}=; .*Max-Age=0;`, "u"))
  })
})

describe("a provider that is away when a sign-in begins", () => {
  const provider = useStarted(() => startIssuer())
  const hub = useHub(() => {
    const client = { oidcIssuer: provider.own, oidcClientId: provider.clientId, oidcClientSecret: "secret" }
    return { settings: { publicUrl, dashboardUrl, ...client } }
  })

  it.each<IssuerOddity>(["configuration 503", "configuration drops", "configuration hangs"])(
    "with %s sends the browser back to the dashboard, with the reason",
    async (oddity) => {
      provider.be(oddity)
      const answer = await hub.request("GET", `/api/v1/auth/login?challenge=${challengeOf(verifier)}`)
      expect([answer.status, answer.headers.get("location")]).toEqual([
        302,
        `${dashboardUrl}#error=temporarily_unavailable&error_description=the+provider+does+not+answer+now%3A+sign+in+again+in+a+moment`
      ])
    }
  )
})
