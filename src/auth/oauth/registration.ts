/**
 * Clients that register themselves (RFC 7591), where the operator lets them. Owns what of their metadata counts, and
 * that none gets a secret; the store bounds them.
 */
import { Clock, Data, Effect } from "effect"
import { newId } from "../../domain/ids.ts"
import { readClientMetadata } from "../../domain/oauth/client.ts"
import { readRedirectUri } from "../../domain/oauth/redirect-uri.ts"
import { Overloaded } from "../../errors.ts"
import { codesRetrySeconds } from "../../limits/oauth.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { OAuthClients } from "../../store/oauth/clients.ts"

/** The errors of RFC 7591, 3.2.2. */
export class RegistrationRefused extends Data.TaggedError("RegistrationRefused")<{
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata"
  readonly says: string
}> {}

const unnamed = "An app without a name"

/** Registers a client from its metadata, and gives what the hub keeps of it. `address`: as limits count addresses. */
export const registerClient = Effect.fnUntraced(function* (metadata: unknown, address: string) {
  const clients = yield* OAuthClients
  if (!isRecord(metadata))
    return yield* new RegistrationRefused({ error: "invalid_client_metadata", says: "It is no JSON object." })
  const { redirect_uris: uris, client_name: name } = metadata
  const wrong = Array.isArray(uris) ? uris.find((one) => typeof one !== "string" || !readRedirectUri(one)) : undefined
  if (wrong !== undefined)
    return yield* new RegistrationRefused({
      error: "invalid_redirect_uri",
      says: "One of its redirect_uris is refused."
    })
  // the wish for a secret is answered with "none" (RFC 7591, 3.2.1), and the client goes by the answer
  const read = readClientMetadata({ ...metadata, client_name: name ?? unnamed, token_endpoint_auth_method: "none" })
  if (typeof read === "string")
    return yield* new RegistrationRefused({ error: "invalid_client_metadata", says: `${read}.` })
  const createdAt = yield* Clock.currentTimeMillis
  const client = { id: newId("oauthClient"), ...read, secretHash: null, registeredFrom: address, createdAt }
  const added = yield* clients.add(client)
  if (added === "full") return yield* new Overloaded({ retryAfter: codesRetrySeconds })
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(createdAt / 1_000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: ["authorization_code", ...(client.refreshes ? ["refresh_token"] : [])],
    response_types: ["code"],
    token_endpoint_auth_method: "none"
  }
})
