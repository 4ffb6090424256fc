/** Which ids of clients are addresses of documents, and which documents are accepted. */
import { describe, expect, it } from "vitest"
import { isDocumentAddress, readClientDocument } from "../../../../src/domain/oauth/client.ts"
import { clientIdCharsMax, clientNameCharsMax, redirectUrisMax } from "../../../../src/limits/oauth.ts"

const id = "https://claude.ai/oauth/claude-code-client-metadata"
const document = {
  client_id: id,
  client_name: "Claude Code",
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
  logo_uri: "https://claude.ai/logo.png"
}

describe("a client's id", () => {
  it.each([
    ...["", "claude", "http://claude.ai/x", "https://claude.ai", "https://claude.ai/", "https://claude.ai/x#y"],
    ...["https://claude.ai/x#", "https://a@claude.ai/x", "https://claude.ai/./x", "https://claude.ai/a/../x"],
    ...["https://claude.ai/%2e%2e/x", "https://Claude.ai/x", "https://claude.ai:443/x", "https://claude.ai/a b"],
    ...["https:claude.ai/x", "https://claude.ai\\x", "https://claude.ai/x\n", "ftp://claude.ai/x", "https:///x"],
    `https://claude.ai/${"x".repeat(clientIdCharsMax)}`
  ])("is no document's address: %j", (text) => expect(isDocumentAddress(text)).toBe(false))

  it.each([id, "https://claude.ai:8443/x", "https://a.example/x?y=z"])("is one: %s", (text) =>
    expect(isDocumentAddress(text)).toBe(true)
  )
})

describe("a client's document", () => {
  it("names itself, its name and where it may be answered; the rest does not matter", () => {
    const { redirect_uris: redirectUris, client_name: name } = document
    expect(readClientDocument(id, document)).toEqual({ id, name, redirectUris, refreshes: true })
    const { grant_types: _, ...short } = document
    for (const none of [short, { ...document, grant_types: null, client_secret: null }])
      expect(readClientDocument(id, none)).toMatchObject({ refreshes: false })
  })

  it.each([
    [null, "it is no JSON object"],
    [[document], "it is no JSON object"],
    [{ ...document, client_id: `${id}/` }, "its client_id is another than its address"],
    [{ ...document, client_id: [id] }, "its client_id is another than its address"],
    [{ ...document, client_secret: "x" }, "it holds a secret"],
    [{ ...document, client_name: " \u202e " }, "it has no client_name"],
    [{ ...document, client_name: 1 }, "it has no client_name"],
    [{ ...document, redirect_uris: "https://a.example/" }, "it has no redirect_uris that may be used"],
    [{ ...document, redirect_uris: ["javascript://x/", 1] }, "it has no redirect_uris that may be used"],
    [{ ...document, grant_types: ["implicit"] }, "its grant_types are without authorization_code"],
    [{ ...document, token_endpoint_auth_method: "client_secret_post" }, "it asks for a shared secret"]
  ])("is refused: %j", (given, why) => expect(readClientDocument(id, given)).toBe(why))

  it("is cut to its bounds, and its name shows nothing that turns or hides text", () => {
    const many = Array.from({ length: redirectUrisMax + 1 }, (_, at) => `https://a.example/${at}`)
    const name = `Claude\u202e \n\u200bCode${"x".repeat(clientNameCharsMax)}`
    const client = readClientDocument(id, { ...document, client_name: name, redirect_uris: ["ftp://x/", ...many] })
    expect(client).toMatchObject({ redirectUris: many.slice(0, redirectUrisMax) })
    expect((client as { name: string }).name).toBe(
      `Claude Code${"x".repeat(clientNameCharsMax)}`.slice(0, clientNameCharsMax)
    )
  })
})
