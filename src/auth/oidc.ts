/**
 * Signing in at an OpenID Connect provider: discovery, PKCE, state, nonce. Owns the way there and back; what is between
 * the two, the dashboard's challenge too, lies sealed in a cookie of the browser, so any node can finish what another
 * began. Knows no account.
 */
import { Clock, Context, Effect, Layer } from "effect"
import * as client from "openid-client"
import { type CompleteSettings, Config } from "../config.ts"
import { AuthInvalid, NotFound, StoreFailed } from "../errors.ts"
import { identityMillisMax, signInMillisMax } from "../limits.ts"
import { type Identity, identityOf } from "./jwks.ts"
import { SecretBox } from "./secret-box.ts"

const belongs = "oidc sign-in"
const claimed = { account: "sub", email: "email" }

interface UnderWay {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly until: number
  /** The dashboard's, for the code it will be given; absent where none is asked for. */
  readonly challenge?: string
}

/** Who came back, and what the one-time code for it is bound to. */
export interface CameBack {
  readonly identity: Identity
  readonly challenge: string | undefined
}

const underWayOf = (text: string): UnderWay => JSON.parse(text) as UnderWay // our own sealed text: nobody else's opens

const discover = (settings: CompleteSettings, issuer: string): Promise<client.Configuration> =>
  client.discovery(new URL(issuer), settings.oidcClientId ?? "", settings.oidcClientSecret, undefined, {
    timeout: identityMillisMax / 1000,
    // An operator who writes http:// means it: a provider on the same machine or a private network.
    execute: issuer.startsWith("http://") ? [client.allowInsecureRequests] : []
  })

const make = Effect.gen(function* () {
  const settings = yield* Config
  const clock = yield* Clock.Clock
  const sealed = yield* SecretBox
  let provider: Promise<client.Configuration> | undefined

  const configured = Effect.suspend((): Effect.Effect<client.Configuration, NotFound | StoreFailed> => {
    const { oidcIssuer } = settings
    if (oidcIssuer === undefined) return Effect.fail(new NotFound())
    return Effect.tryPromise({
      try: () => {
        provider ??= discover(settings, oidcIssuer).catch((error: unknown) => {
          provider = undefined // one failed discovery is not for ever
          throw error
        })
        return provider
      },
      catch: (cause) => new StoreFailed({ operation: "discover the OpenID Connect provider", cause })
    })
  })

  const begin = Effect.fnUntraced(function* (redirectUri: string, bound: string | undefined) {
    const configuration = yield* configured
    const underWay: UnderWay = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      until: clock.currentTimeMillisUnsafe() + signInMillisMax,
      ...(bound !== undefined && { challenge: bound })
    }
    const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(underWay.verifier))
    const location = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: "openid email",
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: underWay.state,
      nonce: underWay.nonce,
      // Makes the provider say when the person signed in, and ask again when that is no longer recent.
      max_age: String(settings.recentLoginSeconds)
    })
    return { location: location.href, cookie: sealed.seal(JSON.stringify(underWay), belongs) }
  })

  const finish = Effect.fnUntraced(function* (callback: URL, cookie: string) {
    const configuration = yield* configured
    const underWay = yield* sealed.open(cookie, belongs).pipe(
      Effect.map(underWayOf),
      Effect.mapError(() => new AuthInvalid())
    )
    if (underWay.until < clock.currentTimeMillisUnsafe()) return yield* new AuthInvalid()
    // Whatever the provider or the caller got wrong, the caller learns that it did not work, and nothing more.
    const tokens = yield* Effect.tryPromise({
      try: () =>
        client.authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: underWay.verifier,
          expectedState: underWay.state,
          expectedNonce: underWay.nonce,
          idTokenExpected: true
        }),
      catch: () => new AuthInvalid()
    })
    const claims = tokens.claims()
    const identity = claims === undefined ? undefined : identityOf(claims, claimed)
    if (identity === undefined) return yield* new AuthInvalid()
    return { identity, challenge: underWay.challenge } satisfies CameBack
  })

  return Oidc.of({ begin, finish })
})

/** Signing in at a provider. */
export class Oidc extends Context.Service<
  Oidc,
  {
    /** Where to send the browser, and the cookie it must bring back. NotFound when no provider is set. */
    readonly begin: (
      redirectUri: string,
      challenge: string | undefined
    ) => Effect.Effect<{ readonly location: string; readonly cookie: string }, NotFound | StoreFailed>
    /** Who came back. `callback` is the whole address the browser was sent to. */
    readonly finish: (callback: URL, cookie: string) => Effect.Effect<CameBack, NotFound | AuthInvalid | StoreFailed>
  }
>()("hub/Oidc") {
  static readonly layer = Layer.effect(Oidc, make)
}
