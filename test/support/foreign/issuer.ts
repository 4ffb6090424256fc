/**
 * An issuer of tokens whose every answer a test decides: an OpenID Connect provider and a key set. Owns its keys, what
 * it says, how it is odd, and the count of what it was asked. openid-provider.ts has a real one.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose"

/** The parts of an issuer. */
export type IssuerPart = "configuration" | "jwks" | "token" | "userinfo"
/** How a part is odd: it hangs, drops the connection, adds a MiB of blanks or many values, or answers with a status. */
export type IssuerOddity = `${IssuerPart} ${"hangs" | "drops" | "pads" | "fills" | number}`

/** What it says otherwise than it ought to. */
export interface Said {
  /** Of the next ID token. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly userInfo?: Readonly<Record<string, unknown>>
  readonly issuer?: string
  readonly signedBy?: CryptoKey
}

/** One with one key, `one`. */
export const startIssuer = async (clientId = "hub") => {
  const keys = new Map<string, { readonly privateKey: CryptoKey; readonly jwk: object }>()
  const counts = new Map<string, number>()
  const hanging = new Set<ServerResponse>()
  let oddities: ReadonlyArray<IssuerOddity> = []
  let said: Said = {}
  let nonce = ""

  const addKey = async (kid: string) => {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true })
    keys.set(kid, { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } })
  }
  const sign = (claims: Record<string, unknown>, kid = "one", key?: CryptoKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(key ?? keys.get(kid)!.privateKey)

  const configuration = () => ({
    issuer: said.issuer ?? own,
    authorization_endpoint: `${own}/auth`,
    token_endpoint: `${own}/token`,
    userinfo_endpoint: `${own}/userinfo`,
    jwks_uri: `${own}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"]
  })
  const token = async () => {
    const seconds = Math.floor(Date.now() / 1_000)
    const person = { iss: own, sub: "ann", aud: clientId, nonce, email: "ann@example.org", email_verified: true }
    const times = { auth_time: seconds, iat: seconds, exp: seconds + 600 }
    return {
      access_token: "an access token",
      token_type: "bearer",
      id_token: await sign({ ...person, ...times, ...said.claims }, "one", said.signedBy)
    }
  }
  const answers: Record<IssuerPart, () => unknown> = {
    configuration,
    token,
    jwks: () => ({ keys: [...keys.values()].map(({ jwk }) => jwk) }),
    userinfo: () => ({ sub: "ann", ...said.userInfo })
  }

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const part = request.url!.startsWith("/.well-known") ? "configuration" : (request.url!.slice(1) as IssuerPart)
    counts.set(part, (counts.get(part) ?? 0) + 1)
    const how = oddities.find((oddity) => oddity.startsWith(`${part} `))?.split(" ")[1]
    if (how === "drops") return request.socket.destroy()
    if (how === "hangs") return hanging.add(response)
    if (how === "pads") return response.end(JSON.stringify(await answers[part]()) + " ".repeat(1_048_576))
    if (how === "fills") {
      response.setHeader("content-type", "application/json")
      return response.end(JSON.stringify({ ...((await answers[part]()) as object), more: Array(20_000).fill(0) }))
    }
    response.statusCode = Number(how ?? 200)
    response.setHeader("content-type", how === undefined ? "application/json" : "text/html")
    response.end(how === undefined ? JSON.stringify(await answers[part]()) : "<h1>Sorry</h1>")
  })
  await addKey("one")
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    own,
    clientId,
    addKey,
    /** Signs claims as they are. */
    sign,
    /** How it is odd from now on; not at all without a word. */
    be: (...next: ReadonlyArray<IssuerOddity>) => {
      oddities = next
    },
    /** What it says from now on, to whom asked with this nonce. */
    say: (next: Said, asked = "") => {
      said = next
      nonce = asked
    },
    /** How often a part was asked. */
    asked: (part: IssuerPart) => counts.get(part) ?? 0,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
