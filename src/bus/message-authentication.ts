/**
 * Authenticates messages between nodes with an HMAC-SHA256 (RFC 2104) over the place, the time and the text, under a
 * key derived from HUB_SECRET_KEY (HKDF, RFC 5869). Owns the signed form `h1.<epoch ms>.<mac>.<text>`. It hides
 * nothing: who can read Redis can read the texts. gap-detector.ts detects a text that comes twice.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { keysOf } from "../config/secret-keys.ts"
import { busMessageMillisMax } from "../limits/nodes.ts"

const form = "h1"
const purpose = "hub messages between nodes"
const macBytes = 32

/** Signs under one key, verifies under each. `place`: the channel or the name in Redis that the text is for. */
export interface MessageAuthentication {
  readonly sign: (place: string, text: string) => string
  /** The text; undefined unless it was signed for this place within the last 90 s by this node's clock. */
  readonly verify: (place: string, signed: string) => string | undefined
}

/**
 * Derives a key from each of the hub's secret keys: the first signs, each verifies, so that nodes may be given a new
 * one in turn. `now`: epoch milliseconds.
 */
export const messageAuthentication = (secretKey: Uint8Array, now: () => number): MessageAuthentication => {
  const keys = keysOf(secretKey).map((one) => Buffer.from(hkdfSync("sha256", one, "", purpose, macBytes)))
  // The length keeps the place and the text apart, whatever characters they hold.
  const macOf = (key: Buffer, place: string, at: string, text: string): Buffer =>
    createHmac("sha256", key).update(`${form}\n${place.length}\n${place}\n${at}\n`).update(text).digest()

  return {
    sign: (place, text) => {
      const at = String(now())
      return `${form}.${at}.${macOf(keys[0]!, place, at, text).toString("base64url")}.${text}`
    },
    verify: (place, signed) => {
      const [, at, mac] = /^h1\.(\d{1,16})\.([\w-]{43})\./u.exec(signed) ?? []
      if (at === undefined || mac === undefined) return undefined
      if (Math.abs(now() - Number(at)) > busMessageMillisMax) return undefined
      const text = signed.slice(form.length + at.length + mac.length + 3)
      const isOf = (key: Buffer): boolean =>
        timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, place, at, text).toString("base64url")))
      return keys.some(isOf) ? text : undefined
    }
  }
}
