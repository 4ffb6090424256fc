/** A command for a daemon that moves, and the slots of those that are sent away. */
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { whileMoving } from "../../../actors/commands/retry-while-moving.ts"
import { slotsOf } from "../../../actors/connections/daemon-drain.ts"
import { type Moving, moving } from "../../../src/domain/command/command.ts"
import { movingLookMillis, movingMillisMax, movingWaitersMax } from "../../../src/limits/drain.ts"
import { it } from "../../support/effect-test.ts"
import { fc, forAll } from "../../support/properties.ts"
import { tagOf } from "../../support/with-daemon-services.ts"

const patience = Effect.map(Clock.Clock, (clock) => whileMoving(() => clock.currentTimeMillisUnsafe()))
const attempts = (place: { now: "there" | Moving }) => {
  const made = { count: 0 }
  const attempt = Effect.sync((): "there" | Moving => {
    made.count++
    return place.now
  })
  return { made, attempt }
}

describe("a command for a daemon that moves", () => {
  it.effect("is made as soon as the daemon is there", function* () {
    const place: { now: "there" | Moving } = { now: moving }
    const { made, attempt } = attempts(place)
    const fiber = yield* Effect.forkChild((yield* patience)(attempt), { startImmediately: true })
    yield* TestClock.adjust(movingLookMillis * 3)
    expect(made.count).toBe(4)
    place.now = "there"
    yield* TestClock.adjust(movingLookMillis)
    expect(yield* Fiber.join(fiber)).toBe("there")
  })

  it.effect("is lost after 5 s, and not before", function* () {
    const { attempt } = attempts({ now: moving })
    const fiber = yield* Effect.forkChild(Effect.exit((yield* patience)(attempt)), { startImmediately: true })
    yield* TestClock.adjust(movingMillisMax - 1)
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    expect(tagOf(yield* Fiber.join(fiber))).toBe("DaemonSocketLost")
  })

  it.effect("is refused beyond 10,000 that wait, and taken again when one is gone", function* () {
    const { attempt } = attempts({ now: moving })
    const wait = (yield* patience)(attempt)
    const waiting = yield* Effect.all(
      Array.from({ length: movingWaitersMax }, () => Effect.forkChild(wait, { startImmediately: true }))
    )
    expect(tagOf(yield* Effect.exit(wait))).toBe("Overloaded")
    yield* Fiber.interrupt(waiting[0]!)
    const next = yield* Effect.forkChild(wait, { startImmediately: true })
    expect(next.pollUnsafe()).toBeUndefined()
  })

  it.effect("that is not moving costs no wait", function* () {
    const { made, attempt } = attempts({ now: "there" })
    expect(yield* (yield* patience)(attempt)).toBe("there")
    expect(made.count).toBe(1)
  })
})

it("slots are spread evenly: from the first on, in order, the last one gap before the end", () => {
  const counts = fc.integer({ min: 1, max: 5_000 })
  forAll(counts, fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 5_000 }), (count, spread, first) => {
    const slots = slotsOf(count, spread, first)
    expect(slots).toHaveLength(count)
    expect(slots[0]).toBe(first)
    const gaps = slots.slice(1).map((slot, at) => slot - slots[at]!)
    expect(gaps.every((gap) => Math.abs(gap - spread / count) < 1)).toBe(true)
    expect(slots.at(-1)! - first).toBeLessThanOrEqual(spread)
  })
})
