/** Steps of long work of many callers on one event loop. */
import { Effect, Exit, Fiber } from "effect"
import { describe, expect } from "vitest"
import { workStepsPerTurn } from "../../../src/limits/edge.ts"
import { WorkTurns } from "../../../src/runtime/work-turns.ts"
import { given } from "../../support/given.ts"

const world = () => {
  const later: Array<() => void> = []
  const turns = new WorkTurns((turn) => later.push(turn))
  const did: Array<string> = []
  /** A work of so many steps. */
  const steps = (name: string, count: number) => {
    let left = count
    return () => {
      did.push(name)
      return --left <= 0
    }
  }
  const finish = (owner: string, name: string, count: number) => Effect.runFork(turns.finish(owner, steps(name, count)))
  return { turns, later, did, steps, finish, turn: () => void later.shift()?.() }
}

describe("steps of work", () => {
  given(world)("are done at once, as many as a turn does", ({ turns, did, steps, turn }) => {
    for (let at = 0; at < workStepsPerTurn; at++) {
      expect(turns.begin(steps("one", 1))).toBe(true)
      expect(turns.begin(steps("two", 2))).toBe(false)
    }
    expect(did.length).toBe(2 * workStepsPerTurn)
    expect(turns.begin(steps("one", 1))).toBe(false)
    expect(did.length).toBe(2 * workStepsPerTurn)
    turn()
    expect(turns.begin(steps("one", 1))).toBe(true)
  })

  given(world)("are few in a turn however many wait, of one owner after the other", ({ did, finish, turn, later }) => {
    const [a1, a2, b1] = [finish("a", "a1", 3), finish("a", "a2", 1), finish("b", "b1", workStepsPerTurn)]
    expect(did).toEqual([])
    turn()
    expect(did.splice(0)).toEqual(["a1", "b1", "a1", "b1"])
    turn()
    expect(did.splice(0)).toEqual(["a1", "b1", "a2", "b1"])
    expect([a1, a2, b1].map((fiber) => fiber.pollUnsafe())).toEqual([Exit.void, Exit.void, Exit.void])
    expect(later).toEqual([])
  })

  given(world)("that are heavy count as several, and one is done in any case", ({ turns, did, finish, turn }) => {
    const heavy = () => Effect.runFork(turns.turn("a", workStepsPerTurn + 1))
    expect(heavy().pollUnsafe()).toEqual(Exit.void)
    const [second, light] = [heavy(), finish("b", "b1", 1)]
    expect(second.pollUnsafe()).toBe(undefined)
    turn()
    expect([second.pollUnsafe(), light.pollUnsafe()]).toEqual([Exit.void, undefined])
    turn()
    expect([light.pollUnsafe(), did]).toEqual([Exit.void, ["b1"]])
  })

  given(world)("begin behind those that wait", ({ turns, finish, steps, did }) => {
    finish("a", "a1", 1)
    expect([turns.begin(steps("b", 1)), did]).toEqual([false, []])
  })

  given(world)("are not done for a caller who left, and fail their work alone", async (world) => {
    const { turns, did, finish, turn, later } = world
    const left = finish("a", "a1", 1)
    const broken = Effect.runFork(
      turns.finish("b", () => {
        throw new Error("broken")
      })
    )
    finish("c", "c1", 1)
    await Effect.runPromise(Fiber.interrupt(left))
    turn()
    expect([did, Exit.isFailure(broken.pollUnsafe()!), later]).toEqual([["c1"], true, []])
  })
})
