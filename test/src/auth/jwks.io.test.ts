/** Tokens of another issuer: which are accepted, what they name, and how often the key set is fetched. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Jwks } from "../../../src/auth/jwks.ts"
import { Config, defaultSettings, type Settings } from "../../../src/config.ts"
import { jwksRefetchMillisMin } from "../../../src/limits.ts"

const start = 1_800_000_000_000
const seconds = start / 1_000
let server: Server
let url = ""
let fetches = 0
let broken = false
let keys: Array<{ readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: object }> = []

const makeKey = async (kid: string) => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } }
}

beforeAll(async () => {
  keys = [await makeKey("one")]
  server = createServer((_request, response) => {
    fetches++
    response.statusCode = broken ? 500 : 200
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ keys: keys.map((key) => key.jwk) }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const sign = (claims: Record<string, unknown>, key = keys[0]!) =>
  new SignJWT({ iss: "https://issuer", aud: "hub", sub: "person-1", exp: seconds + 600, ...claims })
    .setProtectedHeader({ alg: "ES256", kid: key.kid })
    .sign(key.privateKey)

/** A reader of its own, in virtual time. */
const reader = (settings: Partial<Settings> = {}) => {
  const given = { jwksUrl: url, jwksIssuer: "https://issuer", jwksAudience: "hub", ...settings }
  const config = Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32), ...given })
  const runtime = ManagedRuntime.make(Jwks.layer.pipe(Layer.provide(config), Layer.provideMerge(TestClock.layer())))
  const advance = (millis: number) => runtime.runPromise(TestClock.adjust(millis))
  const read = (token: string) => runtime.runPromise(Effect.result(Effect.flatMap(Jwks, (jwks) => jwks.read(token))))
  const refusal = async (token: string): Promise<string> => {
    const result = await read(token)
    return result._tag === "Failure" ? result.failure._tag : "accepted"
  }
  return { advance, read, refusal, started: advance(start) }
}

describe("a token of another issuer", () => {
  it("names the person by the claims of the settings", async () => {
    const { read, started } = reader({ jwksAccountClaim: "uid", jwksEmailClaim: "mail" })
    await started
    const result = await read(
      await sign({ uid: "u-7", mail: "a@example.com", email_verified: true, auth_time: seconds - 30 })
    )
    expect(result).toMatchObject({
      _tag: "Success",
      success: {
        issuer: "https://issuer",
        subject: "u-7",
        email: "a@example.com",
        emailVerified: true,
        authTime: seconds - 30,
        expiresAt: seconds + 600
      }
    })
  })

  it("has no login time when it does not say one, or says it in words", async () => {
    const { read, started } = reader()
    await started
    for (const claims of [{}, { auth_time: "now" }, { auth_time: -5 }, { auth_time: 1.5 }]) {
      const result = await read(await sign(claims))
      expect(result._tag === "Success" ? result.success.authTime : "refused").toBeUndefined()
    }
  })

  it("is refused unsigned, forged, for others, of others, endless, nameless or as junk", async () => {
    const { refusal, started } = reader()
    await started
    const stranger = await makeKey("one")
    const unsigned = new UnsecuredJWT({ iss: "https://issuer", aud: "hub", sub: "x", exp: seconds + 600 }).encode()
    const byHash = await new SignJWT({ iss: "https://issuer", aud: "hub", sub: "x", exp: seconds + 600 })
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .sign(new TextEncoder().encode(JSON.stringify(keys[0]!.jwk)))
    const tokens = {
      unsigned,
      byHash,
      forged: await sign({}, stranger),
      audience: await sign({ aud: "another" }),
      issuer: await sign({ iss: "https://another" }),
      endless: await sign({ exp: undefined }),
      nameless: await sign({ sub: undefined }),
      junk: "a.b.c",
      long: "x".repeat(10_240)
    }
    for (const [name, token] of Object.entries(tokens)) expect(await refusal(token), name).toBe("AuthInvalid")
  })

  it("is told apart when it has merely expired", async () => {
    const { refusal, started, advance } = reader()
    await started
    const token = await sign({ exp: seconds + 10 })
    expect(await refusal(token)).toBe("accepted")
    await advance(10_000)
    expect(await refusal(token)).toBe("TokenExpired")
  })

  it("of a foreign issuer or algorithm causes no fetch, and a good one causes one for all that follow", async () => {
    const { refusal, started } = reader()
    await started
    const before = fetches
    await refusal(await sign({ iss: "https://another" }))
    await refusal(new UnsecuredJWT({ iss: "https://issuer" }).encode())
    expect(fetches).toBe(before)
    const token = await sign({})
    for (let time = 0; time < 5; time++) expect(await refusal(token)).toBe("accepted")
    expect(fetches).toBe(before + 1)
  })

  it("is not answered as bad while the key set cannot be fetched, which is tried again after a bounded time", async () => {
    const { refusal, started, advance } = reader()
    await started
    const token = await sign({})
    const before = fetches
    broken = true
    try {
      for (let time = 0; time < 10; time++) expect(await refusal(token)).toBe("StoreFailed")
      expect(fetches).toBe(before + 1)
    } finally {
      broken = false
    }
    await advance(jwksRefetchMillisMin)
    expect(await refusal(token)).toBe("accepted")
  })

  it("is never accepted when no key set is named", async () => {
    const { refusal, started } = reader({ jwksUrl: undefined })
    await started
    expect(await refusal(await sign({}))).toBe("AuthInvalid")
  })
})
