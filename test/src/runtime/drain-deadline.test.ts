/** The deadline of a closing node: one for all steps, and a word about each that did not make it. */
import { Effect, Fiber, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { Config, defaultSettings } from "../../../src/config.ts"
import { DrainDeadline } from "../../../src/runtime/drain-deadline.ts"
import { it } from "../../support/effect-test.ts"

const layer = Layer.provide(
  DrainDeadline.layer,
  Config.layer({ ...defaultSettings, drainMillis: 25_000, secretKey: new Uint8Array(32) })
)

it.effect("the end of a node gives steps that never end one deadline together, and names what each left", () => {
  const lines: Array<unknown> = []
  const log = Logger.make(({ message }) => {
    lines.push(message)
  })
  return Effect.gen(function* () {
    const { step, left } = yield* DrainDeadline
    const all = Effect.gen(function* () {
      yield* step("requests", Effect.never, { share: 0.85, remains: () => 3 })
      yield* step("deliveries", Effect.never, { remains: () => 7 })
      yield* step("stores", Effect.never)
    })
    // as a finalizer runs it
    const fiber = yield* Effect.forkChild(Effect.uninterruptible(all), { startImmediately: true })
    yield* TestClock.adjust(21_249)
    expect(lines).toEqual([])
    yield* TestClock.adjust(1)
    expect(lines).toEqual([["the drain ran out of time", { step: "requests", left: 3 }]])
    yield* TestClock.adjust(3_749)
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    yield* Fiber.await(fiber)
    expect(lines.slice(1)).toEqual([
      ["the drain ran out of time", { step: "deliveries", left: 7 }],
      ["the drain ran out of time", { step: "stores", left: undefined }]
    ])
    expect(left()).toBe(0)
  }).pipe(Effect.provide(layer), Effect.provide(Logger.layer([log])))
})

it.effect("the end of a node waits for nobody who is done, and leaves the rest of the time to the next", () =>
  Effect.gen(function* () {
    const { step, left } = yield* DrainDeadline
    expect(yield* step("sockets", Effect.succeed(5))).toEqual(Option.some(5))
    expect(left()).toBe(25_000)
    const slow = yield* Effect.forkChild(step("requests", Effect.sleep(4_000)), { startImmediately: true })
    yield* TestClock.adjust(4_000)
    yield* Fiber.await(slow)
    expect(left()).toBe(21_000)
  }).pipe(Effect.provide(layer))
)
