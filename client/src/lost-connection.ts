/**
 * Why no answer came, in words that name the address. Owns the sentences; knows the codes of Node, and elsewhere passes
 * on what the platform says.
 */

const causesMax = 8
const wordsCharsMax = 500

interface Caused extends Error {
  readonly code?: unknown
  readonly errors?: unknown
}

/** The innermost causes: `fetch` wraps them, and each address of a name has its own. */
const innermost = (error: unknown, depth = 0): ReadonlyArray<Caused> => {
  if (!(error instanceof Error)) return [new Error(String(error))]
  const { cause, errors } = error as Caused
  if (depth < causesMax && Array.isArray(errors) && errors.length > 0)
    return errors.slice(0, causesMax).flatMap((one) => innermost(one, depth + 1))
  return depth < causesMax && cause instanceof Error ? innermost(cause, depth + 1) : [error]
}

const unknownIssuer =
  "has a certificate of an issuer that this machine does not know; NODE_EXTRA_CA_CERTS names a file with the issuer's"
const ended = "ended the connection without an answer"

const phrases: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ECONNRESET: ended,
  EPIPE: ended,
  UND_ERR_SOCKET: ended,
  ENOTFOUND: "is not to be found: its name is not known",
  EAI_AGAIN: "is not to be found: its name could not be looked up now",
  EHOSTUNREACH: "cannot be reached: no route leads there",
  ENETUNREACH: "cannot be reached: no route leads there",
  ETIMEDOUT: "did not answer in time",
  UND_ERR_CONNECT_TIMEOUT: "did not answer in time",
  CERT_HAS_EXPIRED: "has a certificate that has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate of another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer
}

/** What OpenSSL says of bytes that are no TLS. */
const noTls = /wrong version number|packet length too long|unknown protocol|http request/iu

const codeOf = ({ code }: Caused): string | undefined => (typeof code === "string" && code !== "" ? code : undefined)

const phraseOf = (origin: string, error: Caused): string | undefined => {
  const code = codeOf(error)
  if (noTls.test(error.message)) return "speaks http, not https"
  if (code?.startsWith("HPE_") === true) return "does not speak http; is it https there?"
  const phrase = Object.hasOwn(phrases, code ?? "") ? phrases[code!] : undefined
  return phrase === ended && origin.startsWith("http:") ? `${phrase}; is it https there?` : phrase
}

const wordsOf = (error: Caused): string => {
  const words = error.message === "" ? error.name : error.message
  return words.slice(0, wordsCharsMax)
}

/** Why `origin` gave no answer: a sentence that begins with it. Never empty, however the error is made. */
export const whyLost = (origin: string, error: unknown): string => {
  const causes = innermost(error)
  const codes = [...new Set(causes.map(codeOf))]
  const phrase = codes.length === 1 ? phraseOf(origin, causes[0]!) : undefined
  if (phrase !== undefined) return `${origin} ${phrase}${codes[0] === undefined ? "" : ` (${codes[0]})`}`
  return `${origin} gave no answer: ${[...new Set(causes.map(wordsOf))].join("; ")}`
}
