/**
 * The cookies of sign-ins at a provider: one for each that a browser has begun, so that two tabs do not disturb one
 * another. Owns their names, attributes and number; what is sealed in them is src/auth's.
 */
import { createHash } from "node:crypto"
import { signInMillisMax, signInsPerBrowserMax } from "../../src/limits.ts"

const prefix = "hub_sign_in_"
/** A browser takes a cookie of this name from this host over https only, and for the whole of it. */
const prefixOverTls = `__Host-${prefix}`
const cookiePath = "/api/v1/auth"

/** Tells the sign-ins of a browser apart, without the state, which stands in no answer. */
const markOf = (state: string): string => createHash("sha256").update(state).digest("base64url").slice(0, 16)

/** The cookies, at `base`: the public URL, whose path precedes the hub's paths. */
export const signInCookies = (base: URL) => {
  const isTls = base.protocol === "https:"
  const path = isTls ? "/" : base.pathname.replace(/\/$/u, "") + cookiePath
  const rest = `HttpOnly; SameSite=Lax${isTls ? "; Secure" : ""}`
  const start = isTls ? prefixOverTls : prefix

  const set = (name: string, value: string, seconds: number): readonly [string, string] => [
    "set-cookie",
    `${name}=${value}; Path=${path}; Max-Age=${seconds}; ${rest}`
  ]

  /** Those that a browser sent, the oldest first: a name begins with the second in which its sign-in began. */
  const sent = (header: string | undefined): ReadonlyArray<readonly [name: string, value: string]> =>
    (header?.split(";") ?? [])
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(start) && pair.includes("="))
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))

  return {
    /** The headers that begin a sign-in: its own cookie, and the end of the oldest where a browser has too many. */
    begin: (state: string, value: string, header: string | undefined, nowMillis: number) => {
      const others = sent(header)
      const spare = others.slice(0, Math.max(0, others.length - signInsPerBrowserMax + 1))
      const name = `${start}${Math.floor(nowMillis / 1_000)}_${markOf(state)}`
      return [...spare.map(([old]) => set(old, "", 0)), set(name, value, signInMillisMax / 1_000)]
    },
    /** The cookie of a state, and the header that ends it; undefined when this browser did not begin it. */
    of: (state: string, header: string | undefined) => {
      const own = sent(header).find(([name]) => name.slice(name.indexOf("_", start.length) + 1) === markOf(state))
      return own && { value: own[1], end: set(own[0], "", 0) }
    }
  }
}
