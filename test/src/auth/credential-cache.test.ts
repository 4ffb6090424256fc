/** How many credentials and uses of keys are remembered, and what becomes of more. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { hashCredential, makeKey } from "../../../src/auth/api-key.ts"
import { Authenticator } from "../../../src/auth/authenticator.ts"
import { makeCredentialCache } from "../../../src/auth/credential-cache.ts"
import { DashboardSessions } from "../../../src/auth/sessions.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { Principal } from "../../../src/domain/account/principal.ts"
import { credentialsCachedMax, keyUsesFlushMillis, keyUsesMax, unknownCredentialsMax } from "../../../src/limits.ts"
import { toEffect } from "../../../src/runtime/maybe-sync.ts"
import { type KeyHolder, Keys } from "../../../src/store/accounts/api-keys.ts"
import { Grants } from "../../../src/store/oauth/grants.ts"
import { it } from "../../support/effect-test.ts"

const principal = (keyId: string): Principal => ({
  accountId: "acc",
  plan: "pro",
  role: "owner",
  admin: false,
  scopes: new Set(),
  credential: { kind: "key", keyId }
})

it(`what is remembered of credentials is ${credentialsCachedMax} good ones; with one more the least recently used is forgotten`, () => {
  const remembered = makeCredentialCache(() => {})
  const add = (hash: string) => remembered.good(hash, principal(hash), Number.POSITIVE_INFINITY, 0, 0)
  for (let nth = 0; nth < credentialsCachedMax; nth++) add(`${nth}`)
  expect(remembered.find("0", 0)).toBeDefined()
  add("one more")
  expect(remembered.size()).toBe(credentialsCachedMax)
  expect(remembered.find("0", 0)).toBeDefined()
  expect(remembered.find("1", 0)).toBeUndefined()
})

it(`what is remembered of credentials is ${unknownCredentialsMax} unknown ones; with one more the least recently used is forgotten`, () => {
  const remembered = makeCredentialCache(() => {})
  for (let nth = 0; nth < unknownCredentialsMax; nth++) remembered.bad(`${nth}`, 0, 0)
  expect(remembered.isUnknown("0", 0)).toBe(true)
  remembered.bad("one more", 0, 0)
  expect(["0", "1"].map((hash) => remembered.isUnknown(hash, 0))).toEqual([true, false])
})

describe("an answer", () => {
  const cached = (...principals: ReadonlyArray<Principal>) => {
    const cache = makeCredentialCache(() => {})
    for (const one of principals) cache.good("h", one, Number.POSITIVE_INFINITY, 0, cache.generation())
    return cache
  }

  it("is current as long as what renews it says the same", () => {
    const [first, second, third] = [principal("k"), principal("k"), principal("k")]
    const cache = cached(first, second, third)
    expect([first, second, third].map(cache.isCurrent)).toEqual([true, true, true])
  })

  it("is not once a look-up says something else", () => {
    const [first, second] = [principal("k"), { ...principal("k"), scopes: new Set(["ide:read"] as const) }]
    expect([first, second].map(cached(first, second).isCurrent)).toEqual([false, true])
  })

  it("is not after a change, also when the next look-up says the same", () => {
    const [first, second] = [principal("k"), principal("k")]
    const cache = cached(first)
    cache.invalidate(() => true)
    cache.good("h", second, Number.POSITIVE_INFINITY, 0, cache.generation())
    expect([first, second].map(cache.isCurrent)).toEqual([false, true])
  })
})

describe("the uses of keys", () => {
  const keys = Array.from({ length: keyUsesMax + 1 }, makeKey)
  const numbers = new Map(keys.map((key, nth) => [hashCredential(key), nth]))
  const touched: Array<string> = []
  const holder = (hash: string) =>
    ({
      id: `key_${numbers.get(hash)}`,
      accountId: "acc",
      scopes: [],
      expiresAt: null,
      revokedAt: null,
      plan: "pro",
      admin: false,
      owner: { kind: "account" },
      accountDisabled: false
    }) as KeyHolder
  const store = Layer.mock(Keys, {
    byHash: (hash) => Effect.succeed(holder(hash)),
    touch: (uses) => Effect.sync(() => void touched.push(...uses.map(({ keyId }) => keyId)))
  })
  const sessions = Layer.mock(DashboardSessions, {})
  const config = Config.layer({ ...defaultSettings, secretKey: Buffer.alloc(32) })
  const layer = Authenticator.layer.pipe(
    Layer.provide(Layer.mergeAll(store, Layer.mock(Grants, {}), sessions, layerMemory, config))
  )

  it.effect(
    `that wait are those of ${keyUsesMax}; one more is not recorded, and they make room when they are written`,
    () =>
      Effect.gen(function* () {
        const { authenticate } = yield* Authenticator
        touched.length = 0
        for (const key of keys) yield* toEffect(authenticate(key))
        yield* TestClock.adjust(keyUsesFlushMillis)
        expect(touched).toHaveLength(keyUsesMax)
        expect(touched).not.toContain(`key_${keyUsesMax}`)
        yield* TestClock.adjust(60_000)
        yield* toEffect(authenticate(keys.at(-1)!))
        yield* TestClock.adjust(keyUsesFlushMillis)
        expect(touched.at(-1)).toBe(`key_${keyUsesMax}`)
      }).pipe(Effect.provide(layer))
  )
})
