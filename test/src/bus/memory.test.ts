/** The bus of one node. */
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import { itWith } from "../../support/effect-test.ts"

const onBus = itWith(layerMemory)

describe("the memory bus", () => {
  onBus("is heard by everyone who listens, before publish returns, until their scope closes", function* () {
    const bus = yield* Bus
    const heard: Array<string> = []
    yield* bus.subscribe("key_changed", ({ keyId }) => heard.push(`one ${keyId}`))
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* bus.subscribe("key_changed", ({ keyId }) => heard.push(`two ${keyId}`))
        bus.publish("key_changed", { keyId: "a" })
        expect(heard).toEqual(["one a", "two a"])
      })
    )
    bus.publish("key_changed", { keyId: "b" })
    bus.publish("account_changed", { accountId: "c" })
    expect(heard).toEqual(["one a", "two a", "one b"])
  })

  onBus("goes on when a listener throws", function* () {
    const bus = yield* Bus
    const heard: Array<string> = []
    yield* bus.subscribe("key_changed", () => {
      throw new Error("a bug")
    })
    yield* bus.subscribe("key_changed", ({ keyId }) => heard.push(keyId))
    bus.publish("key_changed", { keyId: "a" })
    expect(heard).toEqual(["a"])
  })
})
