/** Tokens of another issuer: which are accepted, what they name, and how often the key set is fetched. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { type CryptoKey, generateKeyPair, SignJWT, UnsecuredJWT } from "jose"
import { beforeEach, describe, expect, it } from "vitest"
import { Jwks } from "../../../src/auth/jwks.ts"
import { Config, defaultSettings, type Settings } from "../../../src/config.ts"
import {
  claimLeewaySeconds,
  documentValuesMax,
  issuerAnswerBytesMax,
  jwksMillisMax,
  jwksRefetchMillisMin
} from "../../../src/limits.ts"
import { type IssuerOddity, startIssuer } from "../../support/foreign/issuer.ts"
import { heldNodeCostLayer } from "../../support/held-node-cost.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"

const start = 1_800_000_000_000
const seconds = start / 1_000
const issuer = useStarted(startIssuer)
beforeEach(() => issuer.be())

const sign = (claims: Record<string, unknown>, kid?: string, key?: CryptoKey) =>
  issuer.sign({ iss: "https://issuer", aud: "hub", sub: "person-1", exp: seconds + 600, ...claims }, kid, key)

/** A reader of its own, in virtual time. */
const reader = async (settings: Partial<Settings> = {}) => {
  const given = { jwksUrl: `${issuer.own}/jwks`, jwksIssuer: "https://issuer", jwksAudience: "hub", ...settings }
  const config = Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32), ...given })
  const runtime = ManagedRuntime.make(
    Jwks.layer.pipe(Layer.provide(Layer.merge(config, heldNodeCostLayer)), Layer.provideMerge(TestClock.layer()))
  )
  const advance = (millis: number) => runtime.runPromise(TestClock.adjust(millis))
  const read = (token: string) => runtime.runPromise(Effect.result(Effect.flatMap(Jwks, (jwks) => jwks.read(token))))
  const refusal = async (token: string): Promise<string> => {
    const result = await read(token)
    return result._tag === "Failure" ? result.failure._tag : "accepted"
  }
  await advance(start)
  return { advance, read, refusal }
}

