/**
 * API keys as text: `hub_`, 30 base62 characters of chance, 6 of CRC-32 over them. Owns the shape, so that junk is
 * refused before any look-up, and the hash that is stored of any credential. Never sees a store.
 */
import { hash } from "node:crypto"
import { checked } from "./checksummed-token.ts"

const key = checked("hub_")
const shownLength = 12

/** A new API key. Shown once; only its hash is kept. */
export const makeKey = (): string => key.make()

/** Whether a text can be an API key at all: the right shape and a checksum that fits. */
export const isKey = (text: string): boolean => key.is(text)

/** What is stored of a credential: its SHA-256 in lower-case hex. */
export const hashCredential = (text: string): string => hash("sha256", text, "hex")

/** The first characters of a key, which its record shows so that a person can tell keys apart. */
export const shownPrefix = (key: string): string => key.slice(0, shownLength)
