/**
 * Join keys as text: `hubj_`, 30 random base62 characters and a CRC-32 over them in 6. Owns the shape, which refuses
 * junk before any look-up. Never sees a store.
 */
import { checksummedToken } from "./checksummed-token.ts"

const token = checksummedToken("hubj_")

/** A new join key. Shown once; only its hash is kept. */
export const makeJoinKey = (): string => token.make()

/** Whether a text has the shape of a join key and a checksum that fits. */
export const isJoinKey = (text: string): boolean => token.isValid(text)
