/**
 * Which messages between nodes are the hub's own: each carries an HMAC-SHA256 (RFC 2104) over where it was sent, when,
 * and its text, under a key derived from HUB_SECRET_KEY (HKDF, RFC 5869). Owns the signed form `h1.<epoch
 * ms>.<mac>.<text>`; hides nothing: who can read Redis reads the texts. A text that comes twice is noticed by its
 * number (gap-detector.ts).
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { busMessageMillisMax } from "../limits/nodes.ts"

const form = "h1"
const purpose = "hub messages between nodes"
const macBytes = 32

/** Signs and checks under one key. `place`: the channel, or the name in Redis, that the text is for. */
export interface MessageAuthentication {
  readonly sign: (place: string, text: string) => string
  /** The text; undefined when it was not signed so, for this place, within the last 90 s by this node's clock. */
  readonly verify: (place: string, signed: string) => string | undefined
}

/** From the hub's secret key (32 bytes). `now`: epoch milliseconds. */
export const messageAuthentication = (secretKey: Uint8Array, now: () => number): MessageAuthentication => {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", purpose, macBytes))
  // The length keeps a place and a text apart wherever the border between them lies.
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
