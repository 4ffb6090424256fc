/** The timer wheel: what fires when, and what never does. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { wheelTickMillis, wheelTimersMax } from "../../../src/limits.ts"
import { Slots, Timers } from "../../../src/runtime/timers.ts"
import { it, itWith } from "../../support/effect-test.ts"
import { fc, forAll } from "../../support/properties.ts"

const timed = itWith(Timers.layer)

describe("the wheel", () => {
  timed("fires each timer once, in the order they fall due, at its time", function* () {
    const timers = yield* Timers
    const fired: Array<string> = []
    for (const millis of [300, 100, 200]) timers.after(millis, () => fired.push(`${millis}@${timers.now()}`))
    yield* TestClock.adjust(99)
    expect(fired).toEqual([])
    yield* TestClock.adjust(1_000)
    expect(fired).toEqual(["100@100", "200@200", "300@300"])
    expect(timers.size()).toBe(0)
  })

  timed("does not fire what was cleared, and clearing twice is nothing", function* () {
    const timers = yield* Timers
    let fired = 0
    const timer = timers.after(100, () => fired++)
    timers.after(100, () => fired++)
    timer.clear()
    timer.clear()
    expect(timers.size()).toBe(1)
    yield* TestClock.adjust(1_000)
    expect(fired).toBe(1)
  })

  timed("goes on when a timer throws, and lets a timer set the next", function* () {
    const timers = yield* Timers
    const times: Array<number> = []
    const again = (): void => {
      times.push(timers.now())
      if (times.length < 3) timers.after(1_000, again)
    }
    timers.after(500, () => {
      throw new Error("a bug")
    })
    timers.after(1_000, again)
    yield* TestClock.adjust(10_000)
    expect(times).toEqual([1_000, 2_000, 3_000])
  })

  timed("wakes earlier for a timer that is set later and due sooner", function* () {
    const timers = yield* Timers
    const fired: Array<string> = []
    timers.after(60_000, () => fired.push("late"))
    timers.after(50, () => fired.push("soon"))
    yield* TestClock.adjust(50)
    expect(fired).toEqual(["soon"])
  })

  it.effect("fires nothing after its scope is closed", function* () {
    let fired = 0
    yield* Effect.scoped(
      Effect.gen(function* () {
        const timers = yield* Timers
        timers.after(100, () => fired++)
      }).pipe(Effect.provide(Timers.layer, { local: true }))
    )
    yield* TestClock.adjust(1_000)
    expect(fired).toBe(0)
  })
})

describe("the slots", () => {
  test("are never early and at most a tick late, whatever is set and cleared", () => {
    const op = fc.record({ due: fc.integer({ min: 0, max: 5_000 }), clear: fc.boolean() })
    forAll(fc.array(op, { maxLength: 200 }), fc.integer({ min: 1, max: 500 }), (ops, stride) => {
      const slots = new Slots()
      const fired: Array<[due: number, at: number]> = []
      let now = 0
      const timers = ops.map(({ due }) => slots.add(due, () => fired.push([due, now])))
      ops.forEach(({ clear }, at) => {
        if (clear) timers[at]!.clear()
      })
      for (; now <= 6_000; now += stride) {
        for (let fire = slots.takeDue(now); fire !== undefined; fire = slots.takeDue(now)) fire()
      }
      for (const [due, at] of fired) {
        expect(at).toBeGreaterThanOrEqual(due)
        expect(at - due).toBeLessThan(wheelTickMillis + stride)
      }
      expect(fired.length).toBe(ops.filter(({ clear }) => !clear).length)
      expect(slots.size).toBe(0)
      expect(slots.nextAt()).toBeUndefined()
    })
  })

  test("refuse one timer more than the bound", () => {
    const slots = new Slots()
    slots.size = wheelTimersMax
    expect(() => slots.add(0, () => {})).toThrow("the wheel is full")
  })
})
