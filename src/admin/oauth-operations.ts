/**
 * The administrator's operations for OAuth clients that have no document the hub could read: adds, lists, removes them.
 * A secret leaves here once, in the answer that made it; only its hash is stored.
 */
import { Clock, Effect } from "effect"
import { hashCredential } from "../auth/api-key.ts"
import { grantEnded } from "../auth/credential-ending.ts"
import { clientSecrets } from "../auth/oauth/secrets.ts"
import { newId } from "../domain/ids.ts"
import { readClientMetadata } from "../domain/oauth/client.ts"
import { readRedirectUri } from "../domain/oauth/redirect-uri.ts"
import { addedClientsMax } from "../limits/oauth.ts"
import { OAuthClients } from "../store/oauth/clients.ts"
import { type Answer, Refused, type Request } from "./operation.ts"

const grantTypes = ["authorization_code", "refresh_token"]

/** Adds a client; the answer of an operation. */
export const addOAuthClient = Effect.fnUntraced(function* ({
  name,
  redirectUris,
  secret
}: Request<"oauth client add">) {
  const clients = yield* OAuthClients
  const wrong = redirectUris.find((one) => readRedirectUri(one) === undefined)
  if (wrong !== undefined)
    return yield* new Refused({
      sentence: `--redirect-uri ${wrong} is no https address, no http address of localhost, 127.0.0.1 or [::1], and none of an app's own scheme`
    })
  const read = readClientMetadata({ client_name: name, redirect_uris: redirectUris, grant_types: grantTypes })
  if (typeof read === "string") return yield* new Refused({ sentence: read })
  const id = newId("oauthClient")
  const text = secret ? clientSecrets.make() : undefined
  const secretHash = text === undefined ? null : hashCredential(text)
  const createdAt = yield* Clock.currentTimeMillis
  if ((yield* clients.add({ id, ...read, secretHash, registeredFrom: null, createdAt })) === "full")
    return yield* new Refused({
      sentence: `there are ${addedClientsMax} clients already: remove one (hub oauth client list, hub oauth client remove)`
    })
  return { clientId: id, ...(text !== undefined && { clientSecret: text }) } as Answer
})

export const listOAuthClients = Effect.fnUntraced(function* () {
  const all = yield* (yield* OAuthClients).added
  const rows = all.map(({ id, name, redirectUris, secretHash, createdAt }) => ({
    clientId: id,
    name,
    redirectUris,
    secret: secretHash !== null,
    created: new Date(createdAt).toISOString()
  }))
  return { oauthClients: rows } as Answer
})

/** Removes a client, and ends what was granted to it. */
export const removeOAuthClient = Effect.fnUntraced(function* ({ client }: Request<"oauth client remove">) {
  const clients = yield* OAuthClients
  const ended = yield* clients.remove(client)
  if (ended === undefined) return yield* new Refused({ sentence: `there is no OAuth client ${client}` })
  for (const grant of ended) yield* grantEnded(grant)
  return { clientId: client, disconnected: ended.length } as Answer
})
