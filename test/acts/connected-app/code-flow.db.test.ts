/** A program that a person lets in: the documents by which it finds the way, its code, its tokens, what they open. */
import type { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { accessTokenMillis, grantIdleMillis } from "../../../src/limits/oauth.ts"
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
  withOAuth
} from "../../support/connecting-app.ts"
import { given } from "../../support/given.ts"
import { useHub } from "../../support/hub.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"
import { until } from "../../support/until.ts"

const issuer = withOAuth.publicUrl

describe("a program that knows only the address of /mcp", () => {
  const hub = useHub({ settings: withOAuth })

  it.each([
    ["/mcp", `${issuer}/mcp`],
    ["/api/v1/mcp", `${issuer}/api/v1/mcp`]
  ])("finds from %s where to ask, and for what", async (path, resource) => {
    const refused = await hub.request("POST", path, { body: {} })
    expect(refused.status).toBe(401)
    const header = refused.headers.get("www-authenticate")!
    const [, metadata] = /resource_metadata="([^"]+)"/u.exec(header) ?? []
    expect(header).toContain('scope="ide:read ide:control agent:read agent:control terminal:exec webhook:manage"')
    const document = await hub.request("GET", metadata!.slice(issuer.length))
    expect(document.body).toMatchObject({
      resource,
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"]
    })
    const server = await hub.request("GET", "/.well-known/oauth-authorization-server")
    expect(server.body).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      code_challenge_methods_supported: ["S256"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true
    })
    expect(server.body.token_endpoint_auth_methods_supported).toContain("none")
    expect(server.body).not.toHaveProperty("registration_endpoint")
    expect(document.headers.get("content-type")).toBe("application/json")
  })

  it("finds the same at the root, and is sent to the page of the console with all that it asks", async () => {
    const root = await hub.request("GET", "/.well-known/oauth-protected-resource")
    expect(root.body.resource).toBe(`${issuer}/mcp`)
    const query = queryOf("ocl_x")
    const sent = await hub.request("GET", `/oauth/authorize?${query}`)
    expect([sent.status, sent.headers.get("location")]).toEqual([302, `${issuer}/console#/authorize?${query}`])
  })

  it("is told of a token that is good for nothing, as of none", async () => {
    const { headers, status, body } = await hub.request("POST", "/mcp", { token: "huba_x", body: {} })
    expect([status, body.error]).toEqual([401, "The credential is invalid or expired."])
    expect(headers.get("www-authenticate")).toMatch(/error="invalid_token", resource_metadata="/u)
    const elsewhere = await hub.request("GET", "/api/v1/me")
    expect(elsewhere.headers.get("www-authenticate")).toBe('Bearer realm="hub"')
  })
})

describe("a hub below a path of its host", () => {
  const hub = useHub({ settings: { publicUrl: "https://example.org/hub/" } })

  it("is described below that path and, as a proxy passes it on, below its host", async () => {
    const issuer = "https://example.org/hub"
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/hub"])
      expect((await hub.request("GET", path)).body).toMatchObject({ issuer, token_endpoint: `${issuer}/oauth/token` })
    for (const path of ["/mcp", "/hub/mcp"])
      expect((await hub.request("GET", `/.well-known/oauth-protected-resource${path}`)).body.resource).toBe(
        `${issuer}/mcp`
      )
  })
})

describe("a hub whose public address is not https", () => {
  const hub = useHub({ settings: { publicUrl: "http://hub.example.org" } })

  it("has no OAuth: its paths are unknown, and the refusal at /mcp is as it was", async () => {
    const session = await (await hub.account()).session()
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"])
      expect((await hub.request("GET", path)).status).toBe(404)
    expect((await hub.request("GET", "/oauth/authorize?x")).status).toBe(404)
    expect((await sendForm(hub, "/oauth/token", {})).status).toBe(404)
    expect((await decide(hub, session, "show", queryOf("ocl_x"))).status).toBe(404)
    const refused = await hub.request("POST", "/mcp", { body: {} })
    expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="hub"')
  })
})

