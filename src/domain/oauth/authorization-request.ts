/**
 * A client's request that a person lets it in (OAuth 2.1, 4.1.1): read from its query, then judged by what is known of
 * the client. Owns which errors may be told to the client, and which only to the person: nothing is sent to an address
 * that is not the client's. Pure.
 */
import { challengeShape } from "../../auth/challenge.ts"
import { authorizationQueryCharsMax } from "../../limits/oauth.ts"
import type { Scope } from "../account/scopes.ts"
import type { Client } from "./client.ts"
import { askedScopes } from "./granted-scopes.ts"
import { mayRedirectTo, type Redirect, readRedirectUri, redirectWith } from "./redirect-uri.ts"

/** The errors that a client may be told (RFC 6749, 4.1.2.1; RFC 8707). */
export type AuthorizationError =
  | "invalid_request"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_target"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "access_denied"

/** Parameters that matter. `resource` may be repeated (RFC 8707, 2). */
const single = [
  ...["response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"],
  ...["response_mode", "request", "request_uri"]
] as const
type Parameters = Readonly<Partial<Record<(typeof single)[number], string>>>

/** A request that names a client and an address. */
export interface ReadRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly parameters: Parameters
  /** A parameter that came twice. */
  readonly doubled: string | undefined
  readonly resources: ReadonlyArray<string>
}

/** Reads a query; a text says to the person what is wrong with it. */
export const readAuthorizationRequest = (query: string): ReadRequest | string => {
  if (query.length > authorizationQueryCharsMax) return "The program's request is too long."
  const given = new URLSearchParams(query)
  const parameters: Record<string, string> = {}
  for (const name of single) {
    const [first] = given.getAll(name)
    // an empty parameter counts as none (RFC 6749, 3.1)
    if (first !== undefined && first !== "") parameters[name] = first
  }
  const doubled = single.find((name) => given.getAll(name).length > 1)
  const { client_id: clientId, redirect_uri: redirectUri } = parameters as Parameters
  if (clientId === undefined || doubled === "client_id") return "The program does not say which one it is."
  if (redirectUri === undefined || doubled === "redirect_uri")
    return "The program does not say where the answer is to go."
  const resources = given.getAll("resource").filter((one) => one !== "")
  return { clientId, redirectUri, parameters, doubled, resources }
}

/** What a client asks for, with all that may be granted. */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly redirect: Redirect
  readonly state: string | undefined
  readonly challenge: string
  readonly scopes: ReadonlyArray<Scope>
  /** It stays connected: it gets a refresh token. */
  readonly offline: boolean
  readonly resource: string
}

/** Why it is refused. `location`: where the client is told, where it may be. */
export interface RefusedRequest {
  readonly error: AuthorizationError
  readonly says: string
  readonly location?: string
}

const refusalOf = ({ parameters, doubled }: ReadRequest): Omit<RefusedRequest, "location"> | undefined => {
  const { response_type: type, code_challenge: challenge = "", code_challenge_method: method } = parameters
  if (doubled !== undefined) return { error: "invalid_request", says: `It gives ${doubled} twice.` }
  if (parameters.request !== undefined)
    return { error: "request_not_supported", says: "Its request comes as an object (request)." }
  if (parameters.request_uri !== undefined)
    return { error: "request_uri_not_supported", says: "Its request stands elsewhere (request_uri)." }
  if (type === undefined) return { error: "invalid_request", says: "It gives no response_type." }
  if (type !== "code") return { error: "unsupported_response_type", says: "It asks for something else than a code." }
  if (parameters.response_mode !== undefined && parameters.response_mode !== "query")
    return { error: "invalid_request", says: "It wants its answer in another way than the query (response_mode)." }
  if (challenge === "") return { error: "invalid_request", says: "It gives no code_challenge (PKCE)." }
  if (method !== "S256") return { error: "invalid_request", says: "Its code_challenge_method is not S256." }
  if (!challengeShape.test(challenge)) return { error: "invalid_request", says: "Its code_challenge is none of S256." }
  return undefined
}

/** The answer of a refusal to a client. */
export const errorLocation = (
  redirectUri: string,
  issuer: string,
  state: string | undefined,
  { error, says }: Omit<RefusedRequest, "location">
): string => redirectWith(redirectUri, { error, error_description: says, state, iss: issuer })

/** Judges a request of this client. `resources`: what of the hub may be asked for, the usual address first. */
export const judgeRequest = (
  read: ReadRequest,
  client: Client,
  { issuer, resources }: { readonly issuer: string; readonly resources: readonly [string, ...ReadonlyArray<string>] }
): AuthorizationRequest | RefusedRequest => {
  const { redirectUri, parameters } = read
  const redirect = readRedirectUri(redirectUri)
  if (redirect === undefined || !mayRedirectTo(client.redirectUris, redirectUri))
    return { error: "invalid_request", says: "It wants its answer at an address that is not registered as its own." }
  const { state, code_challenge: challenge = "" } = parameters
  const refuse = (refusal: Omit<RefusedRequest, "location">): RefusedRequest => ({
    ...refusal,
    location: errorLocation(redirectUri, issuer, state, refusal)
  })
  const refusal = refusalOf(read)
  if (refusal !== undefined) return refuse(refusal)
  const [resource = resources[0], ...more] = read.resources
  if (!resources.includes(resource) || more.some((one) => one !== resource))
    return refuse({ error: "invalid_target", says: "It asks for another resource than this hub's /mcp." })
  const asked = askedScopes(parameters.scope)
  if (asked === undefined) return refuse({ error: "invalid_scope", says: "It asks for nothing that the hub has." })
  const offline = asked.offline || client.refreshes
  return { client, redirectUri, redirect, state, challenge, scopes: asked.scopes, offline, resource }
}
