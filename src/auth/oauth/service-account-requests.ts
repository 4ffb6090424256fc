/**
 * The token request of a service account (OAuth 2.1, 4.2), which has one of its API keys for a secret. Owns that the
 * token is good for less than the key, and for no longer; without a refresh, since the key stays.
 */
import { Clock, Effect } from "effect"
import { Config } from "../../config.ts"
import { askedScopes, narrowedTo } from "../../domain/oauth/granted-scopes.ts"
import { accessTokenMillis } from "../../limits/oauth.ts"
import { toEffect } from "../../runtime/maybe-sync.ts"
import { hashCredential, isKey } from "../api-key.ts"
import { Authenticator } from "../authenticator.ts"
import { credentialsOf, type FormRequest, refuse, type TokenAnswer, wrongClient } from "./client-authentication.ts"
import type { Issuer } from "./issuer.ts"
import { makeKeyTokens } from "./key-tokens.ts"

/** Whether a form asks for a resource that is not this hub's. */
export const isForeign = (form: URLSearchParams, { resources }: Issuer): boolean =>
  form.getAll("resource").some((one) => !resources.includes(one))

/** Builds what answers such requests. */
export const makeServiceAccountRequests = Effect.fnUntraced(function* (issuer: Issuer) {
  const authenticator = yield* Authenticator
  const keyTokens = makeKeyTokens((yield* Config).secretKey)
  const clock = yield* Clock.Clock

  return Effect.fnUntraced(function* (request: FormRequest) {
    const given = credentialsOf(request)
    if ("_tag" in given) return yield* given
    const [id, key] = given
    if (isForeign(request.form, issuer)) return yield* refuse("invalid_target", "The hub has no such resource.")
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
