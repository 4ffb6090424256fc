/**
 * API keys as text: `hub_`, 30 base62 characters of chance, 6 of CRC-32 over them. Owns the shape, so that junk is
 * refused before any look-up, and the hash that is stored. Never sees a store.
 */
import { hash, randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const secretLength = 30
const checkLength = 6
const shownLength = 12
const shape = /^hub_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/u
const keyLength = "hub_".length + secretLength + checkLength

const checksum = (secret: string): string => {
  let rest = crc32(secret)
  let text = ""
  for (let at = 0; at < checkLength; at++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** A new API key. Shown once; only its hash is kept. */
export const makeKey = (): string => {
  let secret = ""
  while (secret.length < secretLength) {
    for (const byte of randomBytes(secretLength * 2)) {
      if (byte >= 248) continue // 248 = 4 × 62: what is above would make some characters likelier
      secret += alphabet[byte % 62]
      if (secret.length === secretLength) break
    }
  }
  return `hub_${secret}${checksum(secret)}`
}

/** Whether a text can be an API key at all: the right shape and a checksum that fits. */
export const isKey = (text: string): boolean => {
  if (text.length !== keyLength) return false
  const parts = shape.exec(text)
  return parts !== null && checksum(parts[1]!) === parts[2]
}

/** What is stored of a credential: its SHA-256 in lower-case hex. */
export const hashCredential = (text: string): string => hash("sha256", text, "hex")

/** The first characters of a key, which its record shows so that a person can tell keys apart. */
export const shownPrefix = (key: string): string => key.slice(0, shownLength)
