/**
 * API keys as text: `hub_`, 30 random base62 characters and a CRC-32 over them in 6. Owns the shape, which refuses junk
 * before any look-up, and the hash that is stored of any credential. Never sees a store.
 */
import { hash } from "node:crypto"
import { checksummedToken } from "./checksummed-token.ts"

const key = checksummedToken("hub_")
const shownLength = 12

/** A new API key. Shown once; only its hash is kept. */
export const makeKey = (): string => key.make()

/** Whether a text has the shape of an API key and a checksum that fits. */
export const isKey = (text: string): boolean => key.isValid(text)

/** What is stored of a credential: its SHA-256 in lower-case hex. */
export const hashCredential = (text: string): string => hash("sha256", text, "hex")

/** The first characters of a key; its record shows them so that its owner can tell keys apart. */
export const shownPrefix = (key: string): string => key.slice(0, shownLength)
