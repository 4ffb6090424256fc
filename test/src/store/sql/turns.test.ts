/** The turns of an account's statements, beside those of others. */
import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { ownStatementsShare, ownWaitersMax } from "../../../../src/limits/store.ts"
import { Turns } from "../../../../src/store/sql/turns.ts"
import { given } from "../../../support/given.ts"

const world = () => {
  let now = 0
  const turns = new Turns({ connections: 2 / ownStatementsShare, waitMax: 5, now: () => now })
  const began: Array<string> = []
  const ends = new Map<string, () => void>()
  return {
    turns,
    began,
    ask: (owner: string, name: string) =>
      Effect.runFork(
        Effect.map(
          turns.take(owner, (end) => void ends.set(name, end)),
          (isTaken) => void began.push(isTaken ? name : `${name} is refused`)
        )
      ),
    end: (name: string) => ends.get(name)!(),
    pass: (millis: number) => {
      now += millis
    }
  }
}

given(world)("are few at once of one account, in the order in which they came, and delay no other's", (world) => {
  const { turns, began, ask, end } = world
  for (const name of ["a1", "a2", "a3", "a4"]) ask("a", name)
  ask("b", "b1")
  expect(began.splice(0)).toEqual(["a1", "a2", "b1"])
  end("a2")
  end("a1")
  expect(began.splice(0)).toEqual(["a3", "a4"])
  for (const name of ["a3", "a4", "b1"]) end(name)
  expect(turns.size).toBe(0)
})

given(world)("are not waited for any more by who was interrupted", async ({ turns, began, ask, end }) => {
  const [, , waiting] = ["a1", "a2", "a3", "a4"].map((name) => ask("a", name))
  await Effect.runPromise(Fiber.interrupt(waiting!))
  for (const name of ["a1", "a2", "a4"]) end(name)
  expect([began, turns.size]).toEqual([["a1", "a2", "a4"], 0])
  for (const name of ["b1", "b2", "c1", "c2", "d1", "d2"]) ask(name[0]!, name)
  const other = ask("e", "e1")
  expect(turns.size).toBe(4)
  await Effect.runPromise(Fiber.interrupt(other))
  expect(turns.size).toBe(3)
})

given(world)(
  "refuse those that waited too long as one ends, and begin with the next",
  ({ turns, began, ask, end, pass }) => {
    for (const name of ["a1", "a2", "a3", "a4"]) ask("a", name)
    pass(1)
    ask("a", "a5")
    pass(5)
    end("a1")
    expect(began.splice(0)).toEqual(["a1", "a2", "a3 is refused", "a4 is refused", "a5"])
    for (const name of ["a2", "a5"]) end(name)
    expect(turns.size).toBe(0)
  }
)

given(world)("are no more at once where one that is refused asks again at once", ({ turns, began, ask, end, pass }) => {
  for (const name of ["a1", "a2"]) ask("a", name)
  const again = turns.take("a", () => void began.push("again"))
  Effect.runFork(
    Effect.andThen(
      turns.take("a", () => {}),
      again
    )
  )
  pass(6)
  ask("a", "a3")
  end("a1")
  expect(began).toEqual(["a1", "a2", "again"])
})

it(`are waited for by ${ownWaitersMax} callers of one account; one more is refused`, () => {
  const { began, ask } = world()
  for (let at = 0; at < 2 + ownWaitersMax; at++) ask("a", String(at))
  ask("a", "beyond")
  ask("b", "b1")
  expect(began).toEqual(["0", "1", "beyond is refused", "b1"])
})

it("are one at a time where there is one connection", () => {
  const turns = new Turns({ connections: 1, waitMax: 5, now: () => 0 })
  const taken = [1, 2].map(() => Effect.runFork(turns.take("a", () => {})).pollUnsafe() !== undefined)
  expect(taken).toEqual([true, false])
})

given(world)(
  "leave connections to the hub's own, and go to one account after the other",
  ({ turns, began, ask, end }) => {
    const owners = ["a", "b", "c"]
    for (const owner of owners) for (const at of [1, 2]) ask(owner, `${owner}${at}`)
    expect(began.splice(0).length).toBe(2 / ownStatementsShare - 2)
    for (const name of ["d1", "d2", "d3", "e1"]) ask(name[0]!, name)
    expect(began.splice(0)).toEqual([])
    for (const name of ["a1", "a2", "b1"]) end(name)
    expect(began.splice(0)).toEqual(["d1", "e1", "d2"])
    for (const name of ["d1", "e1", "d2", "d3", "b2", "c1", "c2"]) end(name)
    expect([began, turns.size]).toEqual([["d3"], 0])
  }
)
