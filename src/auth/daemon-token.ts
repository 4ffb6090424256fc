/**
 * Daemon tokens as text: `hubd_`, 30 base62 characters of chance, 6 of CRC-32 over them. Owns the shape; what is stored
 * of one is its hash (api-key.ts). Never sees a store.
 */
import { checked } from "./checksummed-token.ts"

const token = checked("hubd_")

/** A new daemon token. Shown once; only its hash is kept. */
export const makeDaemonToken = (): string => token.make()

/** Whether a text can be a daemon token at all: junk is refused before any look-up. */
export const isDaemonToken = (text: string): boolean => token.is(text)
