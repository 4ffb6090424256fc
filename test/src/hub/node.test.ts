/**
 * What a node says of itself: whether it is one with others, and at its end that its stores do not close, after how
 * long.
 */
import { Effect, Exit, Fiber, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Cluster } from "../../../actors/cluster/cluster.ts"
import { close, tellJoined } from "../../../src/hub/node.ts"
import { closeMillisMax } from "../../../src/limits.ts"
import { it } from "../../support/effect-test.ts"

const drainMillis = 25_000

/** Closes a node that has this to do at its end; gives the fiber and what is logged. */
const closing = (end: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const log = Logger.make(({ message }) => void lines.push(message))
    const scope = yield* Scope.make()
    yield* Scope.addFinalizer(scope, end)
    const fiber = yield* Effect.forkChild(
      close(scope, { drainMillis }, Exit.void).pipe(Effect.provide(Logger.layer([log]), { local: true }))
    )
    return { fiber, lines }
  })

describe.each([
  ["without a Redis", true, false, []],
  ["whose Redis serves it", false, false, [["REDIS_URL: this node and all others on it are one hub"]]],
  [
    "whose Redis does not serve it",
    false,
    true,
    [["REDIS_URL: this node is not joined yet, and on its own until the bus is connected"]]
  ]
])("a node %s", (_, none, blind, said) => {
  it.effect("says when it serves whether it is one with others", function* () {
    const lines: Array<unknown> = []
    const log = Logger.make(({ message }) => void lines.push(message))
    yield* tellJoined.pipe(
      Effect.provideService(Cluster, { isSingleNode: none, isPartitioned: () => blind } as never),
      Effect.provide(Logger.layer([log]), { local: true })
    )
    expect(lines).toEqual(said)
  })
})

describe("a node that closes", () => {
  it.effect("waits for what hangs until its drain and 4 s more are over, and leaves it then", function* () {
    const { fiber, lines } = yield* closing(Effect.never)
    yield* TestClock.adjust(drainMillis + closeMillisMax - 1)
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    yield* Fiber.join(fiber)
    expect(lines).toEqual([["the stores did not close in time and are left as they are"]])
  })

  it.effect("ends with what closes at the last moment", function* () {
    const { fiber, lines } = yield* closing(Effect.sleep(drainMillis + closeMillisMax - 1))
    yield* TestClock.adjust(drainMillis + closeMillisMax - 1)
    yield* Fiber.join(fiber)
    expect(lines).toEqual([["closed"]])
  })

  it.effect("says that a defect has cut its drain short, and ends with it", function* () {
    const { fiber, lines } = yield* closing(Effect.die(new Error("a planted defect")))
    expect(Exit.hasDies(yield* Fiber.await(fiber))).toBe(true)
    expect(lines).toEqual([["the hub did not end as it should; what was under way may be cut off"]])
  })
})
