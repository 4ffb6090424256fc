/**
 * The secrets of OAuth as text: authorization codes, access tokens, refresh tokens, secrets of clients. Owns their
 * shapes; only their hashes are stored.
 */
import { checksummedToken } from "../checksummed-token.ts"

export const authorizationCodes = checksummedToken("hubc_")
export const accessTokens = checksummedToken("huba_")
export const refreshTokens = checksummedToken("hubr_")
export const clientSecrets = checksummedToken("hubs_")
