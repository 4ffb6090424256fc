/**
 * Credentials as text: a prefix, 30 random base62 characters and a CRC-32 over them in 6, so that junk and typing
 * errors are refused before any look-up. Owns that shape, and the prefixes of the kinds that have no more to them. Each
 * is shown once, and only its hash is kept; sees no store.
 */
import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const secretLength = 30
const checkLength = 6

const checksum = (secret: string): string => {
  let rest = crc32(secret)
  let text = ""
  for (let at = 0; at < checkLength; at++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

const randomSecret = (): string => {
  let secret = ""
  while (secret.length < secretLength) {
    for (const byte of randomBytes(secretLength * 2)) {
      if (byte >= 248) continue // 248 = 4 × 62: what is above would make some characters likelier
      secret += alphabet[byte % 62]
      if (secret.length === secretLength) break
    }
  }
  return secret
}

/** One kind of credential: makes one, and tells whether a text can be one. */
interface ChecksummedToken {
  readonly make: () => string
  readonly isValid: (text: string) => boolean
}

/** The kind of credential that begins with `prefix`. */
export const checksummedToken = (prefix: string): ChecksummedToken => {
  const shape = /^([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/u
  const length = prefix.length + secretLength + checkLength
  return {
    make: () => {
      const secret = randomSecret()
      return `${prefix}${secret}${checksum(secret)}`
    },
    isValid: (text) => {
      // The length first: a text of 10 KB is refused without running the expression over it.
      if (text.length !== length || !text.startsWith(prefix)) return false
      const parts = shape.exec(text.slice(prefix.length))
      return parts !== null && checksum(parts[1]!) === parts[2]
    }
  }
}

export const daemonTokens = checksummedToken("hubd_")
export const joinKeyTokens = checksummedToken("hubj_")
export const invitationTokens = checksummedToken("hubi_")
/** Of a push message, each for one question and one decision. */
export const pushTokens = checksummedToken("hubp_")

// a longer prefix would make the time for a text of nothing but prefixes grow with its square
const anywhere = new RegExp(`(hub[a-z]{0,4}_)[0-9A-Za-z]{${secretLength + checkLength}}`, "gu")

/** Sealed ones (src/auth/oauth/key-tokens.ts) have another shape. */
const sealed = /(hubt_)[\w.-]{16,}/gu

/** A text without the credentials of the hub that stand in it: what is left of each is its prefix. */
export const withoutCredentials = (text: string): string => text.replace(anywhere, "$1…").replace(sealed, "$1…")
