/** A program that is let in by OAuth, by hand: a registered client, and each step of it. Asserts nothing. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Scope } from "../../src/domain/account/scopes.ts"
import { newId } from "../../src/domain/ids.ts"
import { OAuthClients, type RegisteredClient } from "../../src/store/oauth/clients.ts"
import type { HubAnswer, TestHub } from "./hub.ts"

/** The settings of a hub that has OAuth. */
export const withOAuth = { publicUrl: "https://hub.example.org" } as const
export const verifier = "a-verifier-of-more-than-forty-three-characters-0"
export const redirectUri = "https://app.example/callback"

const challenge = createHash("sha256").update(verifier).digest("base64url")

/** Adds a client to a hub. */
export const addClient = async (hub: TestHub, more: Partial<RegisteredClient> = {}): Promise<string> => {
  const id = newId("oauthClient")
  const client = {
    name: "An app",
    redirectUris: [redirectUri],
    refreshes: true,
    secretHash: null,
    createdAt: hub.now()
  }
  await hub.inside(
    Effect.flatMap(OAuthClients, (clients) => clients.add({ id, ...client, registeredFrom: null, ...more }))
  )
  return id
}

/** The query of an authorization request; what is undefined is left out. */
export const queryOf = (clientId: string, changed: Readonly<Record<string, string | undefined>> = {}): string => {
  const members = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
    scope: "ide:read agent:read offline_access",
    state: "a state",
    ...changed
  }
  const given = Object.entries(members).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return new URLSearchParams(given).toString()
}

const requests = "/api/v1/connected-apps/requests"

/** What the person's page asks of the hub. */
export const decide = (
  hub: Pick<TestHub, "request">,
  session: string,
  decision: "show" | "approve" | "deny",
  query: string,
  more: object = {}
): Promise<HubAnswer> => hub.request("POST", `${requests}/${decision}`, { session, body: { query, ...more } })

/** Sends a form. */
export const sendForm = (
  hub: Pick<TestHub, "request">,
  path: string,
  form: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>,
  headers: Readonly<Record<string, string>> = {}
): Promise<HubAnswer> =>
  hub.request("POST", path, {
    text: new URLSearchParams(form as Record<string, string>).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
  })

/** A code for this client, by a person of this session. */
export const codeFor = async (
  hub: Pick<TestHub, "request">,
  session: string,
  clientId: string,
  scopes: ReadonlyArray<Scope> = ["ide:read"],
  more: object = {}
): Promise<string> => {
  const asked = queryOf(clientId, { scope: `${scopes.join(" ")} offline_access` })
  const { body } = await decide(hub, session, "approve", asked, { scopes, ...more })
  return new URL(body.location).searchParams.get("code")!
}

/** The form that takes a code. */
export const codeForm = (clientId: string, code: string) => ({
  grant_type: "authorization_code",
  client_id: clientId,
  redirect_uri: redirectUri,
  code_verifier: verifier,
  code
})

/** The form that refreshes. */
export const refreshForm = (clientId: string, token: string) => ({
  grant_type: "refresh_token",
  client_id: clientId,
  refresh_token: token
})

/** The tokens of a client that was let in. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** Lets a client in. */
export const connectApp = async (
  hub: Pick<TestHub, "request">,
  session: string,
  clientId: string,
  scopes?: ReadonlyArray<Scope>,
  more?: object
): Promise<Tokens> => {
  const code = await codeFor(hub, session, clientId, scopes, more)
  return (await sendForm(hub, "/oauth/token", codeForm(clientId, code))).body
}
