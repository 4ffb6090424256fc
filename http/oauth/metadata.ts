/**
 * The metadata documents by which clients find out how to connect (RFC 9728, RFC 8414). Owns what they say; the routes
 * are endpoints.ts's.
 */
import type { Issuer } from "../../src/auth/oauth/issuer.ts"
import { grantableScopes, offlineAccess } from "../../src/domain/oauth/granted-scopes.ts"

/** The paths of the endpoints. */
export const oauthPaths = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  revoke: "/oauth/revoke",
  register: "/oauth/register"
} as const

const clientAuthentication = ["none", "client_secret_basic", "client_secret_post"]

/** Of the endpoint of agents, under one of its addresses. Clients want exactly the address that a person typed. */
export const resourceMetadata = ({ issuer }: Issuer, resource: string) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: grantableScopes,
  bearer_methods_supported: ["header"],
  resource_name: "Cloud automation hub",
  resource_documentation: `${issuer}/docs/oauth`
})

/** Of the hub as the one who gives out tokens. */
export const serverMetadata = ({ issuer, registers }: Issuer) => ({
  issuer,
  authorization_endpoint: issuer + oauthPaths.authorize,
  token_endpoint: issuer + oauthPaths.token,
  revocation_endpoint: issuer + oauthPaths.revoke,
  ...(registers && { registration_endpoint: issuer + oauthPaths.register }),
  scopes_supported: [...grantableScopes, offlineAccess],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
  // a client takes the way of metadata documents only where "none" stands beside them
  token_endpoint_auth_methods_supported: clientAuthentication,
  revocation_endpoint_auth_methods_supported: clientAuthentication,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${issuer}/docs/oauth`
})
