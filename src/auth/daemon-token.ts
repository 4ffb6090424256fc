/**
 * Daemon tokens as text: `hubd_`, 30 random base62 characters and a CRC-32 over them in 6. Owns the shape, which
 * refuses junk before any look-up. Never sees a store.
 */
import { checksummedToken } from "./checksummed-token.ts"

const token = checksummedToken("hubd_")

/** A new daemon token. Shown once; only its hash is kept. */
export const makeDaemonToken = (): string => token.make()

/** Whether a text has the shape of a daemon token and a checksum that fits. */
export const isDaemonToken = (text: string): boolean => token.isValid(text)
