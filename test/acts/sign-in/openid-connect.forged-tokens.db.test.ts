/** A provider that says what another one would not: for another client, an older sign-in, or as another issuer. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose"
import { describe, expect, it } from "vitest"
import { challengeOf } from "../../../src/auth/challenge.ts"
import { useHub } from "../../support/hub.ts"
import { useStarted } from "../../support/use-started.ts"

const publicUrl = "http://hub.test"
const dashboardUrl = "http://dashboard.test/signed-in"
const clientId = "hub"
const verifier = "the-verifier-that-only-the-dashboard-of-this-browser-has"

/** What the provider says otherwise than it ought to. */
interface Forged {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly issuer?: string
  readonly signedBy?: CryptoKey
}

/** A provider whose every answer is scripted: `forge` decides what the next one says. */
const startForger = async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256")
  const keys = [{ ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" }]
  let forged: Forged = {}
  let nonce = ""
  const server: Server = createServer(async (request, response) => {
    const issuer = forged.issuer ?? own
    const say = (body: unknown) => {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(body))
    }
    if (request.url === "/.well-known/openid-configuration")
      return say({
        issuer,
        authorization_endpoint: `${own}/auth`,
        token_endpoint: `${own}/token`,
        jwks_uri: `${own}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"]
      })
    if (request.url === "/jwks") return say({ keys })
    const seconds = Math.floor(Date.now() / 1_000)
    const claims = { iss: own, sub: "ann", aud: clientId, nonce, email: "ann@example.org", email_verified: true }
    const token = new SignJWT({ ...claims, auth_time: seconds, iat: seconds, exp: seconds + 600, ...forged.claims })
    const signed = await token.setProtectedHeader({ alg: "RS256", kid: "one" }).sign(forged.signedBy ?? privateKey)
    say({ access_token: "an access token", token_type: "bearer", id_token: signed })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    own,
    forge: (next: Forged, asked = "") => {
      forged = next
      nonce = asked
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

describe("a sign-in at a provider", () => {
  const provider = useStarted(startForger)
  const hub = useHub(() => {
    const client = { oidcIssuer: provider.own, oidcClientId: clientId, oidcClientSecret: "secret" }
    return { settings: { publicUrl, dashboardUrl, ...client } }
  })

  const begin = () => hub.request("GET", `/api/v1/auth/login?challenge=${challengeOf(verifier)}`)
  /** What the dashboard is told after a sign-in whose provider says this. */
  const signIn = async (forged: Forged) => {
    const begun = await begin()
    const asked = new URL(begun.headers.get("location") ?? "").searchParams
    provider.forge(forged, asked.get("nonce") ?? "")
    const cookie = begun.headers.get("set-cookie")!.split(";")[0]!
    const path = `/api/v1/auth/callback?code=c&state=${asked.get("state")}`
    const back = await hub.request("GET", path, { headers: { cookie } })
    return new URLSearchParams(new URL(back.headers.get("location") ?? "").hash.slice(1))
  }

  it("does not begin where the provider's metadata are those of another issuer", async () => {
    provider.forge({ issuer: "http://another.test" })
    expect((await begin()).status).toBe(500)
    provider.forge({})
    expect((await begin()).status).toBe(302)
  })

  it("is one with a token that is all right", async () => {
    expect((await signIn({})).get("code")).toMatch(/^[\w-]{43}$/u)
  })

  it.each([
    ["of another sign-in", { nonce: "n".repeat(43) }],
    ["of no sign-in", { nonce: undefined }],
    ["for another client", { aud: "another" }],
    ["for several clients, by another", { aud: [clientId, "another"], azp: "another" }],
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
})
