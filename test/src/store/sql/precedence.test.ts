/** What is not urgent at the store lets a few urgent ones pass, and never waits for nothing. */
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { outcomeYieldsMax } from "../../../../src/limits/delivery.ts"
import { makePrecedence } from "../../../../src/store/sql/precedence.ts"

/** Something urgent that ends when told. */
const urgent = (precedence: ReturnType<typeof makePrecedence>) => {
  const end = Deferred.makeUnsafe<void>()
  const fiber = Effect.runFork(precedence.first(Deferred.await(end)))
  return Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber))
}

describe("what is not urgent", () => {
  it("goes at once when nothing urgent is under way", async () => {
    const precedence = makePrecedence()
    await Effect.runPromise(precedence.first(Effect.void))
    expect(Effect.runFork(precedence.after(outcomeYieldsMax)).pollUnsafe()).toBeDefined()
  })

  it("goes when the last urgent one has ended, also by failing", async () => {
    const precedence = makePrecedence()
    const end = urgent(precedence)
    const waiting = Effect.runFork(precedence.after(outcomeYieldsMax))
    const failing = Effect.runFork(Effect.exit(precedence.first(Effect.andThen(Effect.yieldNow, Effect.fail("away")))))
    await Effect.runPromise(Fiber.join(failing))
    expect(waiting.pollUnsafe()).toBeUndefined()
    await Effect.runPromise(end)
    await Effect.runPromise(Fiber.join(waiting))
    expect(waiting.pollUnsafe()).toBeDefined()
  })

  it(`has its turn after ${outcomeYieldsMax} urgent ones although there is always another`, async () => {
    const precedence = makePrecedence()
    let last = urgent(precedence)
    const waiting = Effect.runFork(precedence.after(outcomeYieldsMax))
    for (let passed = 1; passed <= outcomeYieldsMax; passed++) {
      expect([passed, waiting.pollUnsafe()]).toEqual([passed, undefined])
      const next = urgent(precedence)
      await Effect.runPromise(last)
      last = next
    }
    await Effect.runPromise(Fiber.join(waiting))
    expect(waiting.pollUnsafe()).toBeDefined()
    await Effect.runPromise(last)
  })
})
