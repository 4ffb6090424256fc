/**
 * Dashboard tokens of the hub's own making: JWTs, EdDSA, one issuer, one audience. Owns their claims and how they are
 * signed and read; which keys sign is signing-keys.ts's, whether a session still lives is sessions.ts's.
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
 * What a dashboard token says. Times are epoch seconds; `authTime` is when the person signed in, whatever came after.
 */
export interface Claims {
  readonly accountId: string
  readonly sessionId: string
  readonly authTime: number | undefined
  readonly issuedAt: number
  readonly expiresAt: number
  /** The refreshes of the session before this token; undefined in one of an earlier version. */
  readonly generation?: number | undefined
}

/** A token for these claims. */
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

/** The key id a token names, without believing anything else of it; undefined when it is no JWT of the hub's kind. */
export const keyIdOf = (token: string): string | undefined => {
  try {
    const header = decodeProtectedHeader(token)
    return header.alg === algorithm ? header.kid : undefined
  } catch {
    return undefined
  }
}

/** What went wrong when a JWT is not accepted: told apart only into expired and everything else. */
export const refusalOf = (error: unknown): AuthInvalid | TokenExpired =>
  error instanceof errors.JWTExpired ? new TokenExpired() : new AuthInvalid()

/** A claim that is a whole number, of seconds mostly; undefined when it is missing or anything else. */
export const secondsOf = (claim: unknown): number | undefined =>
  typeof claim === "number" && Number.isSafeInteger(claim) && claim >= 0 ? claim : undefined

const claimsOf = (payload: JWTPayload): Claims | undefined => {
  const { sub, sid, iat, exp } = payload
  if (typeof sub !== "string" || typeof sid !== "string" || iat === undefined || exp === undefined) return undefined
  const [authTime, generation] = [secondsOf(payload["auth_time"]), secondsOf(payload["gen"])]
  return { accountId: sub, sessionId: sid, authTime, issuedAt: iat, expiresAt: exp, generation }
}

/** Reads a token signed with this key. */
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
