/** Signals that come while nobody looks. */
import { Effect, Queue } from "effect"
import { expect } from "vitest"
import { heardSignals } from "../../../src/cli/signals.ts"
import { signalsWaitingMax } from "../../../src/limits.ts"
import { it } from "../../support/effect-test.ts"

it.effect(`signals wait up to ${signalsWaitingMax}; more are forgotten, and none is heard after the end`, function* () {
  const heard = yield* Effect.scoped(
    Effect.gen(function* () {
      const heard = yield* heardSignals
      for (let nth = 0; nth <= signalsWaitingMax; nth++) process.emit("SIGHUP")
      return heard
    })
  )
  process.emit("SIGHUP")
  const all = yield* Queue.takeAll(heard)
  expect(all).toHaveLength(signalsWaitingMax)
})
