/** Effects that are begun without a fiber say and do what they would in one. */
import { Cause, Effect, Exit, type Fiber } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { awaited, begin, chained, deferred, type Fork, mapped } from "../../../src/runtime/direct-effect.ts"

const noFiber: Fork = () => {
  throw new Error("a fiber was made")
}

const fork: Fork = (effect) => Effect.runFork(effect)

/** What an effect ends with, begun without a fiber; undefined while it waits. */
const direct = <A, E>(effect: Effect.Effect<A, E>, runner: Fork = noFiber) => {
  const ends: Array<Exit.Exit<A, E>> = []
  const giveUp = begin(effect, runner, (exit) => {
    ends.push(exit)
  })
  return { ends, giveUp }
}

/** A wait, and what the test does to it. */
const wait = <A, E = never>() => {
  const open: Array<(exit: Exit.Exit<A, E>) => void> = []
  let given = 0
  const effect = awaited<A, E>((done) => {
    open.push(done)
    return () => {
      given += 1
    }
  })
  return { effect, open, given: () => given }
}

describe("an effect that is begun without a fiber", () => {
  it("ends as it does in a fiber, however its steps are put together", () => {
    const step = fc.letrec((tie) => ({
      effect: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.integer().map((value) => Effect.succeed(value)),
        fc.string().map((error) => Effect.fail(error)),
        fc.integer().map((value) => awaited<number, string>((done) => void done(Exit.succeed(value)) as undefined)),
        fc.string().map((error) => awaited<number, string>((done) => void done(Exit.fail(error)) as undefined)),
        fc.constant(
          awaited<number, string>(() => {
            throw new Error("begun badly")
          })
        ),
        fc.constant(
          deferred((): Effect.Effect<number, string> => {
            throw new Error("made badly")
          })
        ),
        tie("effect").map((of) => deferred(() => of as Effect.Effect<number, string>)),
        fc.tuple(tie("effect"), fc.integer({ min: 0, max: 3 })).map(([of, by]) =>
          mapped(of as Effect.Effect<number, string>, (value) => {
            if (by === 0) throw new Error("changed badly")
            return value + by
          })
        ),
        fc.tuple(tie("effect"), tie("effect"), fc.boolean()).map(([of, next, badly]) =>
          chained(of as Effect.Effect<number, string>, () => {
            if (badly) throw new Error("followed badly")
            return next as Effect.Effect<number, string>
          })
        )
      )
    })).effect as fc.Arbitrary<Effect.Effect<number, string>>
    fc.assert(
      fc.property(step, (effect) => {
        const [exit, ...more] = direct(effect).ends
        expect(more).toEqual([])
        expect(exit).toEqual(Effect.runSyncExit(effect))
      })
    )
  })

  it("is told later when it ends later, once", () => {
    const { effect, open } = wait<number>()
    const { ends } = direct(
      mapped(
        deferred(() => effect),
        (value) => value * 2
      )
    )
    expect(ends).toEqual([])
    open[0]?.(Exit.succeed(21))
    expect(ends).toEqual([Exit.succeed(42)])
  })

  it("is given up once the caller does", () => {
    const { effect, given } = wait<number>()
    const { ends, giveUp } = direct(
      mapped(
        deferred(() => effect),
        (value) => value * 2
      )
    )
    giveUp?.()
    expect(given()).toBe(1)
    expect(ends).toEqual([])
  })

  it("is followed by the next, which is then what is given up", () => {
    const [first, second] = [wait<number>(), wait<number, string>()]
    const { ends, giveUp } = direct(chained(first.effect, () => second.effect))
    first.open[0]?.(Exit.succeed(1))
    expect(second.open).toHaveLength(1)
    giveUp?.()
    expect([first.given(), second.given()]).toEqual([0, 1])
    expect(ends).toEqual([])
  })

  it("is followed by nothing once it was given up", () => {
    const first = wait<number>()
    const { ends, giveUp } = direct(chained(first.effect, () => Effect.fail("begun")))
    giveUp?.()
    first.open[0]?.(Exit.succeed(1))
    expect(first.given()).toBe(1)
    expect(ends).toEqual([])
  })

  it("leaves nothing to give up when it has ended", () => {
    expect(direct(Effect.succeed(1)).giveUp).toBeUndefined()
    expect(direct(deferred(() => Effect.fail("no"))).giveUp).toBeUndefined()
    expect(direct(chained(Effect.succeed(1), () => Effect.fail("no"))).giveUp).toBeUndefined()
  })

  it("takes a fiber for any other effect, and gives up by interrupting it", async () => {
    const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
    const counted: Fork = (effect) => {
      const fiber = fork(effect)
      fibers.push(fiber)
      return fiber
    }
    const done = direct(
      Effect.sync(() => 7),
      counted
    )
    expect(done.ends).toEqual([Exit.succeed(7)])
    const never = direct(
      deferred(() => Effect.never),
      counted
    )
    never.giveUp?.()
    await new Promise((told) => fibers[1]?.addObserver(told))
    expect(fibers).toHaveLength(2)
    expect(never.ends.map((exit) => Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))).toEqual([true])
  })
})

describe("the same effect in a fiber", () => {
  it("gives up when its fiber is interrupted", async () => {
    const { effect, open, given } = wait<number>()
    const fiber = Effect.runFork(mapped(effect, (value) => value + 1))
    expect(open).toHaveLength(1)
    fiber.interruptUnsafe()
    const exit = await new Promise<Exit.Exit<number>>((told) => fiber.addObserver(told))
    expect(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)).toBe(true)
    expect(given()).toBe(1)
  })
})
