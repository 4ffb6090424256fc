/**
 * What strangers try at the endpoints of OAuth, and what each is answered: on the hub's own page or as JSON, and never
 * by a redirect to an address that was not registered.
 */
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { hashCredential } from "../../../src/auth/api-key.ts"
import { clientSecrets } from "../../../src/auth/oauth/secrets.ts"
import { oauthBodyBytesMax, registeredClientsPerAddressMax } from "../../../src/limits/oauth.ts"
import { OAuthClients } from "../../../src/store/oauth/clients.ts"
import {
  addClient,
  codeFor,
  codeForm,
  connectApp,
  decide,
  queryOf,
  redirectUri,
  refreshForm,
  sendForm,
  verifier,
  withOAuth
} from "../../support/connecting-app.ts"
import { useHub } from "../../support/hub.ts"
import { sendMcp } from "../../support/mcp-client.ts"

const secret = clientSecrets.make()
const basic = (id: string, word: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(word)}`).toString("base64")}`
})

describe("strangers at a hub with OAuth", () => {
  const hub = useHub({ settings: { ...withOAuth, oauthRegistration: "open" } })
  let session: string
  let client: string
  let other: string
  let confidential: string
  beforeAll(async () => {
    session = await (await hub.account()).session()
    client = await addClient(hub)
    other = await addClient(hub, { redirectUris: ["https://evil.example/callback"] })
    confidential = await addClient(hub, { secretHash: hashCredential(secret) })
  })

  describe("ask for a person's consent, and", () => {
    const evil = "https://evil.example/callback"
    it.each([
      ["an address that is another client's", () => queryOf(client, { redirect_uri: evil }), undefined],
      [
        "an address that begins like the client's",
        () => queryOf(client, { redirect_uri: `${redirectUri}.evil` }),
        undefined
      ],
      [
        "an address with a user's name",
        () => queryOf(client, { redirect_uri: "https://app.example@evil.example/" }),
        undefined
      ],
      ["an address that runs a script", () => queryOf(client, { redirect_uri: "javascript:alert(1)//" }), undefined],
      ["two addresses", () => `${queryOf(client)}&redirect_uri=${encodeURIComponent(evil)}`, undefined],
      ["a client that is not there", () => queryOf("ocl_00000000000000000000"), undefined],
      ["two clients", () => `${queryOf(client)}&client_id=${other}`, undefined],
      ["a document inside", () => queryOf("https://127.0.0.1/client.json"), undefined],
      ["a document at a name of this host", () => queryOf("https://localhost/client.json"), undefined],
      ["a document at the metadata of a cloud", () => queryOf("https://169.254.169.254/latest/meta-data"), undefined],
      ["a document without https", () => queryOf("http://app.example/client.json"), undefined],
      ["a plain challenge", () => queryOf(client, { code_challenge_method: "plain" }), "invalid_request"],
      ["no challenge", () => queryOf(client, { code_challenge: undefined }), "invalid_request"],
      ["a token instead of a code", () => queryOf(client, { response_type: "token" }), "unsupported_response_type"],
      ["an answer in a form", () => queryOf(client, { response_mode: "form_post" }), "invalid_request"],
      ["another hub's resource", () => queryOf(client, { resource: "https://other.example/mcp" }), "invalid_target"],
      [
        "the REST API as a resource",
        () => queryOf(client, { resource: `${withOAuth.publicUrl}/api/v1` }),
        "invalid_target"
      ],
      ["scopes that only keys have", () => queryOf(client, { scope: "registry:publish" }), "invalid_scope"],
      ["a state with line breaks", () => queryOf(client, { state: "a\r\nlocation: x", scope: "x" }), "invalid_scope"]
    ])("give %s: nothing is granted, and nothing leaves for a foreign address", async (_, query, error) => {
      for (const [decision, more] of [
        ["show", {}],
        ["approve", { scopes: ["ide:read"] }],
        ["deny", {}]
      ] as const) {
        const refused = await decide(hub, session, decision, query(), more)
        expect([refused.status, refused.body.reason]).toEqual([400, "AUTHORIZATION_REFUSED"])
        const location = refused.body.location as string | undefined
        expect(location === undefined ? undefined : new URL(location).searchParams.get("error")).toBe(error)
        if (location !== undefined) expect(location.startsWith(`${redirectUri}?error=`)).toBe(true)
      }
    })

    it("approve more than was asked for", async () => {
      const asked = queryOf(client, { scope: "ide:read" })
      const refused = await decide(hub, session, "approve", asked, { scopes: ["ide:read", "terminal:exec"] })
      expect([refused.status, refused.body.reason]).toEqual([400, "VALIDATION_FAILED"])
    })

    it("are sent to no other place than the console by the authorization endpoint itself", async () => {
      for (const query of ["redirect_uri=https://evil.example/", "//evil.example", "%0d%0alocation:x", "x#y"]) {
        const { headers, status } = await hub.request("GET", `/oauth/authorize?${query}`)
        expect([status, headers.get("location")?.startsWith(`${withOAuth.publicUrl}/console#/authorize?`)]).toEqual([
          302,
          true
        ])
      }
    })
  })

  describe("come to the token endpoint, and", () => {
    type Form = Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>
    const code = () => codeFor(hub, session, client)
    const form = async (changed: Readonly<Record<string, string>> = {}) => ({
      ...codeForm(client, await code()),
      ...changed
    })
    const without = async (name: string) =>
      Object.fromEntries(Object.entries(await form()).filter(([one]) => one !== name))
    type Attempt = readonly [
      what: string,
      error: string,
      made: () => Promise<Form> | Form,
      status?: number,
      headers?: () => Record<string, string>
    ]
    const attempts: ReadonlyArray<Attempt> = [
      ["bring a code that nobody made", "invalid_grant", () => form({ code: "hubc_x" })],
      ["bring no code", "invalid_request", () => without("code")],
      ["bring another's code", "invalid_grant", () => form({ client_id: other })],
      [
        "bring a code for another address",
        "invalid_grant",
        () => form({ redirect_uri: "https://evil.example/callback" })
      ],
      ["bring another verifier", "invalid_grant", () => form({ code_verifier: `${verifier}x` })],
      ["bring a verifier that is the challenge", "invalid_request", () => form({ code_verifier: "short" })],
      ["bring no verifier", "invalid_request", () => without("code_verifier")],
      ["want it for another resource", "invalid_target", () => form({ resource: "https://other.example/mcp" })],
      ["name no client", "invalid_request", () => without("client_id")],
      ["name an unknown client", "invalid_client", () => form({ client_id: "ocl_00000000000000000000" }), 401],
      ["name a client whose secret they lack", "invalid_client", () => form({ client_id: confidential }), 401],
      [
        "guess its secret",
        "invalid_client",
        () => form({ client_id: confidential, client_secret: clientSecrets.make() }),
        401
      ],
      [
        "guess it in the header",
        "invalid_client",
        () => form({ client_id: confidential }),
        401,
        () => basic(confidential, clientSecrets.make())
      ],
      ["send another kind of header", "invalid_client", () => form(), 401, () => ({ authorization: "Bearer x" })],
      ["name two clients", "invalid_request", () => form(), 400, () => basic(confidential, secret)],
      [
        "give a parameter twice",
        "invalid_request",
        async () => [...Object.entries(await form()), ["code", "x"] as const]
      ],
      ["want a password's grant", "unsupported_grant_type", () => form({ grant_type: "password" })],
      ["want no grant", "invalid_request", () => without("grant_type")],
      [
        "refresh with an access token",
        "invalid_grant",
        async () => refreshForm(client, (await connectApp(hub, session, client)).access_token)
      ],
      [
        "refresh with another's token",
        "invalid_grant",
        async () => refreshForm(other, (await connectApp(hub, session, client)).refresh_token)
      ],
      ["refresh with nothing", "invalid_request", () => ({ grant_type: "refresh_token", client_id: client })]
    ]
    const whole = attempts.map(
      ([what, error, made, status = 400, headers = () => ({})]) => [what, error, made, status, headers] as const
    )
    it.each(whole)("%s: %s", async (_, error, made, status, headers) => {
      const refused = await sendForm(hub, "/oauth/token", await made(), headers())
      expect([refused.status, refused.body.error]).toEqual([status, error])
      expect(refused.headers.get("location")).toBeNull()
      if (status === 401) expect(refused.headers.get("www-authenticate")).toBe('Basic realm="hub"')
    })

    it("send JSON, or more than is read", async () => {
      const asJson = await hub.request("POST", "/oauth/token", { body: await form() })
      expect([asJson.status, asJson.body.error]).toEqual([400, "invalid_request"])
      const large = await sendForm(hub, "/oauth/token", { x: "x".repeat(oauthBodyBytesMax) })
      expect(large.status).toBe(413)
    })

    it("do not use a code up by what they get wrong; its client, with its secret in either place, takes it", async () => {
      const given = await codeFor(hub, session, confidential)
      const wrong = { ...codeForm(confidential, given), code_verifier: `${verifier}x`, client_secret: secret }
      expect((await sendForm(hub, "/oauth/token", wrong)).body.error).toBe("invalid_grant")
      const { client_id: _, ...rest } = codeForm(confidential, given)
      expect((await sendForm(hub, "/oauth/token", rest, basic(confidential, secret))).status).toBe(200)
    })
  })

  it("register themselves where that is open: without a secret, never to run a script, and so many from one address", async () => {
    const register = (metadata: unknown) => hub.request("POST", "/oauth/register", { body: metadata })
    const good = {
      client_name: null,
      redirect_uris: ["http://localhost/x"],
      token_endpoint_auth_method: "client_secret_basic"
    }
    const made = await register(good)
    expect([made.status, made.body]).toMatchObject([
      201,
      { client_name: "An app without a name", token_endpoint_auth_method: "none", redirect_uris: good.redirect_uris }
    ])
    expect(made.body).not.toHaveProperty("client_secret")
    for (const [error, metadata] of [
      ["invalid_redirect_uri", { ...good, redirect_uris: ["http://localhost/x", "javascript:alert(1)"] }],
      ["invalid_redirect_uri", { ...good, redirect_uris: ["http://evil.example/"] }],
      ["invalid_client_metadata", { ...good, redirect_uris: [] }],
      ["invalid_client_metadata", { ...good, grant_types: ["client_credentials"] }],
      ["invalid_client_metadata", []]
    ] as const)
      expect((await register(metadata)).body.error).toBe(error)
    const server = await hub.request("GET", "/.well-known/oauth-authorization-server")
    expect(server.body.registration_endpoint).toBe(`${withOAuth.publicUrl}/oauth/register`)
    const answers = await Promise.all(Array.from({ length: registeredClientsPerAddressMax }, () => register(good)))
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(1)
  })

  it("learn nothing from a token that is not theirs, and end nothing by it", async () => {
    const { access_token: token, refresh_token: refresh } = await connectApp(hub, session, client)
    for (const path of ["/oauth/revoke", "/oauth/token"]) {
      const given = { token: refresh, client_id: other, grant_type: "refresh_token", refresh_token: refresh }
      await sendForm(hub, path, given)
    }
    expect((await sendMcp(hub, "tools/list", { key: token })).status).toBe(200)
    const ended = await hub.inside(Effect.flatMap(OAuthClients, (clients) => clients.remove(client)))
    expect(ended!.length).toBeGreaterThan(0)
  })
})

describe("a flood of authorization requests", () => {
  const hub = useHub({ settings: { ...withOAuth, rateIpPerMinute: 3 }, virtual: true })

  it("keeps nothing, and is refused by its address; the documents are still read from there", async () => {
    const asked = await Promise.all(
      Array.from({ length: 6 }, () => hub.request("GET", `/oauth/authorize?${queryOf("https://evil.example/client")}`))
    )
    expect(asked.map(({ status }) => status).toSorted()).toEqual([302, 302, 302, 429, 429, 429])
    expect((await hub.request("GET", "/.well-known/oauth-authorization-server")).status).toBe(200)
    const rows = await hub.sql((sql) => sql`select 1 from oauth_codes union all select 1 from oauth_clients`)
    expect(rows).toEqual([])
  })
})