describe("a program that a person lets in", () => {
  const hub = useHub({ settings: withOAuth, virtual: true })

  it("is shown with what it asks for, and gets a code that is its own", async () => {
    const session = await (await hub.account()).session()
    const client = await addClient(hub)
    const shown = await decide(hub, session, "show", queryOf(client))
    expect(shown.body).toMatchObject({
      name: "An app",
      redirectHost: "app.example",
      redirectKind: "web",
      offline: true,
      issuer
    })
    expect(shown.body.scopes).toMatchObject([{ name: "ide:read", readsOnly: true }, { name: "agent:read" }])
    const given = await decide(hub, session, "approve", queryOf(client), { scopes: ["ide:read"] })
    const url = new URL(given.body.location)
    const { state, iss, code } = Object.fromEntries(url.searchParams)
    expect([url.origin + url.pathname, state, iss]).toEqual([redirectUri, "a state", issuer])
    const tokens = await sendForm(hub, "/oauth/token", codeForm(client, code!))
    expect(tokens.body).toMatchObject({ token_type: "Bearer", expires_in: 3_600, scope: "ide:read offline_access" })
    expect(tokens.headers.get("cache-control")).toBe("no-store")
  })

  given(() => hub.signedIn())("learns that it was refused", async ({ session }) => {
    const { body } = await decide(hub, session, "deny", queryOf(await addClient(hub)))
    const { error, state, iss } = Object.fromEntries(new URL(body.location).searchParams)
    expect([error, state, iss]).toEqual(["access_denied", "a state", issuer])
  })

  it("calls what it was granted at /mcp, for as long as its token is good, and nothing over REST", async () => {
    const account = await hub.account()
    const client = await addClient(hub)
    const { access_token: token } = await connectApp(hub, await account.session(), client)
    const called = await callTool(hub, token, "get_account")
    const { credential, scopes } = called.body.result.structuredContent
    expect([credential.kind, scopes]).toEqual(["grant", ["ide:read"]])
    const { body } = await sendMcp(hub, "tools/list", { key: token })
    const names: ReadonlyArray<string> = body.result.tools.map(({ name }: { name: string }) => name)
    expect([names.includes("list_daemons"), names.includes("run_terminal_command")]).toEqual([true, false])
    for (const path of ["/api/v1/me", "/api/v1/daemons", "/api/v1/connected-apps", "/api/v1/events"]) {
      const refused = await hub.request("GET", path, { token })
      expect([path, refused.status, refused.body.error]).toEqual([
        path,
        401,
        "This is an access token of a connected app; it is good for /mcp alone."
      ])
    }
    await hub.advance(accessTokenMillis)
    expect((await sendMcp(hub, "tools/list", { key: token })).status).toBe(401)
  })

  given(() => addClient(hub))("gets its tokens for a form whose optional parameters are empty", async (client) => {
    const code = await codeFor(hub, await (await hub.account()).session(), client)
    const form = { ...codeForm(client, code), client_secret: "", redirect_uri: "", resource: "" }
    const { status, body } = await sendForm(hub, "/oauth/token", form)
    expect(status).toBe(200)
    const again = { ...refreshForm(client, body.refresh_token), scope: "", resource: "" }
    expect((await sendForm(hub, "/oauth/token", again)).status).toBe(200)
  })

  it("is told all scopes that it needs before a tool runs", async () => {
    const session = await (await hub.account()).session()
    const { access_token: token } = await connectApp(hub, session, await addClient(hub))
    const refused = await callTool(hub, token, "run_terminal_command", { daemonId: "dmn_x", command: "id" })
    expect([refused.status, refused.body.reason]).toEqual([403, "AUTH_FORBIDDEN"])
    const header = refused.headers.get("www-authenticate")!
    expect(header).toContain('error="insufficient_scope", scope="ide:read terminal:exec", resource_metadata="')
    expect((await callTool(hub, token, "no_such_tool")).status).toBe(200)
    // also where its arguments need more than the tool
    const { access_token: writes } = await connectApp(hub, session, await addClient(hub), ["agent:control"])
    const waiting = await callTool(hub, writes, "send_chat_message", { ideId: "dmn_x", message: "hi", wait: "idle" })
    expect(waiting.status).toBe(403)
    expect(waiting.headers.get("www-authenticate")).toContain('scope="agent:read agent:control"')
  })

  given(() => hub.account())("sees the daemons that it is bound to alone", async (account) => {
    await account.daemonToken()
    const client = await addClient(hub)
    const bound = await connectApp(hub, await account.session(), client, ["ide:read"], { selector: "env=prod" })
    const { body } = await callTool(hub, bound.access_token, "list_daemons")
    expect(body.result.structuredContent.daemons).toEqual([])
    const wrong = { scopes: ["ide:read"], selector: "=" }
    const refused = await decide(hub, await account.session(), "approve", queryOf(client), wrong)
    expect(refused.status).toBe(400)
  })

  given(() => hub.account())("goes on by refreshes until it is not used for 30 days", async (account) => {
    const client = await addClient(hub)
    const first = await connectApp(hub, await account.session(), client)
    const refresh = (token: string) => sendForm(hub, "/oauth/token", refreshForm(client, token))
    const endsAt = async () => {
      const list = await hub.request("GET", "/api/v1/connected-apps", { session: await account.session() })
      return list.body.connectedApps[0]?.expiresAt
    }
    expect(await endsAt()).toBe(hub.now() + grantIdleMillis)
    await hub.advance(60_000)
    const second = await refresh(first.refresh_token)
    expect([second.body.scope, await endsAt()]).toEqual(["ide:read offline_access", hub.now() + grantIdleMillis])
    expect((await sendMcp(hub, "tools/list", { key: second.body.access_token })).status).toBe(200)
    const over = (sql: SqlClient.SqlClient) => sql`update oauth_grants set expires_at = ${hub.now()}`
    await hub.sql(over)
    expect((await refresh(second.body.refresh_token)).body.error).toBe("invalid_grant")
    expect(await endsAt()).toBeUndefined()
  })

  given(() => hub.account())("stays for an hour where its person wants no more", async (account) => {
    const client = await addClient(hub)
    const tokens = await connectApp(hub, await account.session(), client, ["ide:read"], { offline: false })
    expect(tokens).not.toHaveProperty("refresh_token")
    await hub.advance(accessTokenMillis)
    const list = await hub.request("GET", "/api/v1/connected-apps", { session: await account.session() })
    expect(list.body.connectedApps).toEqual([])
  })

  given(() => addClient(hub))("gets nothing for a code that is a minute old", async (client) => {
    const late = await codeFor(hub, await (await hub.account()).session(), client)
    await hub.advance(60_000)
    expect((await sendForm(hub, "/oauth/token", codeForm(client, late))).body.error).toBe("invalid_grant")
  })

  given(() => hub.account())("is let in by a person who signed in lately, and not by a key", async (account) => {
    const client = await addClient(hub)
    const old = await account.session({ ageSeconds: 86_400 })
    const refused = await decide(hub, old, "approve", queryOf(client), { scopes: ["ide:read"] })
    expect([refused.status, refused.body.reason]).toEqual([403, "RECENT_LOGIN_REQUIRED"])
    const key = await account.key(["ide:read"])
    for (const decision of ["show", "approve", "deny"] as const)
      expect((await decide(hub, key, decision, queryOf(client), { scopes: ["ide:read"] })).status).toBe(403)
  })
})

