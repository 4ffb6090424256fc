/** A program with the official client of MCP, which describes itself at an address. Asserts nothing. */
import type { OAuthClientProvider } from "@modelcontextprotocol/client"
import { startTlsServer, trustingFetch } from "./tls-server.ts"

const callback = "http://localhost/callback"

/** A program that describes itself at an address, as Claude Code does, and what it keeps of its person's answer. */
export const startProgram = async () => {
  const fetched: Array<string> = []
  const server = await startTlsServer((incoming, outgoing) => {
    fetched.push(incoming.url ?? "")
    const document = {
      client_id: `${server.origin}/client.json`,
      client_name: "A program",
      redirect_uris: [callback],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none"
    }
    outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document))
  })
  const trusting = trustingFetch()
  return {
    fetched,
    fetch: trusting.fetch,
    clientId: `${server.origin}/client.json`,
    close: async () => {
      server.close()
      await trusting.close()
    }
  }
}

/** The official client's store, in memory. `asked`: where it would send its person. */
export const keeper = (clientMetadataUrl: string, redirectUrl: string) => {
  const kept: Record<string, unknown> = {}
  const asked: Array<URL> = []
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadataUrl,
    clientMetadata: { client_name: "A program", redirect_uris: [redirectUrl] },
    state: () => "of the program",
    clientInformation: () => kept["client"] as never,
    saveClientInformation: (client) => {
      kept["client"] = client
    },
    tokens: () => kept["tokens"] as never,
    saveTokens: (tokens) => {
      kept["tokens"] = tokens
    },
    redirectToAuthorization: (url) => void asked.push(url),
    saveCodeVerifier: (verifier) => {
      kept["verifier"] = verifier
    },
    codeVerifier: () => kept["verifier"] as string
  }
  return { provider, asked, kept }
}
