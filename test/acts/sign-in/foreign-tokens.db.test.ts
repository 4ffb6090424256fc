/**
 * Dashboard sessions whose tokens another issuer made, over a whole hub: their recency, and that a logout is the end.
 */
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose"
import { beforeAll, describe, expect, it } from "vitest"
import { newId } from "../../../src/domain/ids.ts"
import { useHub } from "../../support/hub.ts"
import { useReceiver } from "../../support/use-started.ts"

const alg = "ES256"
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n // of the curve P-256

describe("a session of another issuer", () => {
  let privateKey: CryptoKey
  const receiver = useReceiver()
  const hub = useHub(() => {
    const jwksUrl = receiver.url("/jwks")
    return { settings: { jwksUrl, jwksIssuer: "https://issuer", jwksAudience: "hub" } }
  })
  beforeAll(async () => {
    const pair = await generateKeyPair(alg, { extractable: true })
    privateKey = pair.privateKey
    const keys = [{ ...(await exportJWK(pair.publicKey)), kid: "one", alg, use: "sig" }]
    const headers = { "content-type": "application/json" }
    receiver.react("/jwks", { status: 200, headers, body: JSON.stringify({ keys }) })
  })

  const seconds = () => Math.floor(Date.now() / 1_000)
  const sign = (person: string, claims: Record<string, unknown> = {}) =>
    new SignJWT({ email: `${person}@example.org`, auth_time: seconds(), jti: person, ...claims })
      .setProtectedHeader({ alg, kid: "one" })
      .setIssuer("https://issuer")
      .setAudience("hub")
      .setSubject(person)
      .setExpirationTime(seconds() + 3_600)
      .sign(privateKey)
  const me = (session: string) => hub.request("GET", "/api/v1/me", { session })
  const logout = (session: string) => hub.request("POST", "/api/v1/auth/logout", { session })
  const makeKey = (session: string) =>
    hub.request("POST", "/api/v1/api-keys", { session, body: { name: "x", scopes: ["ide:read"] } })

  it("is as recent as its auth_time says, and without one never", async () => {
    expect((await makeKey(await sign("recent"))).status).toBe(201)
    expect((await makeKey(await sign("recent", { auth_time: seconds() - 1_000 }))).body.reason).toBe(
      "RECENT_LOGIN_REQUIRED"
    )
    expect((await makeKey(await sign("recent", { auth_time: undefined }))).body.reason).toBe("RECENT_LOGIN_REQUIRED")
  })

  it("is the account of its first sign-in again, and is refreshed where it was made", async () => {
    const [one, two] = [await sign("again"), await sign("again", { jti: "another" })]
    expect((await me(one)).body.account).toEqual((await me(two)).body.account)
    expect((await hub.request("POST", "/api/v1/auth/refresh", { session: one })).status).toBe(403)
  })

  it("makes no account of an address that may name none, and says what is wrong with it", async () => {
    for (const [email, says] of [
      ["v\u0456ctim@x.test", "mixes Latin letters with those of another alphabet that look like them"],
      [undefined, "is missing"]
    ] as const) {
      const { status, body } = await me(await sign(`wrong ${email}`, { email }))
      const issues = [{ path: "email", message: `The address ${says}` }]
      expect([status, body.code, body.issues]).toEqual([401, "AUTH_INVALID", issues])
    }
  })

  it("does not make a second account of an address that is there in another spelling", async () => {
    const { body } = await me(await sign("first", { email: "victim@x.test" }))
    const answer = await me(await sign("like it", { email: "Ｖictim@x.test" }))
    expect([answer.status, answer.body.reason]).toEqual([401, "AUTH_INVALID"])
    expect(body.account.email).toBe("victim@x.test")
  })

  it("is over with a logout, also in another spelling of its signature", async () => {
    const token = await sign("gone", { jti: newId("session") })
    const [head, body, signature] = token.split(".") as [string, string, string]
    const bytes = Buffer.from(signature, "base64url")
    const s = BigInt(`0x${bytes.subarray(32).toString("hex")}`)
    const mirrored = Buffer.from((order - s).toString(16).padStart(64, "0"), "hex")
    const twin = `${head}.${body}.${Buffer.concat([bytes.subarray(0, 32), mirrored]).toString("base64url")}`
    const other = await sign("gone", { jti: "other" })
    expect((await me(twin)).status).toBe(200)
    expect((await logout(token)).body).toEqual({ success: true })
    for (const dead of [token, twin]) expect((await me(dead)).status).toBe(401)
    expect((await me(other)).status).toBe(200)
    await hub.restart()
    for (const dead of [token, twin]) expect((await me(dead)).status).toBe(401)
  })

  it("is ended by many at once without a fault", async () => {
    const token = await sign("crowd", { jti: newId("session") })
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => logout(token)))).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 401)).toEqual([])
    expect((await me(token)).status).toBe(401)
  })
})
