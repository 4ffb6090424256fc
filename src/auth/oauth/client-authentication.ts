/**
 * Who calls the token endpoint: a client that is an address, which has no secret, or a registered one, with the secret
 * that it may have. Owns the two ways in which one names itself, and the errors that clients are told.
 */
import { Data, Effect } from "effect"
import { isDocumentAddress } from "../../domain/oauth/client.ts"
import { OAuthClients } from "../../store/oauth/clients.ts"
import { hashCredential } from "../api-key.ts"
import { sameSecret } from "../same-secret.ts"
import { clientSecrets } from "./secrets.ts"

/** The errors of RFC 6749, 5.2, and RFC 8707. Never reaches the table of failures: http/oauth answers with it. */
export class OAuthRefused extends Data.TaggedError("OAuthRefused")<{
  readonly error:
    | "invalid_request"
    | "invalid_client"
    | "invalid_grant"
    | "invalid_scope"
    | "invalid_target"
    | "unsupported_grant_type"
    /** RFC 7009, 2.2.1. */
    | "unsupported_token_type"
  readonly says: string
}> {}

/** A successful answer (RFC 6749, 5.1). */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: "Bearer"
  readonly expires_in: number
  readonly refresh_token?: string
  readonly scope: string
}

/** A form, and the client's credentials of its `Authorization` header ("" without one). */
export interface FormRequest {
  readonly form: URLSearchParams
  readonly authorization: string
}

export const refuse = (error: OAuthRefused["error"], says: string): OAuthRefused => new OAuthRefused({ error, says })
export const wrongClient = refuse("invalid_client", "The client is unknown, or its secret is wrong.")

const basic = /^Basic +([A-Za-z0-9+/=]+)$/iu

const formDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/** Id and secret of a header; undefined: it is no such header. */
const basicOf = (authorization: string): readonly [string, string] | undefined => {
  const [, encoded] = basic.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, "base64").toString("utf8")
  const at = text.indexOf(":")
  return at < 0 ? undefined : [formDecoded(text.slice(0, at)), formDecoded(text.slice(at + 1))]
}

/** Id and secret ("" without one) of the client that sends this. */
export const credentialsOf = ({ form, authorization }: FormRequest): readonly [string, string] | OAuthRefused => {
  const [id, secret] = [form.get("client_id") ?? "", form.get("client_secret") ?? ""]
  if (authorization === "") return [id, secret]
  const given = basicOf(authorization)
  if (given === undefined) return wrongClient
  if (secret !== "" || (id !== "" && id !== given[0]))
    return refuse("invalid_request", "The client names itself in two ways.")
  return given
}

/** Builds what finds out who asks: the id of the client. */
export const makeClientAuthentication = Effect.map(OAuthClients, (clients) =>
  Effect.fnUntraced(function* (request: FormRequest) {
    const given = credentialsOf(request)
    if ("_tag" in given) return yield* given
    const [id, secret] = given
    if (id === "") return yield* refuse("invalid_request", "client_id is missing.")
    if (isDocumentAddress(id)) return secret === "" ? id : yield* wrongClient
    const client = yield* clients.byId(id)
    if (client === undefined) return yield* wrongClient
    if (
      client.secretHash !== null &&
      !(clientSecrets.isValid(secret) && sameSecret(hashCredential(secret), client.secretHash))
    )
      return yield* wrongClient
    return id
  })
)
