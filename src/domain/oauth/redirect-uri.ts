/**
 * The addresses at which clients are answered: which may be registered, and which request fits which. Owns that the
 * comparison is exact but for the port of this computer (RFC 8252, 7.3). Pure.
 */
import { redirectUriCharsMax } from "../../limits/oauth.ts"

/** Where a redirect leads. `loopback`: to a program of the person's own computer; `app`: by a scheme of its own. */
export interface Redirect {
  readonly kind: "web" | "loopback" | "app"
  /** What a person is shown of it: `claude.ai`, `localhost`, `cursor://anysphere.cursor-mcp`. */
  readonly host: string
}

/** Printable ASCII, without what parsers of addresses read differently. */
const plain = /^[\x21-\x7e]+$/u
const ambiguous = /[\\"<>^`{|}#]/u
const ownScheme = /^([a-z][a-z0-9+.-]*):\/[^/]|^([a-z][a-z0-9+.-]*):\/\/[^/?]/u
/** Schemes that a browser runs, shows or hands to the system itself. */
const unfit =
  /^(?:javascript|data|vbscript|blob|file|filesystem|about|view-source|jar|resource|https?|wss?|ftps?|gopher|ldaps?|mailto|tel|sms|news|nntp|intent|android-app|market|shell|search|search-ms|ms-.*|chrome.*|edge|moz-.*|safari.*|x-apple.*|itms.*)$/u

/** With the port apart from the rest. */
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?(?=[/?]|$)(.*)$/u

const isOwnScheme = (text: string): boolean => {
  const [, one, other] = ownScheme.exec(text) ?? []
  const scheme = one ?? other
  return scheme !== undefined && !unfit.test(scheme)
}

/** Reads one; undefined: no client may have it. */
export const readRedirectUri = (text: string): Redirect | undefined => {
  if (text.length > redirectUriCharsMax || !plain.test(text) || ambiguous.test(text)) return undefined
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, hostname, host } = new URL(text)
  if (username !== "" || password !== "") return undefined
  if (protocol === "https:") {
    // a browser would read `https:/x` and `HTTPS://x` too: one spelling only
    if (!text.startsWith("https://")) return undefined
    return /(?:^|\.)localhost\.?$|^127\.|^\[::1\]$/u.test(hostname)
      ? { kind: "loopback", host: hostname }
      : { kind: "web", host }
  }
  if (protocol === "http:") return loopback.test(text) ? { kind: "loopback", host: hostname } : undefined
  return isOwnScheme(text) ? { kind: "app", host: host === "" ? protocol : `${protocol}//${host}` } : undefined
}

const fits = (registered: string, given: string): boolean => {
  if (registered === given) return true
  const [, host, , rest] = loopback.exec(registered) ?? []
  const [, givenHost, , givenRest] = loopback.exec(given) ?? []
  // `http://localhost` and `http://localhost/` are one address
  return host !== undefined && host === givenHost && (rest || "/") === (givenRest || "/")
}

/** Whether a client may be answered there. */
export const mayRedirectTo = (registered: ReadonlyArray<string>, given: string): boolean =>
  readRedirectUri(given) !== undefined && registered.some((one) => fits(one, given))

/** The address with these members of its query added. */
export const redirectWith = (redirectUri: string, members: Readonly<Record<string, string | undefined>>): string => {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) if (value !== undefined) added.set(name, value)
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${added}`
}
