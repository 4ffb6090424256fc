/**
 * Credentials as text: a prefix, 30 base62 characters of chance, 6 of CRC-32 over them, so that junk and slips are
 * refused before any look-up. Owns that shape; knows neither keys nor tokens and sees no store.
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

const chance = (): string => {
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

/** One kind of credential: how one is made, and whether a text can be one at all. */
export interface Checked {
  readonly make: () => string
  readonly is: (text: string) => boolean
}

/** The kind of credential that begins with `prefix`. */
export const checked = (prefix: string): Checked => {
  const shape = /^([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/u
  const length = prefix.length + secretLength + checkLength
  return {
    make: () => {
      const secret = chance()
      return `${prefix}${secret}${checksum(secret)}`
    },
    is: (text) => {
      // The length first: a text of 10 KB is refused without running the expression over it.
      if (text.length !== length || !text.startsWith(prefix)) return false
      const parts = shape.exec(text.slice(prefix.length))
      return parts !== null && checksum(parts[1]!) === parts[2]
    }
  }
}
