/** An API key for a device whose person signs in elsewhere: the way to it, its refusals, and attacks on it. */
import { describe, expect, it } from "vitest"
import { makeDeviceCode, makeUserCode } from "../../../src/auth/device-code.ts"
import { deviceCodeMillis, devicePollSeconds } from "../../../src/limits/device-codes.ts"
import { attemptCallsMax, attemptFailuresMax } from "../../../src/limits.ts"
import { given } from "../../support/given.ts"
import { startHub, useHub } from "../../support/hub.ts"

const path = "/api/v1/auth/device"

describe("a device without a key", () => {
  const hub = useHub({ virtual: true, settings: { trustedProxies: ["127.0.0.0/8"] } })

  // Each call comes from an address of its own: the limits of the auth endpoints are by address.
  let addresses = 0
  const from = () => ({ "x-forwarded-for": `198.51.100.${++addresses}` })
  const begin = (body: unknown = { name: "a laptop", scopes: ["ide:read", "agent:read"] }, headers = from()) =>
    hub.request("POST", path, { body, headers })
  const begun = async (scopes = ["ide:read", "agent:read"]) => (await begin({ name: "a laptop", scopes })).body
  const poll = (deviceCode: string) => hub.request("POST", `${path}/token`, { body: { deviceCode } })
  const decide = (what: string, session: string, userCode: string, more = {}) =>
    hub.request("POST", `${path}/${what}`, { session, body: { userCode, ...more } })
  const nextPoll = () => hub.advance(devicePollSeconds * 1_000)

  it("gets its key also where the join key that was allowed with it cannot be stored", async () => {
    const session = await (await hub.account()).session()
    const { deviceCode, userCode } = await begun()
    await decide("approve", session, userCode, { joinKey: true })
    const rename = (from: string, to: string) => hub.sql((sql) => sql.unsafe(`alter table ${from} rename to ${to}`))
    await rename("join_keys", "away")
    const got = await poll(deviceCode)
    await rename("away", "join_keys")
    expect([got.status, got.body.key?.slice(0, 4), got.body.joinKey]).toEqual([201, "hub_", undefined])
  })

  given(() => hub.account())("gets no join key of a person who is no administrator any more", async (account) => {
    const [demoted, other] = [await account.member("admin"), await account.member("admin")]
    const joinKeyOf = async ({ session, personId }: typeof other, role: string) => {
      const { deviceCode, userCode } = await begun()
      await decide("approve", await session(), userCode, { joinKey: true })
      const change = { session: await account.session(), body: { role } }
      expect((await hub.request("PATCH", `/api/v1/members/${personId}`, change)).status).toBe(200)
      return (await poll(deviceCode)).body.joinKey
    }
    expect(await joinKeyOf(demoted, "operator")).toBeUndefined()
    expect(await joinKeyOf(other, "owner")).toMatch(/^hubj_/u)
  })

  it("gets one with the scopes that a person allows, named after it, and once", async () => {
    const { account, session } = await hub.signedIn()
    const codes = await begun()
    expect(codes).toEqual({
      deviceCode: expect.stringMatching(/^hubdc_/u),
      userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/u),
      verificationUri: "/console#/device",
      verificationUriComplete: `/console#/device/${codes.userCode}`,
      expiresIn: 600,
      interval: 5
    })
    const waiting = await poll(codes.deviceCode)
    expect([waiting.status, waiting.body.reason, waiting.body.retryAfter]).toEqual([400, "AUTHORIZATION_PENDING", 5])
    expect(waiting.headers.get("retry-after")).toBe("5")
    const shown = await decide("show", session, codes.userCode.toLowerCase())
    expect(shown.body).toEqual({
      name: "a laptop",
      scopes: ["ide:read", "agent:read"],
      createdAt: hub.now(),
      expiresAt: hub.now() + deviceCodeMillis
    })
    expect((await decide("approve", session, codes.userCode, { scopes: ["ide:read"] })).body).toEqual({ success: true })
    await nextPoll()
    const { status, body } = await poll(codes.deviceCode)
    expect([status, body.name, body.scopes]).toEqual([201, "a laptop", ["ide:read"]])
    const me = (await hub.request("GET", "/api/v1/me", { key: body.key })).body
    expect([me.account.id, me.credential.id]).toEqual([account.accountId, body.id])
    expect((await hub.request("GET", "/api/v1/api-keys", { session })).body.apiKeys).toMatchObject([{ id: body.id }])
    expect((await poll(codes.deviceCode)).body.reason).toBe("EXPIRED_TOKEN")
  })

  it("is refused, and told so, when its person says no", async () => {
    const session = await (await hub.account()).session({ ageSeconds: 7_200 })
    const { deviceCode, userCode } = await begun()
    expect((await decide("deny", session, userCode)).status).toBe(200)
    expect([(await poll(deviceCode)).status, (await poll(deviceCode)).body.reason]).toEqual([400, "SLOW_DOWN"])
    await hub.advance(20_000)
    expect((await poll(deviceCode)).body.reason).toBe("ACCESS_DENIED")
    expect((await decide("approve", await (await hub.account()).session(), userCode)).status).toBe(404)
  })

  it("gets no scope that it did not ask for, and none to publish but from an administrator", async () => {
    const session = await (await hub.account()).session()
    const { userCode } = await begun(["ide:read", "registry:publish"])
    const more = await decide("approve", session, userCode, { scopes: ["terminal:exec"] })
    expect([more.status, more.body.issues]).toEqual([400, [expect.objectContaining({ path: "scopes" })]])
    expect((await decide("approve", session, userCode)).body.requiredScope).toBe("registry:publish")
    expect((await decide("approve", session, userCode, { scopes: ["ide:read"] })).status).toBe(200)
    const admin = await (await hub.account({ admin: true })).session()
    expect((await decide("approve", admin, (await begun(["registry:publish"])).userCode)).status).toBe(200)
  })

  it("gets no key where the operator lets the API issue none", async () => {
    const other = await startHub({ settings: { keyIssuing: "disabled" } })
    const body = { name: "a laptop", scopes: ["ide:read"] }
    expect((await other.request("POST", path, { body })).body.reason).toBe("AUTH_FORBIDDEN")
    const polled = await other.request("POST", `${path}/token`, { body: { deviceCode: makeDeviceCode() } })
    expect(polled.body.reason).toBe("AUTH_FORBIDDEN")
    await other.close()
  })

  it("names where its person goes by the public address, where that is set", async () => {
    const other = await startHub({ settings: { publicUrl: "https://hub.example.org/base/" } })
    const body = { name: "a laptop", scopes: ["ide:read"] }
    const { verificationUri } = (await other.request("POST", path, { body })).body
    expect(verificationUri).toBe("https://hub.example.org/base/console#/device")
    await other.close()
  })

  describe("under attack", () => {
    it("lets no account guess codes: some wrong ones, and it waits, from whatever address", async () => {
      const account = await hub.account()
      const { userCode } = await begun()
      const guess = async (code: string) => {
        const headers = from()
        const session = await account.session()
        return (await hub.request("POST", `${path}/show`, { session, headers, body: { userCode: code } })).status
      }
      for (let nth = 0; nth < attemptFailuresMax; nth++)
        expect(await guess(nth % 2 ? makeUserCode() : "junk")).toBe(404)
      expect(await guess(userCode)).toBe(429)
      const other = await (await hub.account()).session()
      expect((await decide("approve", other, userCode)).status).toBe(200)
    })

    given(() => hub.signedIn())("has no name that changes how the question is read", async ({ session }) => {
      const { userCode } = (await begin({ name: "a \u202elaptop\u0000\n\ud800", scopes: ["ide:read"] })).body
      expect((await decide("show", session, userCode)).body.name).toBe("a \ufffdlaptop\ufffd\ufffd\ufffd")
    })

    given(() => hub.signedIn())("tells an unknown device code from a used one in no way", async ({ session }) => {
      const { deviceCode, userCode } = await begun()
      await decide("approve", session, userCode)
      expect((await poll(deviceCode)).status).toBe(201)
      const texts = []
      for (const code of [deviceCode, makeDeviceCode(), "junk"]) {
        const { status, text, body } = await poll(code)
        texts.push(`${status} ${text.replace(body.requestId, "")}`)
      }
      expect(new Set(texts).size).toBe(1)
    })

    given(from)("is bounded by address: as signing in is", async (headers) => {
      for (let nth = 0; nth < attemptCallsMax; nth++) expect((await begin(undefined, headers)).status).toBe(200)
      expect((await begin(undefined, headers)).status).toBe(429)
      expect((await begin()).status).toBe(200)
    })
  })
})
