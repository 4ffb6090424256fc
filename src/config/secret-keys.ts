/**
 * The keys in HUB_SECRET_KEY, or in secret.key of the data folder: the first seals, each opens. Owns their form in text
 * (base64, commas between) and in memory: one after another, 32 bytes each.
 */
import { secretKeysMax } from "../limits/secrets.ts"

/** The length of one key. */
export const secretKeyBytes = 32

/** The keys of a text, one after another; undefined where one is no key, or there are too many. */
export const readSecretKeys = (text: string): Uint8Array | undefined => {
  const parts = text.split(",").map((part) => part.trim())
  if (parts.length > secretKeysMax) return undefined
  if (!parts.every((part) => /^[A-Za-z0-9+/_-]{42,43}=?$/u.test(part))) return undefined
  const keys = parts.map((part) => Buffer.from(part, "base64"))
  return keys.every((key) => key.length === secretKeyBytes) ? new Uint8Array(Buffer.concat(keys)) : undefined
}

/** Each key by itself, in their order. */
export const keysOf = (secretKey: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: secretKey.length / secretKeyBytes }, (_, at) =>
    secretKey.subarray(at * secretKeyBytes, (at + 1) * secretKeyBytes)
  )
