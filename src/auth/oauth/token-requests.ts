/**
 * The token endpoint without its HTTP: who asks, for which grant, and what is answered (OAuth 2.1, 3.2; RFC 7009). Owns
 * the order of checks and the errors; the store has each secret taken once. No answer tells an unknown secret from one
 * of another client.
 */
import { Clock, Effect } from "effect"
import type { Bus } from "../../bus/bus.ts"
import { Config } from "../../config.ts"
import { newId } from "../../domain/ids.ts"
import { doubledIn } from "../../domain/oauth/form.ts"
import { askedScopes, narrowedTo, offlineAccess } from "../../domain/oauth/granted-scopes.ts"
import { accessTokenMillis, grantIdleMillis } from "../../limits/oauth.ts"
import { toEffect } from "../../runtime/maybe-sync.ts"
import type { Code, Grant, NewTokens, Taken } from "../../store/oauth/grant-rows.ts"
import { Grants } from "../../store/oauth/grants.ts"
import { hashCredential, isKey } from "../api-key.ts"
import { Authenticator } from "../authenticator.ts"
import { isBoundTo, verifierShape } from "../challenge.ts"
import { grantEnded } from "../credential-ending.ts"
import {
  credentialsOf,
  type FormRequest,
  makeClientAuthentication,
  refuse,
  type TokenAnswer,
  wrongClient
} from "./client-authentication.ts"
import type { Issuer } from "./issuer.ts"
import { isKeyToken, makeKeyTokens } from "./key-tokens.ts"
import { accessTokens, authorizationCodes, refreshTokens } from "./secrets.ts"

const foreign = refuse("invalid_target", "The hub has no such resource.")
const unknown = refuse("invalid_grant", "It is unknown, used, over, or was made for another request.")
const answerOf = (tokens: Minted, { scopes }: Grant): TokenAnswer => ({
  access_token: tokens.access,
  token_type: "Bearer",
  expires_in: accessTokenMillis / 1_000,
  ...(tokens.refresh !== undefined && { refresh_token: tokens.refresh }),
  scope: [...scopes, ...(tokens.refresh === undefined ? [] : [offlineAccess])].join(" ")
})

/** New tokens, as their client gets them and as they are stored. */
interface Minted {
  readonly access: string
  readonly refresh: string | undefined
  readonly stored: NewTokens
}

const mint = (now: number, offline: boolean): Minted => {
  const [access, refresh] = [accessTokens.make(), offline ? refreshTokens.make() : undefined]
  const accessExpiresAt = now + accessTokenMillis
  const stored = {
    access: hashCredential(access),
    accessExpiresAt,
    refresh: refresh && hashCredential(refresh),
    grantExpiresAt: offline ? now + grantIdleMillis : accessExpiresAt
  }
  return { access, refresh, stored }
}

const fitsCode = (code: Code, clientId: string, { form }: FormRequest): boolean => {
  // OAuth 2.1 no longer asks for it; where it comes it must be the same
  const redirectUri = form.get("redirect_uri") ?? code.redirectUri
  const isSame = code.clientId === clientId && code.redirectUri === redirectUri
  return isSame && isBoundTo(code.challenge, form.get("code_verifier") ?? "")
}

/** The grant of a secret that was taken. One that was used before has ended its grant with all that goes on by it. */
const grantOf = Effect.fnUntraced(function* (taken: Taken) {
  if (taken.state === "granted") return taken.grant
  if (taken.state === "reused") {
    yield* Effect.logWarning("a grant is ended: a code or refresh token of it was used twice", { grant: taken.grantId })
    yield* grantEnded(taken)
  }
  return yield* unknown
})

/** Whether a form asks for a resource that is not this hub's. */
const isForeign = (form: URLSearchParams, { resources }: Issuer): boolean =>
  form.getAll("resource").some((one) => !resources.includes(one))

/**
 * Builds what answers a service account (OAuth 2.1, 4.2), which has one of its API keys for a secret. Its token is good
 * for less than the key, and for no longer; there is no refresh, since the key stays.
 */
const makeServiceAccountRequests = Effect.fnUntraced(function* (issuer: Issuer) {
  const authenticator = yield* Authenticator
  const keyTokens = makeKeyTokens((yield* Config).secretKey)
  const clock = yield* Clock.Clock

  return Effect.fnUntraced(function* (request: FormRequest) {
    const given = credentialsOf(request)
    if ("_tag" in given) return yield* given
    const [id, key] = given
    if (isForeign(request.form, issuer)) return yield* foreign
    if (!isKey(key)) return yield* wrongClient
    const principal = yield* Effect.mapError(toEffect(authenticator.authenticate(key)), (failure) =>
      failure._tag === "Overloaded" || failure._tag === "StoreFailed" ? failure : wrongClient
    )
    if (principal.serviceAccount !== id) return yield* wrongClient
    const asked = askedScopes(request.form.get("scope") ?? undefined)
    const scopes = narrowedTo(asked?.scopes ?? [], principal.scopes)
    if (scopes.length === 0) return yield* refuse("invalid_scope", "The key has none of these scopes.")
    const expiresAt = clock.currentTimeMillisUnsafe() + accessTokenMillis
    return {
      access_token: keyTokens.issue({ keyHash: hashCredential(key), expiresAt, scopes }),
      token_type: "Bearer",
      expires_in: accessTokenMillis / 1_000,
      scope: scopes.join(" ")
    } satisfies TokenAnswer
  })
})

