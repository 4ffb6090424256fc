/**
 * Invitations as text: `hubi_`, 30 random base62 characters and a CRC-32 over them in 6. Owns the shape, which refuses
 * junk before any look-up. Never sees a store.
 */
import { checksummedToken } from "./checksummed-token.ts"

const token = checksummedToken("hubi_")

/** A new token. Shown once; only its hash is kept. */
export const makeInvitationToken = (): string => token.make()

/** Whether a text has the shape of such a token and a checksum that fits. */
export const isInvitationToken = (text: string): boolean => token.isValid(text)
