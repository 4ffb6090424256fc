/**
 * A client: the program that a person connects, and the metadata document by which it describes itself where its id is
 * an https address (draft-ietf-oauth-client-id-metadata-document). Owns which ids and documents are accepted. Pure.
 */
import { clientIdCharsMax, clientNameCharsMax, redirectUrisMax } from "../../limits/oauth.ts"
import { isRecord } from "../../protocol/is-record.ts"
import { cutToChars } from "../text/truncate.ts"
import { readRedirectUri } from "./redirect-uri.ts"

/** What the hub knows of a client. */
export interface Client {
  readonly id: string
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  /** It knows what to do with a refresh token. */
  readonly refreshes: boolean
}

/**
 * Whether a client's id is the address of a document: https, with a path, written in one way only. Whether the address
 * is public, each connection finds.
 */
export const isDocumentAddress = (id: string): boolean => {
  if (id.length > clientIdCharsMax || !id.startsWith("https://") || !URL.canParse(id)) return false
  const { href, pathname, hash, username, password } = new URL(id)
  // a fragment, dots in the path, upper case in the host and a default port have another spelling
  return href === id && pathname !== "/" && hash === "" && !id.endsWith("#") && username === "" && password === ""
}

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

/** A name that a stranger chose, as it may be shown: on one line, without what turns or hides text. */
const nameOf = (name: string): string =>
  cutToChars(name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, " ").trim(), clientNameCharsMax)

/** What is asked of the metadata of any client: a name, and at least one address where it may be answered. */
export const readClientMetadata = (value: unknown): Omit<Client, "id"> | string => {
  if (!isRecord(value)) return "it is no JSON object"
  const { client_name: name, redirect_uris: uris, grant_types: grants, token_endpoint_auth_method: method } = value
  if (typeof name !== "string" || nameOf(name) === "") return "it has no client_name"
  const redirectUris = texts(uris)
    .filter((one) => readRedirectUri(one) !== undefined)
    .slice(0, redirectUrisMax)
  if (redirectUris.length === 0) return "it has no redirect_uris that may be used"
  const types = grants == null ? ["authorization_code"] : texts(grants)
  if (!types.includes("authorization_code")) return "its grant_types are without authorization_code"
  if (typeof method === "string" && method.startsWith("client_secret_")) return "it asks for a shared secret"
  return { name: nameOf(name), redirectUris, refreshes: types.includes("refresh_token") }
}

/** Reads the document at the address that is the client's id; a text says why it is refused. */
export const readClientDocument = (id: string, value: unknown): Client | string => {
  if (!isRecord(value)) return "it is no JSON object"
  if (value["client_id"] !== id) return "its client_id is another than its address"
  if (value["client_secret"] != null) return "it holds a secret"
  const metadata = readClientMetadata(value)
  return typeof metadata === "string" ? metadata : { id, ...metadata }
}
