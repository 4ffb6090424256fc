/** A service account at the token endpoint: a token for one of its keys, which is less than the key. */
import { expect, it } from "vitest"
import { sendForm, withOAuth } from "../../support/connecting-app.ts"
import { useHub } from "../../support/hub.ts"
import { callTool, sendMcp } from "../../support/mcp-client.ts"

const hub = useHub({ settings: withOAuth })

it("a service account gets a token for a key of its own, for less than the key and no longer, which ends with the key", async () => {
  const session = await (await hub.account()).session()
  const path = "/api/v1/service-accounts"
  const body = { name: "ci", scopes: ["ide:read", "agent:read"] }
  const { id } = (await hub.request("POST", path, { session, body })).body
  const made = (await hub.request("POST", `${path}/${id}/keys`, { session, body: {} })).body
  const ask = (more: Readonly<Record<string, string>> = {}) =>
    sendForm(hub, "/oauth/token", { grant_type: "client_credentials", client_id: id, client_secret: made.key, ...more })
  const given = (await ask({ scope: "ide:read terminal:exec" })).body
  expect(given).toMatchObject({ token_type: "Bearer", expires_in: 3_600, scope: "ide:read" })
  expect(given).not.toHaveProperty("refresh_token")
  const token: string = given.access_token
  const { credential, scopes } = (await callTool(hub, token, "get_account")).body.result.structuredContent
  expect([credential.id, scopes]).toEqual([made.id, ["ide:read"]])
  expect((await hub.request("GET", "/api/v1/me", { token })).status).toBe(401)
  expect((await sendMcp(hub, "tools/list", { key: `${token.slice(0, -1)}x` })).status).toBe(401)
  for (const [error, more] of [
    ["invalid_client", { client_secret: await (await hub.account()).key(["ide:read"]) }],
    ["invalid_client", { client_id: "sva_00000000000000000000" }],
    ["invalid_client", { client_secret: "x" }],
    ["invalid_scope", { scope: "terminal:exec" }],
    ["invalid_target", { resource: "https://other.example/mcp" }]
  ] as const)
    expect([more, (await ask(more)).body.error]).toEqual([more, error])
  const status = async () => (await sendMcp(hub, "tools/list", { key: token })).status
  const revoked = await sendForm(hub, "/oauth/revoke", { token })
  expect([revoked.status, revoked.body.error]).toEqual([400, "unsupported_token_type"])
  expect(await status()).toBe(200)
  expect((await hub.request("DELETE", `/api/v1/api-keys/${made.id}`, { session })).status).toBe(200)
  expect(await status()).toBe(401)
  expect((await ask()).body.error).toBe("invalid_client")
})
