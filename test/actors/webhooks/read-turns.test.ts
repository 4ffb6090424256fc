/** The turns in which the subscribers of many accounts read the store. */
import { Deferred, Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { ReadTurns } from "../../../actors/webhooks/read-turns.ts"
import { subscriberReadsMax } from "../../../src/limits/delivery.ts"
import { ownWaitersMax } from "../../../src/limits/store.ts"
import { given } from "../../support/given.ts"

const world = () => {
  const turns = new ReadTurns()
  const read: Array<string> = []
  const underWay: Array<Deferred.Deferred<void>> = []
  const ask = (account: string, name: string) =>
    Effect.runFork(
      turns.within(
        account,
        Effect.suspend(() => {
          read.push(name)
          const done = Deferred.makeUnsafe<void>()
          underWay.push(done)
          return Deferred.await(done)
        })
      )
    )
  const end = (): void => void Deferred.doneUnsafe(underWay.shift()!, Effect.void)
  for (let at = 0; at < subscriberReadsMax; at++) ask("a", `a${at}`)
  read.splice(0)
  return { read, ask, end }
}

given(world)("are few at once, and one of each account in turn, however many of one wait", ({ read, ask, end }) => {
  for (const name of ["a1", "a2", "a3"]) ask("a", name)
  for (const name of ["b1", "b2"]) ask("b", name)
  expect(read).toEqual([])
  for (let at = 0; at < 5; at++) end()
  expect(read).toEqual(["a1", "b1", "a2", "b2", "a3"])
})

it("refuse none, where more wait than one turn of the store holds", () => {
  const { read, ask, end } = world()
  for (let at = 0; at <= ownWaitersMax; at++) ask(`${at % 3}`, "")
  for (let at = 0; at <= ownWaitersMax; at++) end()
  expect(read.length).toBe(ownWaitersMax + 1)
})

given(world)("are not waited for by a subscriber that ended, and given back by one that reads", async (world) => {
  const { read, ask, end } = world
  const waiting = ask("a", "a1")
  ask("a", "a2")
  await Effect.runPromise(Fiber.interrupt(waiting))
  end()
  expect(read).toEqual(["a2"])
})
