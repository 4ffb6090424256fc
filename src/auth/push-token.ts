/**
 * The tokens of a push message as text, each for one question and one decision: `hubp_`, 30 random base62 characters
 * and a CRC-32 over them in 6. Owns the shape, which refuses junk before any look-up. Never sees a store.
 */
import { checksummedToken } from "./checksummed-token.ts"

const token = checksummedToken("hubp_")

/** A new token. Its browser alone is sent it; only its hash is kept. */
export const makePushToken = (): string => token.make()

/** Whether a text has the shape of such a token and a checksum that fits. */
export const isPushToken = (text: string): boolean => token.isValid(text)
