/**
 * Why a connection failed, in the words that a delivery shows: one of six, and a second one from a closed list, which
 * holds no address. Owns both lists; opens nothing.
 */
import type { AttemptError } from "../domain/webhook/delivery.ts"

const dnsCodes = new Set(["ENOTFOUND", "EAI_AGAIN", "ENODATA", "ESERVFAIL", "ETIMEOUT", "EREFUSED", "EBADNAME"])
const timeoutCodes = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT"
])
const tlsCode = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/u

const details: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(?:UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY|SELF_SIGNED|DEPTH_ZERO)/u, "unknown issuer"],
  [/^CERT_HAS_EXPIRED$/u, "certificate expired"],
  [/^(?:ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH)/u, "certificate of another name"],
  [/^ECONNREFUSED$/u, "refused"],
  [/^(?:ENETUNREACH|EHOSTUNREACH)$/u, "unreachable"],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/u, "closed"]
]

/** The codes of an error: of each address of a name that was tried, where there were several. */
const codesOf = (error: unknown): ReadonlyArray<string> => {
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: ReadonlyArray<unknown> }
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap(codesOf)
  return typeof code === "string" ? [code] : []
}

/** The word for an error. Several attempts at several addresses are judged by the first. */
export const attemptError = (error: unknown): AttemptError => {
  const [code] = codesOf(error)
  if (code === undefined) return "connect"
  if (code === "HUB_ADDRESS_BLOCKED") return "blocked_address"
  if (timeoutCodes.has(code)) return "timeout"
  if (dnsCodes.has(code)) return "dns"
  return tlsCode.test(code) ? "tls" : "connect"
}

/** What is known beside that word, of each address; "" when that is nothing. */
export const attemptDetail = (error: unknown): string => {
  const words = codesOf(error).map((code) =>
    timeoutCodes.has(code) ? "timeout" : details.find(([pattern]) => pattern.test(code))?.[1]
  )
  const said = [...new Set(words.filter((word) => word !== undefined))]
  return said.length === 1 && said[0] === attemptError(error) ? "" : said.join(", ")
}
