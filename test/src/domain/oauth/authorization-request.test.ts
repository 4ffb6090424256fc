/** Requests that a person lets a client in: what each is answered, and whether anything goes to the client at all. */
import { describe, expect, it } from "vitest"
import { challengeOf } from "../../../../src/auth/challenge.ts"
import { judgeRequest, readAuthorizationRequest } from "../../../../src/domain/oauth/authorization-request.ts"
import { grantableScopes } from "../../../../src/domain/oauth/granted-scopes.ts"
import { authorizationQueryCharsMax } from "../../../../src/limits/oauth.ts"
import { anyText, fc, forAll } from "../../../support/properties.ts"

const issuer = "https://hub.example"
const resources = [`${issuer}/mcp`, `${issuer}/api/v1/mcp`] as const
const client = {
  id: "https://claude.ai/client",
  name: "Claude",
  redirectUris: ["https://claude.ai/callback", "http://localhost/callback"],
  refreshes: false
}
const good = {
  response_type: "code",
  client_id: client.id,
  redirect_uri: client.redirectUris[0]!,
  code_challenge: challengeOf("v".repeat(43)),
  code_challenge_method: "S256",
  scope: "ide:read agent:read",
  state: "s",
  resource: resources[0]
}
const queryOf = (changed: Readonly<Record<string, string | undefined>>, more = ""): string => {
  const members = Object.entries({ ...good, ...changed }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined
  )
  return `${new URLSearchParams(members)}${more}`
}
const judged = (query: string) => {
  const read = readAuthorizationRequest(query)
  return typeof read === "string" ? read : judgeRequest(read, client, { issuer, resources })
}

it.each([
  ["names no client", queryOf({ client_id: undefined })],
  ["names two clients", queryOf({}, "&client_id=other")],
  ["has no address", queryOf({ redirect_uri: undefined })],
  ["has an empty one", queryOf({ redirect_uri: "" })],
  ["has two", queryOf({}, "&redirect_uri=https%3A%2F%2Fevil.example%2F")],
  ["has one that is not the client's", queryOf({ redirect_uri: "https://evil.example/callback" })],
  ["has one that only begins like it", queryOf({ redirect_uri: "https://claude.ai/callback/.evil" })],
  ["is too long", queryOf({ state: "s".repeat(authorizationQueryCharsMax) })]
])("a request that is told to the person alone %s", (_, query) => {
  const answer = judged(query)
  expect(typeof answer === "string" ? {} : answer).not.toHaveProperty("location")
  expect(typeof answer === "string" || "says" in answer).toBe(true)
})

it.each([
  ["response_type is missing", "invalid_request", queryOf({ response_type: undefined })],
  ["asks for a token", "unsupported_response_type", queryOf({ response_type: "token" })],
  ["asks for more than a code", "unsupported_response_type", queryOf({ response_type: "code id_token" })],
  ["has no challenge", "invalid_request", queryOf({ code_challenge: undefined })],
  ["has a plain challenge", "invalid_request", queryOf({ code_challenge_method: "plain" })],
  ["does not say how, which means plain", "invalid_request", queryOf({ code_challenge_method: undefined })],
  ["has a challenge of another length", "invalid_request", queryOf({ code_challenge: "x".repeat(42) })],
  ["gives a parameter twice", "invalid_request", queryOf({}, "&scope=ide%3Aread")],
  ["wants the answer in a fragment", "invalid_request", queryOf({ response_mode: "fragment" })],
  ["comes as an object", "request_not_supported", queryOf({ request: "e30" })],
  ["stands elsewhere", "request_uri_not_supported", queryOf({ request_uri: "https://evil.example/" })],
  ["is for another resource", "invalid_target", queryOf({ resource: "https://other.example/mcp" })],
  ["is for the bare origin", "invalid_target", queryOf({ resource: issuer })],
  ["is for two resources", "invalid_target", queryOf({}, "&resource=https%3A%2F%2Fother.example%2Fmcp")],
  ["asks for nothing that there is", "invalid_scope", queryOf({ scope: "openid profile" })],
  ["asks to publish packages", "invalid_scope", queryOf({ scope: "registry:publish" })]
])("a request that its client is told of %s: %s", (_, error, query) => {
  const answer = judged(query)
  expect(answer).toMatchObject({ error })
  const url = new URL((answer as { location: string }).location)
  expect(url.href.startsWith(`${good.redirect_uri}?`)).toBe(true)
  const { error: told, iss, state } = Object.fromEntries(url.searchParams)
  expect({ told, iss, state }).toEqual({ told: error, iss: issuer, state: "s" })
})

describe("a request that may be granted", () => {
  it("asks for what it names of the hub's scopes, in their order", () => {
    const scopes = ["ide:read", "agent:read"]
    expect(judged(queryOf({ scope: "agent:read x:y ide:read ide:read" }))).toMatchObject({ scopes, offline: false })
    expect(judged(queryOf({ scope: "offline_access ide:read" }))).toMatchObject({ scopes: ["ide:read"], offline: true })
  })

  it("asks for all where it names none, is for /mcp where it does not say, and may come without a state", () => {
    for (const value of [undefined, ""]) {
      const answer = judged(queryOf({ scope: value, resource: value, state: value }))
      expect(answer).toMatchObject({ scopes: grantableScopes, resource: resources[0], state: undefined })
    }
  })

  it("comes from any port of the person's own computer, and for either path", () => {
    const redirectUri = "http://localhost:51234/callback"
    const answer = judged(queryOf({ redirect_uri: redirectUri, resource: resources[1] }))
    expect(answer).toMatchObject({ redirectUri, redirect: { kind: "loopback" }, resource: resources[1] })
  })

  it("never leads to another address than the client's, whatever it is made of", () =>
    forAll(fc.dictionary(fc.constantFrom(...Object.keys(good)), anyText()), (changed) => {
      const answer = judged(queryOf(changed))
      const location = typeof answer === "object" && "location" in answer ? answer.location : undefined
      if (location !== undefined) expect(new URL(location).origin).toBe("https://claude.ai")
    }))
})
