/** What a node must have done before its first request. */
import { Deferred, Effect, Exit, Scope } from "effect"
import { describe, expect } from "vitest"
import { atStart, makeStartWork, StartWork } from "../../../src/runtime/start-work.ts"
import { it } from "../../support/effect-test.ts"

describe("the work of a start", () => {
  it.effect("is done in the order of the calls, while those who called go on", function* () {
    const said: Array<string> = []
    const say = (word: string) => Effect.sync(() => void said.push(word))
    const opens = yield* Deferred.make<void>()
    const scope = yield* Scope.make()
    const work = yield* Scope.provide(makeStartWork, scope)
    const calls = Effect.gen(function* () {
      yield* atStart(Effect.andThen(Deferred.await(opens), say("opened")))
      yield* atStart(say("migrated"))
      yield* say("made")
    })
    yield* Effect.provideService(calls, StartWork, work)
    expect(said).toEqual(["made"])
    yield* Deferred.succeed(opens, undefined)
    yield* work.done
    expect(said).toEqual(["made", "opened", "migrated"])
    yield* Scope.close(scope, Exit.void)
  })

  it.effect("fails as the first that failed, and nothing behind it is done", function* () {
    let behind = 0
    const scope = yield* Scope.make()
    const work = yield* Scope.provide(makeStartWork, scope)
    yield* work.add(Effect.fail("it does not open"))
    yield* work.add(Effect.sync(() => behind++))
    expect(yield* Effect.flip(work.done)).toBe("it does not open")
    expect(behind).toBe(0)
    yield* Scope.close(scope, Exit.void)
  })

  it.effect("is done at once, with its own failure, where no node starts", function* () {
    expect(yield* Effect.flip(atStart(Effect.fail("it does not open")))).toBe("it does not open")
    let done = 0
    yield* atStart(Effect.sync(() => done++))
    expect(done).toBe(1)
  })

  it.effect("ends with its scope", function* () {
    let isCutOff = false
    const scope = yield* Scope.make()
    const work = yield* Scope.provide(makeStartWork, scope)
    const cutOff = Effect.sync(() => {
      isCutOff = true
    })
    yield* work.add(Effect.onInterrupt(Effect.never, () => cutOff))
    yield* Scope.close(scope, Exit.void)
    expect(isCutOff).toBe(true)
  })
})
