/**
 * Whether a failure of openid-client says that the provider is away, and nothing of the person who signs in: no answer,
 * one that is too large, a 5xx or 429, or the provider's own word for it. Owns this judgement; sends nothing.
 */
import * as client from "openid-client"
import { IssuerAnswerTooLarge } from "./issuer-fetch.ts"

const words: ReadonlySet<string> = new Set(["temporarily_unavailable", "server_error"])
const saysAway = (status: number): boolean => status >= 500 || status === 429

/** Judges what openid-client threw. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof client.AuthorizationResponseError) return words.has(error.error)
  if (error instanceof client.ResponseBodyError) return saysAway(error.status) || words.has(error.error)
  if (error instanceof client.ClientError) {
    if (error.cause instanceof IssuerAnswerTooLarge) return true
    if (error.code === "OAUTH_TIMEOUT") return true
    return error.cause instanceof Response && saysAway(error.cause.status)
  }
  // fetch says so of each connection that fails; a TypeError of another kind has no cause
  return error instanceof TypeError && error.cause !== undefined && !("code" in error)
}