describe("a connected app", () => {
  const hub = useHub({ settings: withOAuth })

  it("is listed with its last use, its requests are its own, and it is disconnected at once", async () => {
    const { session } = await hub.signedIn()
    const client = await addClient(hub)
    const { access_token: token } = await connectApp(hub, session, client)
    await callTool(hub, token, "list_daemons")
    const list = () => hub.request("GET", "/api/v1/connected-apps", { session })
    const [app] = (await list()).body.connectedApps
    expect(app).toMatchObject({ name: "An app", clientId: client, redirectHost: "app.example", scopes: ["ide:read"] })
    const [logged] = await until("its call is logged", async () => {
      const { body } = await hub.request("GET", `/api/v1/requests?key=${app.id}`, { session })
      return body.requests.length > 0 ? body.requests : undefined
    })
    const credential = { kind: "grant", id: app.id, name: "An app" }
    expect(logged).toMatchObject({ operation: "daemons.list", credential })
    const other = await (await hub.account()).session()
    const disconnect = (by: string) => hub.request("DELETE", `/api/v1/connected-apps/${app.id}`, { session: by })
    expect((await disconnect(other)).status).toBe(404)
    expect((await disconnect(session)).body).toEqual({ success: true, id: app.id })
    expect((await sendMcp(hub, "tools/list", { key: token })).status).toBe(401)
    expect((await disconnect(session)).status).toBe(404)
    expect((await list()).body.connectedApps).toEqual([])
    // that it was disconnected a second time is refused, which is written within a second
    const audit = await hub.request("GET", "/api/v1/audit?outcome=done", { session })
    const seen = audit.body.events.map(
      (one: { action: string; actor: { kind: string } }) => `${one.action} by ${one.actor.kind}`
    )
    // two of one millisecond are in any order
    expect(seen.slice(0, 3).toSorted()).toEqual([
      "app.approved by session",
      "app.connected by grant",
      "app.disconnected by session"
    ])
  })
})
