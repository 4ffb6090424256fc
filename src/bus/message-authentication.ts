/**
 * Authenticates messages between nodes with an HMAC-SHA256 (RFC 2104) over the place, the time and the text, under a
 * key derived from HUB_SECRET_KEY (HKDF, RFC 5869). Owns the signed form `h1.<epoch ms>.<mac>.<text>`. It hides
 * nothing: who can read Redis can read the texts. gap-detector.ts detects a text that comes twice.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { busMessageMillisMax } from "../limits/nodes.ts"

const form = "h1"
const purpose = "hub messages between nodes"
const macBytes = 32

/** Signs and verifies under one key. `place`: the channel or the name in Redis that the text is for. */
export interface MessageAuthentication {
  readonly sign: (place: string, text: string) => string
  /** The text; undefined unless it was signed for this place within the last 90 s by this node's clock. */
  readonly verify: (place: string, signed: string) => string | undefined
}

/** Derives the key from the hub's secret key (32 bytes). `now`: epoch milliseconds. */
export const messageAuthentication = (secretKey: Uint8Array, now: () => number): MessageAuthentication => {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", purpose, macBytes))
  // The length keeps the place and the text apart, whatever characters they hold.
  const macOf = (place: string, at: string, text: string): Buffer =>
    createHmac("sha256", key).update(`${form}\n${place.length}\n${place}\n${at}\n`).update(text).digest()

  return {
    sign: (place, text) => {
      const at = String(now())
      return `${form}.${at}.${macOf(place, at, text).toString("base64url")}.${text}`
    },
    verify: (place, signed) => {
      const [, at, mac] = /^h1\.(\d{1,16})\.([\w-]{43})\./u.exec(signed) ?? []
      if (at === undefined || mac === undefined) return undefined
      if (Math.abs(now() - Number(at)) > busMessageMillisMax) return undefined
      const text = signed.slice(form.length + at.length + mac.length + 3)
      const own = macOf(place, at, text).toString("base64url")
      return timingSafeEqual(Buffer.from(mac), Buffer.from(own)) ? text : undefined
    }
  }
}
