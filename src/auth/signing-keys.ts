/**
 * The keys that sign dashboard tokens. Owns their making, their rotation (a new key signs, older ones still verify, so
 * sessions go on) and their sealed form at rest. Any node may make a key; the others read it when they first meet
 * its id.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose"
import type { StoreFailed } from "../errors.ts"
import { signingKeyMillis, signingKeysMax, signingReadMillisMin } from "../limits.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { Sessions } from "../store/accounts/sessions.ts"
import { SecretBox } from "./secret-box.ts"
import { algorithm } from "./session-tokens.ts"

/** One key, opened from its sealed form. */
export interface SigningKey {
  readonly kid: string
  readonly createdAt: number
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

const belongsTo = (kid: string): string => `signing key ${kid}`

const openKey = (kid: string, createdAt: number, text: string): Effect.Effect<SigningKey> =>
  Effect.promise(async () => {
    const jwk = JSON.parse(text) as JWK // our own sealed text
    const { d: _secret, ...publicPart } = jwk
    const privateKey = (await importJWK(jwk, algorithm)) as CryptoKey
    const publicKey = (await importJWK(publicPart, algorithm)) as CryptoKey
    return { kid, createdAt, privateKey, publicKey }
  })

const generate = Effect.promise(async () => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  return { kid: await calculateJwkThumbprint(jwk), text: JSON.stringify(jwk) }
})

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const store = yield* Sessions
  const secretBox = yield* SecretBox
  const oneAtATime = yield* Semaphore.make(1)
  const keys = new Map<string, SigningKey>()
  let readAt: number | undefined

  const read = Effect.gen(function* () {
    const rows = yield* store.signingKeys(signingKeysMax)
    readAt = monotonicMillis(clock)
    for (const row of rows) {
      if (keys.has(row.kid)) continue
      const text = yield* secretBox.open(row.sealed, belongsTo(row.kid))
      keys.set(row.kid, yield* openKey(row.kid, row.createdAt, text))
    }
    const stored = new Set(rows.map((row) => row.kid))
    for (const kid of keys.keys()) if (!stored.has(kid)) keys.delete(kid)
  })

  const newest = (): SigningKey | undefined => {
    let best: SigningKey | undefined
    for (const key of keys.values()) if (best === undefined || key.createdAt > best.createdAt) best = key
    return best !== undefined && clock.currentTimeMillisUnsafe() - best.createdAt < signingKeyMillis ? best : undefined
  }

  const rotate = Effect.gen(function* () {
    const made = yield* generate
    const createdAt = clock.currentTimeMillisUnsafe()
    yield* store.addSigningKey({ kid: made.kid, sealed: secretBox.seal(made.text, belongsTo(made.kid)), createdAt })
    keys.set(made.kid, yield* openKey(made.kid, createdAt, made.text))
    yield* Effect.logInfo("a new key signs dashboard tokens", { kid: made.kid })
  })

  const current: Effect.Effect<SigningKey, StoreFailed> = Effect.suspend(() => {
    const known = newest()
    if (known !== undefined) return Effect.succeed(known)
    return oneAtATime.withPermit(
      Effect.gen(function* () {
        if (newest() === undefined) yield* read
        if (newest() === undefined) yield* rotate
        return newest()!
      })
    )
  })

  const publicKey = (kid: string): Effect.Effect<CryptoKey | undefined, StoreFailed> =>
    Effect.suspend(() => {
      const known = keys.get(kid)
      if (known !== undefined) return Effect.succeed(known.publicKey)
      return oneAtATime.withPermit(
        Effect.gen(function* () {
          // Most unknown ids are junk: they must not cost a statement each.
          const recent = readAt !== undefined && monotonicMillis(clock) - readAt < signingReadMillisMin
          if (!keys.has(kid) && !recent) yield* read
          return keys.get(kid)?.publicKey
        })
      )
    })

  return SigningKeys.of({ current, publicKey })
})

/** The keys that sign dashboard tokens. */
export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    /** The key that signs now; a new one is made when none exists or the newest is too old. */
    readonly current: Effect.Effect<SigningKey, StoreFailed>
    /** The public key of this id, if the hub has it. */
    readonly publicKey: (kid: string) => Effect.Effect<CryptoKey | undefined, StoreFailed>
  }
>()("hub/SigningKeys") {
  static readonly layer = Layer.effect(SigningKeys, make)
}
