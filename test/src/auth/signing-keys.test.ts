/** How many signing keys a node reads, and that older ones verify nothing any more. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { SigningKeys } from "../../../src/auth/signing-keys.ts"
import { signingKeyMillis, signingKeysMax } from "../../../src/limits.ts"
import { Sessions, type SigningKeyRow } from "../../../src/store/accounts/sessions.ts"
import { it } from "../../support/effect-test.ts"

const rows: Array<SigningKeyRow> = []
const store = Layer.mock(Sessions, {
  signingKeys: (max) => Effect.sync(() => rows.toReversed().slice(0, max)),
  addSigningKey: (row) => Effect.sync(() => void rows.push(row))
})
const sealed = Layer.mock(SecretBox, {
  seal: (text) => text,
  open: (text) => Effect.succeed(text),
  derive: () => new Uint8Array(32)
})
const layer = SigningKeys.layer.pipe(Layer.provide(Layer.merge(store, sealed)))
const fresh = <A, E>(work: Effect.Effect<A, E, SigningKeys>) =>
  Effect.provide(work, Layer.fresh(layer), { local: true })

it.effect(`signing keys are the newest ${signingKeysMax}; an older one verifies nothing`, function* () {
  const rotate = Effect.flatMap(SigningKeys, ({ current }) => current)
  for (let nth = 0; nth <= signingKeysMax; nth++) {
    yield* fresh(rotate)
    yield* TestClock.adjust(signingKeyMillis)
  }
  expect(rows).toHaveLength(signingKeysMax + 1)
  const known = yield* fresh(
    Effect.flatMap(SigningKeys, ({ publicKey }) => Effect.forEach(rows, ({ kid }) => publicKey(kid)))
  )
  expect(known.map((key) => key !== undefined)).toEqual(rows.map((_, nth) => nth > 0))
})