describe("a token of another issuer", () => {
  it("names the person by the claims of the settings", async () => {
    const { read } = await reader({ jwksAccountClaim: "uid", jwksEmailClaim: "mail" })
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
    const { read } = await reader()
    for (const claims of [{}, { auth_time: "now" }, { auth_time: -5 }, { auth_time: 1.5 }]) {
      const result = await read(await sign(claims))
      expect(result._tag === "Success" ? result.success.authTime : "refused").toBeUndefined()
    }
  })

  it("is refused unsigned, forged, for others, of others, endless, nameless or as junk", async () => {
    const { refusal } = await reader()
    const stranger = await generateKeyPair("RS256")
    const unsigned = new UnsecuredJWT({ iss: "https://issuer", aud: "hub", sub: "x", exp: seconds + 600 }).encode()
    const byHash = await new SignJWT({ iss: "https://issuer", aud: "hub", sub: "x", exp: seconds + 600 })
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .sign(new TextEncoder().encode("one"))
    const tokens = {
      unsigned,
      byHash,
      forged: await sign({}, "one", stranger.privateKey),
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
    const { refusal, advance } = await reader()
    const token = await sign({ exp: seconds + 10 })
    expect(await refusal(token)).toBe("accepted")
    await advance(10_000)
    expect(await refusal(token)).toBe("TokenExpired")
  })

  it("of a foreign issuer or algorithm causes no fetch, and a good one causes one for all that follow", async () => {
    const { refusal } = await reader()
    const before = issuer.asked("jwks")
    await refusal(await sign({ iss: "https://another" }))
    await refusal(new UnsecuredJWT({ iss: "https://issuer" }).encode())
    expect(issuer.asked("jwks")).toBe(before)
    const token = await sign({})
    for (let time = 0; time < 5; time++) expect(await refusal(token)).toBe("accepted")
    expect(issuer.asked("jwks")).toBe(before + 1)
  })

  it("is not answered as bad while the key set cannot be fetched, which is tried again after a bounded time", async () => {
    const { refusal, advance } = await reader()
    const token = await sign({})
    const before = issuer.asked("jwks")
    issuer.be("jwks 500")
    for (let time = 0; time < 10; time++) expect(await refusal(token)).toBe("StoreFailed")
    expect(issuer.asked("jwks")).toBe(before + 1)
    issuer.be()
    await advance(jwksRefetchMillisMin)
    expect(await refusal(token)).toBe("accepted")
  })

  it.each<IssuerOddity>(["jwks 500", "jwks drops", "jwks hangs"])(
    "is accepted by a known key while the old key set gets no answer (%s), which is asked for once in 5 s",
    async (oddity) => {
      const { refusal, advance } = await reader()
      const token = await sign({ exp: seconds + 7_200 })
      expect(await refusal(token)).toBe("accepted")
      await advance(jwksMillisMax)
      issuer.be(oddity)
      for (let fetched = 1; fetched <= 2; fetched++) {
        const before = issuer.asked("jwks")
        for (let time = 0; time < 20; time++) expect(await refusal(token)).toBe("accepted")
        // no token waits for the second question
        await until("the issuer is asked", () => issuer.asked("jwks") > before)
        expect(issuer.asked("jwks")).toBe(before + 1)
        await advance(jwksRefetchMillisMin)
      }
    }
  )

  it("by an unknown key is not answered as bad while the issuer is away, and accepted once its key is learnt", async () => {
    const { refusal, advance } = await reader()
    expect(await refusal(await sign({}))).toBe("accepted")
    await issuer.addKey("two")
    const token = await sign({}, "two")
    await advance(jwksRefetchMillisMin)
    issuer.be("jwks 503")
    const before = issuer.asked("jwks")
    for (let time = 0; time < 20; time++) expect(await refusal(token)).toBe("StoreFailed")
    expect(issuer.asked("jwks")).toBe(before + 1)
    issuer.be()
    await advance(jwksRefetchMillisMin)
    expect(await refusal(token)).toBe("accepted")
  })

  it.each([
    ["jwks pads", `${issuerAnswerBytesMax} bytes`],
    ["jwks fills", `${documentValuesMax} values`]
  ] as const)("has no keys (%s) of a set of more than %s", async (oddity, _) => {
    const { refusal, advance } = await reader()
    issuer.be(oddity)
    expect(await refusal(await sign({}))).toBe("StoreFailed")
    issuer.be()
    await advance(jwksRefetchMillisMin)
    expect(await refusal(await sign({}))).toBe("accepted")
  })

  it(`may begin ${claimLeewaySeconds} s ahead of our clock, and no more; its end is exact`, async () => {
    const { refusal } = await reader()
    expect(await refusal(await sign({ nbf: seconds + claimLeewaySeconds }))).toBe("accepted")
    for (const ahead of [claimLeewaySeconds + 1, 300])
      expect(await refusal(await sign({ nbf: seconds + ahead })), `${ahead}`).toBe("AuthInvalid")
    expect(await refusal(await sign({ exp: seconds }))).toBe("TokenExpired")
  })

  it("names an account by a whole number too, which counts as its decimal text", async () => {
    const { read } = await reader({ jwksAccountClaim: "user_id" })
    for (const [given, subject] of [
      [42, "42"],
      [0, "0"],
      [Number.MAX_SAFE_INTEGER, "9007199254740991"],
      ["42", "42"]
    ])
      expect(await read(await sign({ user_id: given }))).toMatchObject({ success: { subject } })
    for (const user_id of [Number.MAX_SAFE_INTEGER + 1, 1.5, true, null, [42], { id: 42 }, ""])
      expect((await read(await sign({ user_id })))._tag, JSON.stringify(user_id)).toBe("Failure")
  })

  it.each([
    [true, true],
    ["true", true],
    ...["false", false, 1, "yes", "TRUE", ["true"], null, undefined].map((given) => [given, false])
  ])("with the claim email_verified %j has its address vouched for: %s", async (email_verified, vouched) => {
    const { read } = await reader()
    expect(await read(await sign({ email: "a@example.com", email_verified }))).toMatchObject({
      success: { emailVerified: vouched }
    })
  })

  it("is never accepted when no key set is named", async () => {
    const { refusal } = await reader({ jwksUrl: undefined })
    expect(await refusal(await sign({}))).toBe("AuthInvalid")
  })
})
