/** What a node remembers of tokens: how many, and for how long. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { TokenCache } from "../../../actors/connections/token-cache.ts"
import { daemonTokens } from "../../../src/auth/checksummed-token.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { tokenCacheMillis, tokensCachedMax, unknownTokenMillis } from "../../../src/limits.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Daemons, type TokenOwner } from "../../../src/store/daemons/daemons.ts"
import { it } from "../../support/effect-test.ts"

/** Every token has an owner of its own name, or none has. `hold`: awaited by each look-up. */
const admitting = (owned = true) => {
  const state = { lookUps: 0, hold: Effect.void as Effect.Effect<void> }
  const owner = (hash: string) =>
    ({ daemonId: `of ${hash}`, accountId: "acc", plan: "pro", revoked: false, accountDisabled: false }) as TokenOwner
  const daemons = Layer.mock(Daemons, {
    tokenOwner: (hash) =>
      Effect.suspend(() => {
        state.lookUps++
        return Effect.as(state.hold, owned ? owner(hash) : undefined)
      })
  })
  const layer = TokenCache.layer.pipe(
    Layer.provideMerge(layerMemory),
    Layer.provide(Layer.merge(daemons, Timers.layer))
  )
  return { state, layer }
}

describe("the memory of tokens", () => {
  const { state, layer } = admitting()

  it.effect(`holds ${tokensCachedMax}; of one more, and the least recently used is looked up again`, () =>
    Effect.gen(function* () {
      const { owner } = yield* TokenCache
      const tokens = Array.from({ length: tokensCachedMax }, daemonTokens.make)
      state.lookUps = 0
      for (const token of tokens) yield* owner(token)
      expect(state.lookUps).toBe(tokensCachedMax)
      yield* owner(tokens[0]!)
      expect(state.lookUps).toBe(tokensCachedMax)
      yield* owner(daemonTokens.make())
      yield* owner(tokens[0]!)
      expect(state.lookUps).toBe(tokensCachedMax + 1)
      yield* owner(tokens[1]!)
      expect(state.lookUps).toBe(tokensCachedMax + 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("what the store said of a token", () => {
  for (const [millis, where, knows] of [
    [tokenCacheMillis, "", true],
    [unknownTokenMillis, " where it knows none", false]
  ] as const) {
    const { layer, state } = admitting(knows)
    it.effect(`is believed for ${millis / 1_000} s${where}`, () =>
      Effect.gen(function* () {
        const { owner } = yield* TokenCache
        const token = daemonTokens.make()
        state.lookUps = 0
        yield* owner(token)
        yield* TestClock.adjust(millis - 1)
        yield* owner(token)
        expect(state.lookUps).toBe(1)
        yield* TestClock.adjust(1)
        yield* owner(token)
        expect(state.lookUps).toBe(2)
      }).pipe(Effect.provide(layer))
    )
  }
})
