/** The time of attempts: each has all of its own, however many others began before and ended meanwhile. */
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { makeDeadlineQueue } from "../../../src/outbound/deadline-queue.ts"
import { it } from "../../support/effect-test.ts"

it.effect("patience ends each wait after its own time, and none that is over before", function* () {
  const late: Array<string> = []
  const wait = yield* makeDeadlineQueue(10_000)
  const endFirst = wait(() => late.push("first"))
  yield* TestClock.adjust(1_000)
  wait(() => late.push("second"))
  yield* TestClock.adjust(4_000)
  wait(() => late.push("third"))
  endFirst()
  yield* TestClock.adjust(5_999)
  expect(late).toEqual([])
  yield* TestClock.adjust(1)
  expect(late).toEqual(["second"])
  yield* TestClock.adjust(4_000)
  expect(late).toEqual(["second", "third"])
  wait(() => late.push("fourth"))
  yield* TestClock.adjust(10_000)
  expect(late).toEqual(["second", "third", "fourth"])
})

it.effect("patience calls nobody once its scope is closed", function* () {
  const late: Array<string> = []
  const scope = yield* Scope.make()
  const wait = yield* Effect.provideService(makeDeadlineQueue(10_000), Scope.Scope, scope)
  wait(() => late.push("late"))
  yield* Scope.close(scope, Exit.void)
  wait(() => late.push("too late"))
  yield* TestClock.adjust(60_000)
  expect(late).toEqual([])
})
