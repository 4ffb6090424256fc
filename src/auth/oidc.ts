/**
 * Signs in at an OpenID Connect provider: discovery, PKCE, state, nonce. Owns the redirect and the callback. The state
 * between them, the dashboard's challenge included, is sealed in a cookie of the browser, so any node can finish what
 * another began, and whether a failure is the provider's. Knows no account.
 */
import { Clock, Context, Effect, Layer } from "effect"
import * as client from "openid-client"
import { type CompleteSettings, Config } from "../config.ts"
import { AuthInvalid, NotFound, ProviderAway, StoreFailed } from "../errors.ts"
import { identityMillisMax, signInMillisMax } from "../limits.ts"
import { NodeCost } from "../runtime/node-cost.ts"
import { IssuerAnswerTooLarge, type IssuerFetch, makeIssuerFetch } from "./issuer-fetch.ts"
import { addressOf, type Identity, identityOf } from "./jwks.ts"
import { SecretBox } from "./secret-box.ts"

const awayWords: ReadonlySet<string> = new Set(["temporarily_unavailable", "server_error"])
const saysAway = (status: number): boolean => status >= 500 || status === 429

/**
 * Whether a failure of openid-client says that the provider is away, and nothing of the person who signs in: no answer,
 * one that is too large, a 5xx or 429, or the provider's own word for it.
 */
const isOutage = (error: unknown): boolean => {
  if (error instanceof client.AuthorizationResponseError) return awayWords.has(error.error)
  if (error instanceof client.ResponseBodyError) return saysAway(error.status) || awayWords.has(error.error)
  if (error instanceof client.ClientError) {
    if (error.cause instanceof IssuerAnswerTooLarge) return true
    if (error.code === "OAUTH_TIMEOUT") return true
    return error.cause instanceof Response && saysAway(error.cause.status)
  }
  // fetch says so of each connection that fails; a TypeError of another kind has no cause
  return error instanceof TypeError && error.cause !== undefined && !("code" in error)
}

const belongs = "oidc sign-in"
const claimNames = { account: "sub", email: "email" }

interface SignInState {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly until: number
  /** The dashboard's challenge for the one-time code; absent when the dashboard sent none. */
  readonly challenge?: string
}

/** The identity that signed in, and the challenge its one-time code is bound to. */
export interface CompletedSignIn {
  readonly identity: Identity
  readonly challenge: string | undefined
  /** What `HUB_OIDC_ROLE_CLAIM` says; undefined: nothing. */
  readonly groups: unknown
}

/** A state opens only when this hub sealed it. */
const readState = (text: string): SignInState => JSON.parse(text) as SignInState

const discover = (fetch: IssuerFetch, settings: CompleteSettings, issuer: string): Promise<client.Configuration> =>
  client.discovery(new URL(issuer), settings.oidcClientId ?? "", settings.oidcClientSecret, undefined, {
    timeout: identityMillisMax / 1000,
    [client.customFetch]: fetch as client.CustomFetch,
    execute: [
      // By itself the library trusts the line to the provider and checks no signature.
      client.enableNonRepudiationChecks,
      // An operator who writes http:// means it: a provider on the same computer or a private network.
      ...(issuer.startsWith("http://") ? [client.allowInsecureRequests] : [])
    ]
  })

/** Whatever went wrong, unless the provider is away, the caller learns only that the sign-in failed. */
const refusal = (cause: unknown): AuthInvalid | ProviderAway =>
  isOutage(cause) ? new ProviderAway({ cause }) : new AuthInvalid()

interface Said {
  readonly identity: Identity
  readonly groups: unknown
}

/** What the ID token says, with what of it UserInfo alone says. The library compares the subjects. */
const withUserInfo = Effect.fnUntraced(function* (
  configuration: client.Configuration,
  { identity, groups }: Said,
  roleClaim: string | undefined,
  accessToken: string
) {
  const hasAddress = identity.email !== undefined || identity.emailRefused !== undefined
  const isSaid = hasAddress && (roleClaim === undefined || groups !== undefined)
  if (isSaid || configuration.serverMetadata().userinfo_endpoint === undefined) return { identity, groups }
  const said = yield* Effect.tryPromise({
    try: () => client.fetchUserInfo(configuration, accessToken, identity.subject),
    catch: refusal
  })
  return {
    identity: hasAddress ? identity : { ...identity, ...addressOf(said, claimNames.email) },
    groups: groups ?? (roleClaim === undefined ? undefined : said[roleClaim])
  } satisfies Said
})

const make = Effect.gen(function* () {
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const secretBox = yield* SecretBox
  const node = yield* NodeCost
  // of no account: who signs in has none yet
  const fetch = makeIssuerFetch((cost) => node.owe("", cost))
  let provider: Promise<client.Configuration> | undefined

  const configured = Effect.suspend((): Effect.Effect<client.Configuration, NotFound | ProviderAway | StoreFailed> => {
    const { oidcIssuer } = settings
    if (oidcIssuer === undefined) return Effect.fail(new NotFound())
    return Effect.tryPromise({
      try: () => {
        provider ??= discover(fetch, settings, oidcIssuer).catch((error: unknown) => {
          provider = undefined // one failed discovery is not for ever
          throw error
        })
        return provider
      },
      catch: (cause) =>
        isOutage(cause)
          ? new ProviderAway({ cause })
          : new StoreFailed({ operation: "discover the OpenID Connect provider", cause })
    })
  })

  const begin = Effect.fnUntraced(function* (redirectUri: string, bound: string | undefined) {
    const configuration = yield* configured
    const state: SignInState = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      until: clock.currentTimeMillisUnsafe() + signInMillisMax,
      ...(bound !== undefined && { challenge: bound })
    }
    const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(state.verifier))
    const location = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: "openid email",
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: state.state,
      nonce: state.nonce,
      // The provider then states when the person signed in, and asks again when that is no longer recent.
      max_age: String(settings.recentLoginSeconds)
    })
    return { location: location.href, state: state.state, cookie: secretBox.seal(JSON.stringify(state), belongs) }
  })

  const finish = Effect.fnUntraced(function* (callback: URL, cookie: string) {
    const configuration = yield* configured
    const state = yield* secretBox.open(cookie, belongs).pipe(
      Effect.map(readState),
      Effect.mapError(() => new AuthInvalid())
    )
    if (state.until < clock.currentTimeMillisUnsafe()) return yield* new AuthInvalid()
    const tokens = yield* Effect.tryPromise({
      try: () =>
        client.authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: state.verifier,
          expectedState: state.state,
          expectedNonce: state.nonce,
          idTokenExpected: true
        }),
      catch: refusal
    })
    const claims = tokens.claims()
    const identity = claims === undefined ? undefined : identityOf(claims, claimNames)
    if (identity === undefined) return yield* new AuthInvalid()
    const { oidcRoleClaim: roleClaim } = settings
    const said = { identity, groups: roleClaim === undefined ? undefined : claims?.[roleClaim] }
    const whole = yield* withUserInfo(configuration, said, roleClaim, tokens.access_token)
    return { ...whole, challenge: state.challenge } satisfies CompletedSignIn
  })

  return {
    /** Where to send the browser, and the cookie it must bring back with this state. NotFound: no provider is set. */
    begin,
    /** The identity that signed in. `callback` is the whole URL the browser was sent to. */
    finish
  }
})

/** Sign-in at an OpenID Connect provider. */
export class Oidc extends Context.Service<Oidc, Effect.Success<typeof make>>()("hub/Oidc") {
  static readonly layer = Layer.effect(Oidc, make)
}
