/**
 * Binds a one-time code to the browser that began the sign-in: a verifier that only its dashboard has, and the
 * challenge made from it (RFC 7636, S256). Owns their shapes and the comparison; stores nothing. Pure.
 */
import { hash, timingSafeEqual } from "node:crypto"

/** A challenge: a SHA-256 in base64url. */
export const challengeShape = /^[A-Za-z0-9_-]{43}$/u
/** A verifier: 43 to 128 unreserved characters. */
export const verifierShape = /^[A-Za-z0-9._~-]{43,128}$/u

/** The challenge of a verifier. */
export const challengeOf = (verifier: string): string => hash("sha256", verifier, "base64url")

/**
 * Whether a code is bound to this verifier. A code without a challenge accepts no verifier: an attacker who plants a
 * code could omit the challenge, and a dashboard that sends its verifier would not notice.
 */
export const isBoundTo = (challenge: string | null, verifier: string | undefined): boolean => {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  const [given, wanted] = [Buffer.from(challengeOf(verifier)), Buffer.from(challenge)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