/** Builds the requests of an issuer. */
export const makeTokenRequests = Effect.fnUntraced(function* (issuer: Issuer) {
  const byServiceAccount = yield* makeServiceAccountRequests(issuer)
  const grants = yield* Grants
  const clientOf = yield* makeClientAuthentication
  const ending = yield* Effect.context<Bus>()
  const clock = yield* Clock.Clock
  const granted = (taken: Taken) => Effect.provideContext(grantOf(taken), ending)

  const byCode = Effect.fnUntraced(function* (request: FormRequest, clientId: string) {
    const { form } = request
    const code = form.get("code") ?? ""
    if (code === "") return yield* refuse("invalid_request", "code is missing.")
    if (!verifierShape.test(form.get("code_verifier") ?? ""))
      return yield* refuse("invalid_request", "code_verifier is missing, or none of 43 to 128 characters.")
    if (!authorizationCodes.isValid(code)) return yield* unknown
    const now = clock.currentTimeMillisUnsafe()
    const wanted = form.getAll("resource")
    let isOther = false
    let minted: Minted | undefined
    const fits = (held: Code) => {
      if (!fitsCode(held, clientId, request)) return false
      isOther = wanted.some((one) => one !== held.resource)
      return !isOther
    }
    const tokensOf = ({ offline }: Code) => {
      minted = mint(now, offline)
      return minted.stored
    }
    const redeemed = grants.redeem(hashCredential(code), now, fits, newId("grant"), tokensOf)
    const taken = yield* Effect.catchTag(redeemed, "ConnectedAppLimitReached", ({ limit }) =>
      Effect.fail(refuse("invalid_grant", `The account has ${limit} connected apps already.`))
    )
    if (isOther) return yield* refuse("invalid_target", "The code was made for another resource.")
    const grant = yield* granted(taken)
    return answerOf(minted!, grant)
  })

  const byRefreshToken = Effect.fnUntraced(function* ({ form }: FormRequest, clientId: string) {
    const token = form.get("refresh_token") ?? ""
    if (token === "") return yield* refuse("invalid_request", "refresh_token is missing.")
    if (isForeign(form, issuer)) return yield* foreign
    if (!refreshTokens.isValid(token)) return yield* unknown
    const now = clock.currentTimeMillisUnsafe()
    const minted = mint(now, true)
    // the scope that it may ask for is left alone: a client that repeats its first wish would lose what it has
    const grant = yield* Effect.flatMap(grants.refresh(hashCredential(token), now, clientId, minted.stored), granted)
    return answerOf(minted, grant)
  })

  return {
    token: Effect.fnUntraced(function* (request: FormRequest) {
      const doubled = doubledIn(request.form)
      if (doubled !== undefined) return yield* refuse("invalid_request", `${doubled} is given twice.`)
      const type = request.form.get("grant_type") ?? ""
      if (type === "") return yield* refuse("invalid_request", "grant_type is missing.")
      if (type === "client_credentials") return yield* byServiceAccount(request)
      if (type !== "authorization_code" && type !== "refresh_token")
        return yield* refuse("unsupported_grant_type", "It is authorization_code, refresh_token or client_credentials.")
      const clientId = yield* clientOf(request)
      return yield* type === "authorization_code" ? byCode(request, clientId) : byRefreshToken(request, clientId)
    }),

    /** Ends the grant of a token. One that is unknown is over already; one of a key is kept nowhere, and stays. */
    revoke: Effect.fnUntraced(function* (request: FormRequest) {
      const token = request.form.get("token") ?? ""
      if (token === "" || doubledIn(request.form) !== undefined)
        return yield* refuse("invalid_request", "token is missing, or something is given twice.")
      if (isKeyToken(token))
        return yield* refuse("unsupported_token_type", "It ends with the API key that it was got for: revoke that key.")
      const isNamed = request.authorization !== "" || request.form.has("client_id")
      const clientId = isNamed ? yield* clientOf(request) : undefined
      if (!accessTokens.isValid(token) && !refreshTokens.isValid(token)) return
      const ended = yield* grants.endByToken(hashCredential(token), clientId)
      if (ended !== undefined) yield* Effect.provideContext(grantEnded(ended), ending)
    })
  }
})
