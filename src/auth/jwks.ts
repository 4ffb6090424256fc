/**
 * Verifies tokens of another issuer: keys come from a JWKS URL, settings name the claims. Owns the fetched key set,
 * which is cached and fetched no more often than a bound, also after failures; knows no account.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
  type RemoteJWKSet
} from "jose"
import { Config } from "../config.ts"
import { readEmailAddress } from "../domain/account/email-address.ts"
import { AuthInvalid, StoreFailed, type TokenExpired } from "../errors.ts"
import { identityMillisMax, jwksMillisMax, jwksRefetchMillisMin } from "../limits.ts"
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

/** The identity in a checked token; undefined when it names no subject or never ends. */
export const identityOf = (payload: JWTPayload, claimed: ClaimNames): Identity | undefined => {
  const subject = payload[claimed.account]
  const given = payload[claimed.email]
  if (typeof subject !== "string" || subject === "" || payload.exp === undefined) return undefined
  const address = typeof given === "string" && given !== "" ? readEmailAddress(given) : undefined
  return {
    issuer: payload.iss ?? "",
    subject,
    email: address !== undefined && Result.isSuccess(address) ? address.success.text : undefined,
    emailRefused: address !== undefined && Result.isFailure(address) ? address.failure : undefined,
    emailVerified: payload["email_verified"] === true,
    authTime: secondsOf(payload["auth_time"]),
    expiresAt: payload.exp
  }
}

interface Keys {
  readonly read: (token: string, now: number) => Promise<JWTPayload>
}

const keysAt = (url: string, options: { issuer: string | undefined; audience: string | undefined }): Keys => {
  const remote: RemoteJWKSet = createRemoteJWKSet(new URL(url), {
    timeoutDuration: identityMillisMax,
    cooldownDuration: jwksRefetchMillisMin,
    cacheMaxAge: jwksMillisMax
  })
  let failedAt: number | undefined
  const ensureFetched = async (now: number): Promise<void> => {
    if (remote.jwks() !== undefined) return
    // jose spaces successful fetches only; a failed one must not be repeated per caller either.
    if (failedAt !== undefined && now - failedAt < jwksRefetchMillisMin) throw new Error("the key set is away")
    try {
      await remote.reload()
      failedAt = undefined
    } catch (error) {
      failedAt = now
      throw error
    }
  }
  return {
    read: async (token, now) => {
      try {
        await ensureFetched(now)
      } catch (cause) {
        throw new StoreFailed({ operation: "fetch the key set", cause })
      }
      const { payload } = await jwtVerify(token, remote, {
        algorithms,
        currentDate: new Date(now),
        requiredClaims: ["exp"],
        ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
        ...(options.audience === undefined ? {} : { audience: options.audience })
      })
      return payload
    }
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
  const keys = keysAt(jwksUrl, { issuer: jwksIssuer, audience: jwksAudience })
  return Jwks.of({
    read: Effect.fnUntraced(function* (token: string) {
      if (!mayBeOf(token, jwksIssuer)) return yield* new AuthInvalid()
      const payload = yield* Effect.tryPromise({
        try: () => keys.read(token, clock.currentTimeMillisUnsafe()),
        catch: (error) => (error instanceof StoreFailed ? error : refusalOf(error))
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
