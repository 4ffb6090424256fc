/** What a failure costs: it is an answer, made as often as somebody sends what is refused. */
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { AuthInvalid, NotFound, RateLimited, StoreFailed } from "../../src/errors.ts"

const frames = (error: Error): number => (error.stack ?? "").split("\n").filter((line) => /^\s+at /u.test(line)).length

describe("a failure", () => {
  it("looks up no stack, whatever it is", () => {
    const failures = [
      new AuthInvalid(),
      new NotFound(),
      new RateLimited({ limit: 60, retryAfter: 3 }),
      new StoreFailed({ operation: "keys.byHash", cause: new Error("gone") })
    ]
    expect(failures.map(frames)).toEqual([0, 0, 0, 0])
  })

  it("leaves the stacks of bugs as they were", () => {
    const before = Error.stackTraceLimit
    new NotFound()
    expect(Error.stackTraceLimit).toBe(before)
    expect(frames(new Error("a bug"))).toBeGreaterThan(0)
  })

  it("keeps its facts, its tag and its way of failing an effect", async () => {
    const failure = new RateLimited({ limit: 60, retryAfter: 3 })
    expect(failure).toMatchObject({ _tag: "RateLimited", name: "RateLimited", limit: 60, retryAfter: 3 })
    const exit = await Effect.runPromiseExit(
      Effect.gen(function* () {
        return yield* failure
      })
    )
    expect(exit).toEqual(Exit.fail(failure))
  })
})
