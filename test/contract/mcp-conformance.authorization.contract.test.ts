/**
 * The part of the public conformance suite of MCP that asks an authorization server, whole: its metadata, and the code
 * flow, in which this test is the person. A second opinion comes from a client of another library.
 */
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as openid from "openid-client"
import { describe, expect, inject, it } from "vitest"
import { freePort } from "../../bench/servers/free-port.ts"
import { perform } from "../../src/admin/operations.ts"
import { addClient, decide } from "../support/connecting-app.ts"
import { useHub } from "../support/hub.ts"
import { sendMcp } from "../support/mcp-client.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { startTlsProxy, trustingFetch } from "../support/tls-server.ts"
import { useStarted } from "../support/use-started.ts"
import { fileOf, startNode, toolsFolder } from "./outside-tools.ts"

const port = await freePort()
const publicUrl = `https://localhost:${port}`

describe("the hub as an authorization server", () => {
  const hub = useHub({ settings: { publicUrl } })
  useStarted(() => startTlsProxy(port, () => [hub.url]))
  const trusting = useStarted(async () => trustingFetch())

  /** What a person does in the browser: gives what only reads, and is sent back. */
  const consent = async (session: string, address: string): Promise<URL> => {
    const sent = await trusting.fetch(address, { redirect: "manual" })
    const { hash } = new URL(sent.headers.get("location")!)
    const query = hash.slice(hash.indexOf("?") + 1)
    const { body } = await decide(hub, session, "approve", query, { scopes: ["ide:read"] })
    return new URL(body.location)
  }

  it.skipIf(inject("contractToolsMissing"))("passes every check of the conformance suite of MCP", async () => {
    const session = await (await hub.account()).session()
    const client = await addClient(hub, { redirectUris: ["http://127.0.0.1/callback"] })
    const folder = testFolder("mcp-authorization")
    const given = { url: publicUrl, "client-id": client, resource: `${publicUrl}/mcp`, "output-dir": folder }
    const args = Object.entries({ ...given, port: String(await freePort()) }).flatMap(([name, value]) => [
      `--${name}`,
      value
    ])
    const trust = { NODE_EXTRA_CA_CERTS: join(root, "test/support/tls/cert.pem") }
    const child = startNode(fileOf("mcp-conformance"), ["authorization", ...args], toolsFolder, trust)
    child.stdin.end()
    const said: Array<string> = []
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line)
      if (line.startsWith(`${publicUrl}/oauth/authorize?`)) await fetch(await consent(session, line))
    }
    if (child.exitCode === null) await once(child, "close")
    const checks = readdirSync(folder).flatMap(
      (name) =>
        JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Array<{ id: string; status: string }>
    )
    expect(checks.map(({ id, status }) => `${id} ${status}`).sort(), said.join("\n")).toEqual([
      "authorization-code-grant SUCCESS",
      "authorization-server-metadata SUCCESS",
      "authorization-server-metadata-cimd SUCCESS"
    ])
  })

  it("is understood by a client of another library, with a secret: code, refresh, revocation", async () => {
    const add = {
      op: "oauth client add",
      name: "A",
      redirectUris: ["https://app.example/callback"],
      secret: true
    } as const
    const added = await hub.inside(perform(add))
    if (!added.ok) throw new Error(added.refusal)
    const made = added.answer as { readonly clientId: string; readonly clientSecret: string }
    const configuration = await openid.discovery(
      new URL(publicUrl),
      made.clientId,
      {},
      openid.ClientSecretBasic(made.clientSecret),
      { algorithm: "oauth2", [openid.customFetch]: trusting.fetch as never }
    )
    const session = await (await hub.account()).session()
    const code_verifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const address = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: "https://app.example/callback",
      scope: "ide:read offline_access",
      code_challenge: await openid.calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: "S256",
      state,
      resource: `${publicUrl}/mcp`
    })
    const answer = await consent(session, address.href)
    const checks = { pkceCodeVerifier: code_verifier, expectedState: state }
    const first = await openid.authorizationCodeGrant(configuration, answer, checks)
    const second = await openid.refreshTokenGrant(configuration, first.refresh_token!)
    const status = async () => (await sendMcp(hub, "tools/list", { key: second.access_token })).status
    expect(await status()).toBe(200)
    await openid.tokenRevocation(configuration, second.refresh_token!)
    expect(await status()).toBe(401)
  })
})
