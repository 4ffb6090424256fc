/** The result of work that has no fiber, told to the actor that began it. */

import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { itWith } from "../../support/effect-test.ts"
import { newSeen, recorder } from "./recording-actor.ts"

const supervised = itWith(Supervisor.layer)

const begun = Effect.gen(function* () {
  const supervisor = yield* Supervisor
  const seen = newSeen()
  const results: Array<(message: string) => void> = []
  seen.during = (self) => results.push(self.resultToSelf())
  const actor = supervisor.spawn(recorder(seen, "subscriber"), "one", () => 0)!
  actor.tell("during")
  return { actor, seen, result: results[0]! }
})

describe("a result", () => {
  supervised("is told to the actor, also past the bound of its mailbox", function* () {
    const { actor, seen, result } = yield* begun
    seen.during = () => {
      for (const message of ["a", "b", "c", "refused"]) actor.tell(message)
      result("late")
    }
    actor.tell("during")
    expect(seen.log).toEqual(["during#1", "during#2", "a#3", "b#4", "c#5", "late#6"])
  })

  supervised("that comes after a crash is told to no later life", function* () {
    const { actor, seen, result } = yield* begun
    actor.tell("crash")
    result("between")
    yield* TestClock.adjust("10 seconds")
    result("after")
    actor.tell("next")
    expect(seen.log).toEqual(["during#1", "next#1"])
  })

  supervised("that comes after the end is dropped", function* () {
    const { actor, seen, result } = yield* begun
    actor.kill()
    result("after")
    expect(seen.log).toEqual(["during#1", "ended after 1, unread: "])
  })
})
