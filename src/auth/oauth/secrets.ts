/**
 * The secrets of OAuth as text: authorization codes, access tokens, refresh tokens, secrets of clients. Owns their
 * shapes; only their hashes are stored.
 */
import { checksummedToken } from "../checksummed-token.ts"
import { isKeyToken } from "./key-tokens.ts"

export const authorizationCodes = checksummedToken("hubc_")
export const accessTokens = checksummedToken("huba_")
export const refreshTokens = checksummedToken("hubr_")
export const clientSecrets = checksummedToken("hubs_")

/** Whether a bearer is an access token, which is good for agents' calls alone. */
export const isAccessToken = (bearer: string): boolean => accessTokens.isValid(bearer) || isKeyToken(bearer)
