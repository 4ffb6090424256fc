/**
 * The hub's own dashboard tokens: JWTs, EdDSA, one issuer, one audience. Owns their claims, signing and verification.
 * signing-keys.ts owns the keys, sessions.ts whether a session is live.
 */
import { Effect } from "effect"
import { type CryptoKey, decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from "jose"
import { AuthInvalid, TokenExpired } from "../errors.ts"

/** The `iss` of the hub's own tokens. */
export const issuer = "hub"
/** The only `aud` the hub's own tokens carry and are accepted with. */
export const audience = "hub:dashboard"
/** The algorithm of the hub's own tokens. */
export const algorithm = "EdDSA"

/**
 * The claims of a dashboard token. Times are epoch seconds; `authTime` is when the person signed in, and refreshes keep
 * it.
 */
export interface Claims {
  readonly accountId: string
  readonly sessionId: string
  readonly authTime: number | undefined
  readonly issuedAt: number
  readonly expiresAt: number
  /** How many refreshes of the session precede this token; undefined in a token of an earlier version. */
  readonly generation?: number | undefined
}

/** Signs a token with these claims. */
export const signToken = (claims: Claims, key: { readonly kid: string; readonly privateKey: CryptoKey }) =>
  Effect.promise(() =>
    new SignJWT({
      sid: claims.sessionId,
      ...(claims.authTime === undefined ? {} : { auth_time: claims.authTime }),
      ...(claims.generation === undefined ? {} : { gen: claims.generation })
    })
      .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: "JWT" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(claims.accountId)
      .setIssuedAt(claims.issuedAt)
      .setExpirationTime(claims.expiresAt)
      .sign(key.privateKey)
  )

/** The key id that an unverified token names; undefined when it is no JWT of the hub's kind. */
export const keyIdOf = (token: string): string | undefined => {
  try {
    const header = decodeProtectedHeader(token)
    return header.alg === algorithm ? header.kid : undefined
  } catch {
    return undefined
  }
}

/** Why a JWT is refused: expired, or anything else. */
export const refusalOf = (error: unknown): AuthInvalid | TokenExpired =>
  error instanceof errors.JWTExpired ? new TokenExpired() : new AuthInvalid()

/** A claim that is a whole number, mostly of seconds; undefined when it is missing or anything else. */
export const secondsOf = (claim: unknown): number | undefined =>
  typeof claim === "number" && Number.isSafeInteger(claim) && claim >= 0 ? claim : undefined

const claimsOf = (payload: JWTPayload): Claims | undefined => {
  const { sub, sid, iat, exp } = payload
  if (typeof sub !== "string" || typeof sid !== "string" || iat === undefined || exp === undefined) return undefined
  const [authTime, generation] = [secondsOf(payload["auth_time"]), secondsOf(payload["gen"])]
  return { accountId: sub, sessionId: sid, authTime, issuedAt: iat, expiresAt: exp, generation }
}

/** Verifies and reads a token signed with this key. */
export const readToken = (
  token: string,
  publicKey: CryptoKey,
  nowMillis: number
): Effect.Effect<Claims, AuthInvalid | TokenExpired> =>
  Effect.tryPromise({
    try: () =>
      jwtVerify(token, publicKey, {
        algorithms: [algorithm],
        issuer,
        audience,
        requiredClaims: ["sub", "sid", "iat", "exp"],
        currentDate: new Date(nowMillis)
      }),
    catch: refusalOf
  }).pipe(
    Effect.flatMap(({ payload }) => {
      const claims = claimsOf(payload)
      return claims === undefined ? Effect.fail(new AuthInvalid()) : Effect.succeed(claims)
    })
  )
