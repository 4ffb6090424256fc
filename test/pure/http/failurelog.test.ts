/** Failures that come with every request: which of them the log has, and that it says how many it has not. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Wheel } from "../../../actors/wheel.ts"
import { FailureLog } from "../../../http/failurelog.ts"
import { failureKindsMax, failureLogMillis } from "../../../src/limits/edge.ts"

const logging = Effect.map(Wheel, ({ after, size }) => {
  const lines: Array<string> = []
  const log = new FailureLog<string>(after, (failure, heldBack) => void lines.push(`${failure} ${heldBack}`))
  return { lines, log, timers: size }
})

describe("the log of failures", () => {
  it.effect("has the first of a kind at once, then the last of each 10 s with how many were held back", () =>
    Effect.gen(function* () {
      const { lines, log, timers } = yield* logging
      for (let nth = 1; nth <= 1_000; nth++) log.add("read", `read ${nth}`)
      log.add("write", "write 1")
      expect(lines).toEqual(["read 1 0", "write 1 0"])
      yield* TestClock.adjust(failureLogMillis - 1)
      expect(lines).toHaveLength(2)
      yield* TestClock.adjust(1)
      expect(lines.slice(2)).toEqual(["read 1000 998"])
      log.add("read", "read 1001")
      log.add("write", "write 2")
      expect(lines.slice(3)).toEqual(["write 2 0"])
      yield* TestClock.adjust(failureLogMillis)
      expect(lines.slice(4)).toEqual(["read 1001 0"])
      yield* TestClock.adjust(failureLogMillis)
      expect(lines).toHaveLength(5)
      expect(timers()).toBe(0)
    }).pipe(Effect.provide(Wheel.layer))
  )

  it.effect("takes all kinds beyond 256 for one", () =>
    Effect.gen(function* () {
      const { lines, log } = yield* logging
      for (let kind = 0; kind < failureKindsMax; kind++) log.add(`kind ${kind}`, `one of ${kind}`)
      expect(lines).toHaveLength(failureKindsMax)
      for (let kind = failureKindsMax; kind < 2 * failureKindsMax; kind++) log.add(`kind ${kind}`, `one of ${kind}`)
      expect(lines.slice(failureKindsMax)).toEqual([`one of ${failureKindsMax} 0`])
      yield* TestClock.adjust(failureLogMillis)
      expect(lines.at(-1)).toBe(`one of ${2 * failureKindsMax - 1} ${failureKindsMax - 2}`)
    }).pipe(Effect.provide(Wheel.layer))
  )

  it.effect("has at its end what was held back until then", () =>
    Effect.gen(function* () {
      const { lines, log } = yield* logging
      for (const nth of [1, 2, 3]) log.add("read", `read ${nth}`)
      log.end()
      expect(lines).toEqual(["read 1 0", "read 3 1"])
      yield* TestClock.adjust(failureLogMillis)
      expect(lines).toHaveLength(2)
    }).pipe(Effect.provide(Wheel.layer))
  )
})
