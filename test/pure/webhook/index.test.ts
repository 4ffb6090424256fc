/** The index of who wants events: how many accounts it holds. */
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { WebhookIndex } from "../../../actors/webhook/index.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { accountsIndexedMax } from "../../../src/limits/delivery.ts"
import { Webhooks } from "../../../src/store/webhooks.ts"

describe("the index of webhooks", () => {
  it.effect(`holds ${accountsIndexedMax} accounts; one more, and the least recently asked for is read again`, () => {
    const read: Array<string> = []
    const store = Layer.mock(Webhooks, {
      interests: (accountId) =>
        Effect.sync(() => {
          read.push(accountId)
          return []
        }),
      changedSince: (version) => Effect.succeed({ version, accountIds: [] })
    })
    return Effect.gen(function* () {
      const index = yield* WebhookIndex
      for (let n = 0; n < accountsIndexedMax; n++) Effect.runSync(index.of(`${n}`))
      expect([index.held("0"), read.length]).toEqual([[], accountsIndexedMax])
      Effect.runSync(index.of("one more"))
      expect([index.held("0"), index.held("1"), index.held("2")]).toEqual([[], undefined, []])
      Effect.runSync(index.of("1"))
      expect(read.at(-1)).toBe("1")
    }).pipe(Effect.provide(WebhookIndex.layer.pipe(Layer.provide(Layer.merge(store, layerMemory))), { local: true }))
  })
})
