/**
 * The cookie in which a browser keeps the console's session. Owns its name, its attributes, and what of a browser's
 * cookies is one: only this host can have set it where the hub is at the root of an https address.
 */
import { oldConsoleCookieBefore } from "../../src/limits/gate.ts"

/** Where a tab gets its session from. */
const consoleSessionPath = "/console/session"
const name = "hub_console"

/** A token that a browser sent. `isOld`: under a name that another host of the site can set, too. */
export interface KeptToken {
  readonly token: string
  readonly isOld: boolean
}

type Header = readonly [name: string, value: string]

/** Whether a session, by its login in epoch seconds, may be kept under the old name still. */
export const mayBeOld = (authTime: number | undefined): boolean =>
  authTime !== undefined && authTime * 1_000 < oldConsoleCookieBefore

/** The cookie at `base`, the public URL, whose path precedes the hub's paths. */
export const consoleCookie = (base: URL | undefined) => {
  const isTls = base?.protocol === "https:"
  const below = (base?.pathname ?? "").replace(/\/$/u, "")
  const isOfHost = isTls && below === ""
  const old = { name: isTls ? `__Secure-${name}` : name, path: below + consoleSessionPath }
  // the prefix wants the whole host for its path; another program below it is not to have the token
  const own = isOfHost ? { name: `__Host-${name}`, path: "/" } : old
  const line = (of: typeof own, value: string, seconds: number): Header => [
    "set-cookie",
    `${of.name}=${value}; Max-Age=${seconds}; Path=${of.path}; HttpOnly; SameSite=Strict${isTls ? "; Secure" : ""}`
  ]
  const find = (header: string, of: string): string | undefined =>
    header
      .split(";")
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(`${of}=`))
      ?.slice(of.length + 1)

  return {
    /** The headers that keep a token for so long; one under the old name ends. */
    set: (value: string, seconds: number): ReadonlyArray<Header> => [
      line(own, value, seconds),
      ...(isOfHost ? [line(old, "", 0)] : [])
    ],
    read: (header = ""): KeptToken | undefined => {
      const token = find(header, own.name)
      if (token !== undefined) return { token, isOld: false }
      const before = isOfHost ? find(header, old.name) : undefined
      return before === undefined ? undefined : { token: before, isOld: true }
    }
  }
}
