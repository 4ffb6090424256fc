/**
 * Verifies tokens of another issuer: settings name the claims. Owns what a foreign claim counts as; key-set.ts has the
 * keys. Knows no account.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { decodeJwt, decodeProtectedHeader, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose"
import { Config } from "../config.ts"
import { readEmailAddress } from "../domain/account/email-address.ts"
import { AuthInvalid, StoreFailed, TokenExpired } from "../errors.ts"
import { claimLeewaySeconds } from "../limits.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { NodeCost } from "../runtime/node-cost.ts"
import { type IssuerFetch, makeIssuerFetch } from "./issuer-fetch.ts"
import { keySetAt } from "./key-set.ts"
import { refusalOf, secondsOf } from "./session-tokens.ts"

/** Asymmetric signatures only: never `none`, never a shared secret. */
const algorithms = ["EdDSA", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"]

/** An identity as another issuer states it. Times are epoch seconds. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Undefined when the issuer gives none, or one that can name no account. */
  readonly email: string | undefined
  /** Why the given address is refused. */
  readonly emailRefused: string | undefined
  readonly emailVerified: boolean
  /** When the person signed in there; undefined when the issuer does not say, which never counts as recent. */
  readonly authTime: number | undefined
  readonly expiresAt: number
}

interface ClaimNames {
  readonly account: string
  readonly email: string
}

/** Who a claim names: a text, or a whole number, which counts as its decimal text. Undefined when it is neither. */
const subjectOf = (claim: unknown): string | undefined => {
  if (Number.isSafeInteger(claim)) return String(claim)
  return typeof claim === "string" && claim !== "" ? claim : undefined
}

/** What claims say of the address. Some issuers write `email_verified` as a text. */
export const addressOf = (
  claims: Readonly<Record<string, unknown>>,
  name: string
): Pick<Identity, "email" | "emailRefused" | "emailVerified"> => {
  const given = claims[name]
  const address = typeof given === "string" && given !== "" ? readEmailAddress(given) : undefined
  return {
    email: address !== undefined && Result.isSuccess(address) ? address.success.text : undefined,
    emailRefused: address !== undefined && Result.isFailure(address) ? address.failure : undefined,
    emailVerified: claims["email_verified"] === true || claims["email_verified"] === "true"
  }
}

/** The identity in a checked token; undefined when it names no subject or never ends. */
export const identityOf = (payload: JWTPayload, claimed: ClaimNames): Identity | undefined => {
  const subject = subjectOf(payload[claimed.account])
  if (subject === undefined || payload.exp === undefined) return undefined
  return {
    issuer: payload.iss ?? "",
    subject,
    ...addressOf(payload, claimed.email),
    authTime: secondsOf(payload["auth_time"]),
    expiresAt: payload.exp
  }
}

/** Reads tokens. An end is exact; only a beginning may lie ahead, by as much as the clocks of two machines differ. */
const makeRead = (
  fetch: IssuerFetch,
  url: string,
  clock: Clock.Clock,
  options: Pick<JWTVerifyOptions, "issuer" | "audience">
) => {
  const keys = keySetAt(fetch, url, () => monotonicMillis(clock))
  return async (token: string): Promise<JWTPayload> => {
    const now = clock.currentTimeMillisUnsafe()
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      currentDate: new Date(now),
      clockTolerance: claimLeewaySeconds,
      requiredClaims: ["exp"],
      ...options
    })
    if (payload.exp! * 1_000 <= now) throw new TokenExpired()
    return payload
  }
}

/** Whether a token can be of that issuer, before any verification: junk must not cause a fetch. */
const mayBeOf = (token: string, expected: string | undefined): boolean => {
  try {
    if (!algorithms.includes(decodeProtectedHeader(token).alg ?? "")) return false
    return expected === undefined || decodeJwt(token).iss === expected
  } catch {
    return false
  }
}

const make = Effect.gen(function* () {
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const { jwksUrl, jwksIssuer, jwksAudience } = settings
  const claimed = { account: settings.jwksAccountClaim, email: settings.jwksEmailClaim }
  if (jwksUrl === undefined) return Jwks.of({ read: () => Effect.fail(new AuthInvalid()) })
  const node = yield* NodeCost
  // of no account: who signs in has none yet
  const fetch = makeIssuerFetch((cost) => node.owe("", cost))
  const read = makeRead(fetch, jwksUrl, clock, {
    ...(jwksIssuer !== undefined && { issuer: jwksIssuer }),
    ...(jwksAudience !== undefined && { audience: jwksAudience })
  })
  return Jwks.of({
    read: Effect.fnUntraced(function* (token: string) {
      if (!mayBeOf(token, jwksIssuer)) return yield* new AuthInvalid()
      const payload = yield* Effect.tryPromise({
        try: () => read(token),
        catch: (error) => (error instanceof StoreFailed || error instanceof TokenExpired ? error : refusalOf(error))
      })
      const identity = identityOf(payload, claimed)
      return identity ?? (yield* new AuthInvalid())
    })
  })
})

/** Tokens of another issuer. */
export class Jwks extends Context.Service<
  Jwks,
  {
    /** Whom a token names. Everything is AuthInvalid when no JWKS URL is set. */
    readonly read: (token: string) => Effect.Effect<Identity, AuthInvalid | TokenExpired | StoreFailed>
  }
>()("hub/Jwks") {
  static readonly layer = Layer.effect(Jwks, make)
}
