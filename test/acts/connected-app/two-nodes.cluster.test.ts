/** Apps at two nodes behind a proxy that ends TLS: the official client as it is, and races that a thief would win. */
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { freePort } from "../../../bench/servers/free-port.ts"
import { Bus } from "../../../src/bus/bus.ts"
import {
  addClient,
  codeFor,
  codeForm,
  connectApp,
  decide,
  refreshForm,
  sendForm
} from "../../support/connecting-app.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"
import { keeper, startProgram } from "../../support/official-app.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { startTlsProxy, testCertificate } from "../../support/tls-server.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"

const port = await freePort()
const publicUrl = `https://localhost:${port}`
describe("two nodes behind a proxy that ends TLS", () => {
  const hubs = useTwoHubs(() => ({ publicUrl }), {
    documents: { allowCidrs: ["127.0.0.0/8", "::1/128"], ca: testCertificate }
  })
  const { one, other } = hubs
  useStarted(() => startTlsProxy(port, () => [one.url, other.url]))
  const program = useStarted(startProgram)
  const overAtBoth = (key: string) =>
    until("both refuse it", async () => {
      const all = await Promise.all([one, other].map((hub) => sendMcp(hub, "tools/list", { key })))
      return all.every(({ status }) => status === 401)
    })

  it("let the official client in, as it is, which stays by its refresh token", async () => {
    const { account, session } = await one.signedIn()
    const { provider, asked, kept } = keeper(program.clientId, "http://localhost:49152/callback")
    const transportOf = () =>
      new StreamableHTTPClientTransport(new URL(`${publicUrl}/mcp`), { authProvider: provider, fetch: program.fetch })
    const first = transportOf()
    const client = () => new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
    await expect(client().connect(first)).rejects.toThrow(UnauthorizedError)
    expect(program.fetched).toEqual([])
    const sent = await program.fetch(asked[0]!.href, { redirect: "manual" })
    const page = new URL(sent.headers.get("location")!)
    expect(page.href.startsWith(`${publicUrl}/console#/authorize?`)).toBe(true)
    const query = page.hash.slice(page.hash.indexOf("?") + 1)
    const shown = await Promise.all([one, other, one].map((hub) => decide(hub, session, "show", query)))
    expect(shown.map(({ body }) => [body.name, body.redirectKind])).toEqual(Array(3).fill(["A program", "loopback"]))
    expect(program.fetched).toHaveLength(2)
    const { body } = await decide(other, session, "approve", query, { scopes: ["ide:read"] })
    const answer = new URL(body.location).searchParams
    expect(answer.get("state")).toBe("of the program")
    await first.finishAuth(answer)
    const connected = client()
    await connected.connect(transportOf())
    const tools = (await connected.listTools()).tools.map(({ name }) => name)
    expect([tools.includes("list_daemons"), tools.includes("run_terminal_command")]).toEqual([true, false])
    const before = (kept["tokens"] as { access_token: string }).access_token
    const over = (sql: SqlClient.SqlClient) => sql`delete from oauth_tokens where not refreshes`
    await one.sql(over)
    await one.inside(Effect.map(Bus, (bus) => bus.publish("account_changed", { accountId: account.accountId })))
    await overAtBoth(before)
    expect((await connected.callTool({ name: "list_daemons", arguments: {} })).isError).not.toBe(true)
    expect((kept["tokens"] as { access_token: string }).access_token).not.toBe(before)
    expect(asked).toHaveLength(1)
    await connected.close()
  })

  it("end an app's open call at one node when it is disconnected at the other", async () => {
    const { account, session } = await one.signedIn()
    const { daemonId, token: daemonToken } = await account.daemonToken()
    const peer = await connectDaemon(one, daemonToken, { report: [] })
    const { access_token: token } = await connectApp(one, session, await addClient(one), ["ide:read", "ide:control"])
    const open = callTool(one, token, "send_command", { daemonId, type: "screenshot" })
    await peer.nextCommand()
    const [app] = (await other.request("GET", "/api/v1/connected-apps", { session })).body.connectedApps
    expect((await other.request("DELETE", `/api/v1/connected-apps/${app.id}`, { session })).status).toBe(200)
    expect((await open).status).toBe(401)
    await overAtBoth(token)
  })

  it("give one successor to a refresh token that both are asked for at once, and then end the grant", async () => {
    const client = await addClient(one)
    const { refresh_token: refresh } = await connectApp(one, await (await one.account()).session(), client)
    const race = await Promise.all(
      [one, other, one, other].map((hub) => sendForm(hub, "/oauth/token", refreshForm(client, refresh)))
    )
    const won = race.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    const { access_token: token } = won[0]!.body
    await overAtBoth(token)
  })

  it("end what a code gave, at both, when it comes a second time to the other", async () => {
    const client = await addClient(one)
    const code = await codeFor(one, await (await one.account()).session(), client)
    const { access_token: token } = (await sendForm(one, "/oauth/token", codeForm(client, code))).body
    expect((await sendMcp(one, "tools/list", { key: token })).status).toBe(200)
    expect((await sendForm(other, "/oauth/token", codeForm(client, code))).body.error).toBe("invalid_grant")
    await until("it is over", async () => (await sendMcp(one, "tools/list", { key: token })).status === 401)
  })

  it("give an app never more than the role of its person, and nothing when they leave", async () => {
    const { account, session: owner } = await one.signedIn()
    const member = await account.member("operator")
    const client = await addClient(one)
    const session = await member.session()
    const { access_token: token } = await connectApp(one, session, client, ["ide:read", "terminal:exec"])
    const scopes = async (hub: typeof one) =>
      (await callTool(hub, token, "get_account")).body.result?.structuredContent.scopes
    expect(await scopes(other)).toEqual(["ide:read", "terminal:exec"])
    const path = `/api/v1/members/${member.personId}`
    const lowered = await one.request("PATCH", path, { session: owner, body: { role: "viewer" } })
    expect(lowered.status).toBe(200)
    await until("it may do less at the other", async () => (await scopes(other)).join() === "ide:read")
    expect((await one.request("DELETE", path, { session: owner })).status).toBe(200)
    await until("it is over", async () => (await sendMcp(other, "tools/list", { key: token })).status === 401)
  })
})
