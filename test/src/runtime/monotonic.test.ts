/** A wall clock that is set while the hub runs: what takes a time takes that time, whatever the date. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { charge, emptyBudget } from "../../../actors/daemon/frame-budget.ts"
import { anonymous } from "../../../http/pipeline/bearer.ts"
import { makeCredentialCache } from "../../../src/auth/credential-cache.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { credentialMillisMax, framesPer10sMax, unknownCredentialMillis } from "../../../src/limits.ts"
import { circuitBreaker } from "../../../src/outbound/circuit-breaker.ts"
import { DrainDeadline } from "../../../src/runtime/drain-deadline.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { it } from "../../support/effect-test.ts"
import { withSetClock } from "./settable-clock.ts"

const hour = 3_600_000
const settings = Config.layer({ ...defaultSettings, drainMillis: 10_000, secretKey: new Uint8Array(32) })

describe.each([
  ["back", -hour],
  ["ahead", hour]
])("a clock that is set %s by an hour", (_, by) => {
  it.effect("fires timers neither sooner nor later", () =>
    withSetClock((set) =>
      Effect.gen(function* () {
        const timers = yield* Timers
        const fired: Array<string> = []
        timers.after(10_000, () => fired.push("before"))
        yield* TestClock.adjust(1_000)
        const date = timers.now()
        set(by)
        expect(timers.now() - date).toBe(by)
        timers.after(10_000, () => fired.push("after"))
        yield* TestClock.adjust(8_999)
        expect(fired).toEqual([])
        yield* TestClock.adjust(1)
        expect(fired).toEqual(["before"])
        yield* TestClock.adjust(1_000)
        expect(fired).toEqual(["before", "after"])
      }).pipe(Effect.provide(Timers.layer, { local: true }))
    )
  )

  it.effect("leaves a drain its deadline", () =>
    withSetClock((set) =>
      Effect.gen(function* () {
        const ending = yield* DrainDeadline
        expect(ending.left()).toBe(10_000)
        yield* TestClock.adjust(4_000)
        set(by)
        expect(ending.left()).toBe(6_000)
      }).pipe(Effect.provide(DrainDeadline.layer.pipe(Layer.provide(settings)), { local: true }))
    )
  )

  it.effect("leaves a failing source alone for its pause, and no longer", () =>
    withSetClock(function* (set) {
      const spared = circuitBreaker<never, string>(10_000, Effect.fail("spared"))
      const ask = Effect.flip(spared(Effect.fail("failed")))
      expect(yield* ask).toBe("failed")
      set(by)
      expect(yield* ask).toBe("spared")
      yield* TestClock.adjust(10_000)
      expect(yield* ask).toBe("failed")
    })
  )
})

describe("a clock that is set back", () => {
  test("ends what is remembered of credentials, rather than making it last", () => {
    const remembered = makeCredentialCache(() => undefined)
    remembered.good("good", anonymous, Number.POSITIVE_INFINITY, hour, 0)
    remembered.bad("bad", hour, 0)
    expect(remembered.find("good", hour + credentialMillisMax - 1)).toBe(anonymous)
    expect(remembered.isUnknown("bad", hour + unknownCredentialMillis - 1)).toBe(true)
    expect(remembered.isUnknown("bad", 0)).toBe(false)
    expect(remembered.find("good", 0)).toBeUndefined()
    expect(remembered.find("good", hour)).toBeUndefined()
  })

  test("takes no daemon the frames it may send", () => {
    const budget = emptyBudget()
    for (let sent = 0; sent < framesPer10sMax; sent++) expect(charge(budget, hour, 10)).toBe(true)
    expect(charge(budget, hour, 10)).toBe(false)
    for (let sent = 0; sent < framesPer10sMax; sent++) expect(charge(budget, 0, 10)).toBe(true)
    expect(charge(budget, 0, 10)).toBe(false)
    expect(budget.bytes).toBe(framesPer10sMax * 10)
  })
})
