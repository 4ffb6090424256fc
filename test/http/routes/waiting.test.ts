/** The calls that may wait for agents at once on a node. */
import { Effect, Fiber } from "effect"
import { expect } from "vitest"
import { makeWaiting } from "../../../http/routes/waiting.ts"
import { waitsMax, waitsPerAccountMax } from "../../../src/limits/agent-waits.ts"
import { it } from "../../support/effect-test.ts"

it.effect(`the calls that wait are ${waitsMax} on a node; one more is Overloaded until one of them ends`, function* () {
  const waiting = makeWaiting()
  const fibers = yield* Effect.forEach(Array.from({ length: waitsMax }), (_, at) =>
    Effect.forkChild(waiting(`account ${at}`, Effect.never), { startImmediately: true })
  )
  const more = () => Effect.result(waiting("another account", Effect.void))
  expect(yield* more()).toMatchObject({ failure: { _tag: "Overloaded" } })
  yield* Fiber.interrupt(fibers[0]!)
  expect(yield* more()).toMatchObject({ _tag: "Success" })
  expect(yield* more()).toMatchObject({ _tag: "Success" })
  yield* Fiber.interruptAll(fibers)
})

it.effect(`the calls that wait are ${waitsPerAccountMax} of an account`, function* () {
  const waiting = makeWaiting()
  for (let at = 0; at < waitsPerAccountMax; at++)
    yield* Effect.forkChild(waiting("one", Effect.never), { startImmediately: true })
  expect(yield* Effect.result(waiting("one", Effect.void))).toMatchObject({ failure: { _tag: "Overloaded" } })
  expect(yield* Effect.result(waiting("other", Effect.void))).toMatchObject({ _tag: "Success" })
})
