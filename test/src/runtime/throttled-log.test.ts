/** Failures that come with every request: which of them the log has, and that it says how many it has not. */
import { Cause, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { RateLimited, StoreFailed } from "../../../src/errors.ts"
import { failureKindCharsMax, failureKindsMax, failureLogMillis } from "../../../src/limits/edge.ts"
import { FailureLog, failureLog, kindOf } from "../../../src/runtime/throttled-log.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { classify } from "../../../src/store/sql/sql-errors.ts"
import { it, itWith } from "../../support/effect-test.ts"

const timed = itWith(Timers.layer)

const logging = Effect.map(Timers, ({ after, size }) => {
  const lines: Array<string> = []
  const log = new FailureLog<string>(after, (failure, heldBack) => void lines.push(`${failure} ${heldBack}`))
  return { lines, log, timers: size }
})

describe("the log of failures", () => {
  timed("has the first of a kind at once, then the last of each 10 s with how many were held back", function* () {
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
  })

  timed("takes all kinds beyond 256 for one", function* () {
    const { lines, log } = yield* logging
    for (let kind = 0; kind < failureKindsMax; kind++) log.add(`kind ${kind}`, `one of ${kind}`)
    expect(lines).toHaveLength(failureKindsMax)
    for (let kind = failureKindsMax; kind < 2 * failureKindsMax; kind++) log.add(`kind ${kind}`, `one of ${kind}`)
    expect(lines.slice(failureKindsMax)).toEqual([`one of ${failureKindsMax} 0`])
    yield* TestClock.adjust(failureLogMillis)
    expect(lines.at(-1)).toBe(`one of ${2 * failureKindsMax - 1} ${failureKindsMax - 2}`)
  })

  timed(`tells kinds apart by their first ${failureKindCharsMax} characters`, function* () {
    const { lines, log } = yield* logging
    const longest = "k".repeat(failureKindCharsMax - 1)
    log.add(`${longest}a`, "a")
    log.add(`${longest}b`, "b")
    log.add(`${longest}b and more`, "more of b")
    expect(lines).toEqual(["a 0", "b 0"])
  })

  timed("writes at the end of its scope what it holds back", function* () {
    const { after } = yield* Timers
    const lines: Array<string> = []
    yield* Effect.scoped(
      Effect.gen(function* () {
        const log = yield* failureLog<string>(after, (failure, heldBack) =>
          Effect.sync(() => lines.push(`${failure} ${heldBack}`))
        )
        for (const nth of [1, 2, 3]) log.add("read", `read ${nth}`)
        expect(lines).toEqual(["read 1 0"])
      })
    )
    expect(lines).toEqual(["read 1 0", "read 3 1"])
  })
})

const one = (words: string) => new Error(words)
const other = (words: string) => new Error(words)

describe("the kind of a failure", () => {
  it("is one for whatever words a bug has, as long as it is thrown at one place", () => {
    const kinds = ["session a", "session b"].map((words) => kindOf(Cause.die(one(words))))
    expect(kinds[0]).toBe(kinds[1])
    expect(kinds[0]).toMatch(/^Error .*throttled-log\.test\.ts/u)
    expect(kindOf(Cause.die(other("session a")))).not.toBe(kinds[0])
  })

  it("is another for another operation of the store, and another class of its answer", () => {
    const failed = (operation: string, cause: unknown) => kindOf(Cause.fail(new StoreFailed({ operation, cause })))
    const away = classify(new Error("gone"), "read")
    expect(failed("read", away)).toBe(failed("read", classify(new Error("gone for good"), "read")))
    const all = [failed("read", away), failed("write", away), failed("read", "full"), kindOf(Cause.die(away))]
    expect(new Set(all).size).toBe(all.length)
  })

  it("is the name of any other failure, and the words of what has neither name nor place", () => {
    const limited = (limit: number) => kindOf(Cause.fail(new RateLimited({ limit, retryAfter: 1 })))
    expect(limited(1)).toBe(limited(2))
    expect(limited(1)).toContain("RateLimited")
    const bare = one("the words")
    bare.stack = "Error: the words"
    expect(kindOf(Cause.die(bare))).toContain("the words")
    expect(kindOf(Cause.die("thrown as it is"))).toBe("thrown as it is")
  })

  it("is found for anything that can be thrown", () => {
    for (const odd of [undefined, null, 7, Symbol("s"), {}, Object.create(null), { message: {}, stack: 7 }])
      expect(typeof kindOf(Cause.die(odd))).toBe("string")
    expect(kindOf(Cause.interrupt(1))).toBe("interrupted")
    expect(kindOf(Cause.empty)).toBe("interrupted")
  })
})
