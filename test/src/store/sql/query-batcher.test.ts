/** Batches: what arrives while one statement runs forms the next, within bounds, each asker with its own answer. */
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { describe, expect } from "vitest"
import { StoreFailed } from "../../../../src/errors.ts"
import { batchMax, batchWaitersMax } from "../../../../src/limits.ts"
import { makeQueryBatcher, type QueryBatch } from "../../../../src/store/sql/query-batcher.ts"
import { it } from "../../../support/effect-test.ts"
import { fc, forAllAsync } from "../../../support/properties.ts"
import { failedWith } from "../../../support/store-failures.ts"

type Gate = Deferred.Deferred<void>
const storeFailed = (cause: unknown): StoreFailed => new StoreFailed({ operation: "test", cause })

/** A batcher that doubles numbers; each statement waits for its gate when there is one. */
const doubling = (options: Partial<QueryBatch<number, number>> & { readonly gate?: Gate } = {}) =>
  Effect.gen(function* () {
    const batches: Array<ReadonlyArray<number>> = []
    const ask = yield* makeQueryBatcher<number, number>({
      name: "test",
      queue: "keys",
      run: (entries) => {
        batches.push(entries)
        const answers = Effect.succeed(entries.map((entry) => entry * 2))
        return options.gate === undefined ? answers : Effect.andThen(Deferred.await(options.gate), answers)
      },
      ...options
    })
    return { ask, batches }
  })

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(effect))
const together = <A, E>(asks: ReadonlyArray<Effect.Effect<A, E>>) => Effect.all(asks, { concurrency: "unbounded" })
const settle = Effect.forEach(Array.from({ length: 5 }), () => Effect.yieldNow, { discard: true })

describe("a batcher", () => {
  it.effect("answers all that ask in one tick with one statement, each with its own answer", function* () {
    const { ask, batches } = yield* doubling()
    expect(yield* together([1, 2, 3].map(ask))).toEqual([2, 4, 6])
    expect(batches).toEqual([[1, 2, 3]])
  })

  it.effect("gathers what arrives while a statement runs, at most the bound in the next", function* () {
    const gate = yield* Deferred.make<void>()
    const { ask, batches } = yield* doubling({ gate, maxBatch: 2 })
    const first = yield* Effect.forkChild(ask(1), { startImmediately: true })
    yield* settle
    const rest = yield* Effect.forkChild(together([2, 3, 4].map(ask)), { startImmediately: true })
    yield* settle
    expect(batches).toEqual([[1]])
    yield* Deferred.succeed(gate, undefined)
    expect(yield* Fiber.join(first)).toBe(2)
    expect(yield* Fiber.join(rest)).toEqual([4, 6, 8])
    expect(batches).toEqual([[1], [2, 3], [4]])
  })

  it.effect(
    `takes ${batchMax} into one statement and lets ${batchWaitersMax} wait where its owner sets no bound`,
    function* () {
      const gate = yield* Deferred.make<void>()
      const { ask, batches } = yield* doubling({ gate })
      const first = yield* Effect.forkChild(ask(-1), { startImmediately: true })
      yield* settle
      const asks = yield* Effect.forEach(Array.from({ length: batchWaitersMax }), (_, entry) =>
        Effect.forkChild(ask(entry), { startImmediately: true })
      )
      expect(yield* Effect.flip(ask(-2))).toMatchObject({ _tag: "Overloaded" })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll([first, ...asks])
      expect(batches.map(({ length }) => length)).toEqual([1, ...Array(batchWaitersMax / batchMax).fill(batchMax)])
    }
  )

  it.effect("leaves out who was interrupted before the statement was sent", function* () {
    const gate = yield* Deferred.make<void>()
    const { ask, batches } = yield* doubling({ gate })
    const first = yield* Effect.forkChild(ask(1), { startImmediately: true })
    yield* settle
    const gone = yield* Effect.forkChild(ask(2), { startImmediately: true })
    const stays = yield* Effect.forkChild(ask(3), { startImmediately: true })
    yield* Fiber.interrupt(gone)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    expect(yield* Fiber.join(stays)).toBe(6)
    expect(batches).toEqual([[1], [3]])
  })

  it.effect("asks in parts when the database refuses a batch for what one entry holds", function* () {
    const sizes: Array<number> = []
    const ask = yield* makeQueryBatcher<number, number>({
      name: "test",
      queue: "keys",
      run: (entries) => {
        sizes.push(entries.length)
        return entries.includes(13) ? Effect.fail(failedWith("23503")) : Effect.succeed([...entries])
      }
    })
    const exits = yield* together([1, 13, 2].map((entry) => Effect.exit(ask(entry))))
    expect(exits.map(Exit.isSuccess)).toEqual([true, false, true])
    expect(sizes).toEqual([3, 1, 2, 1, 1])
  })

  it.effect(
    "fails all at once, without asking again, when the database is away; and asks again for the next",
    function* () {
      let away = true
      let statements = 0
      const ask = yield* makeQueryBatcher<number, number>({
        name: "test",
        queue: "keys",
        run: (entries) => {
          statements++
          return away ? Effect.fail(storeFailed("gone")) : Effect.succeed([...entries])
        }
      })
      const exits = yield* together([1, 2].map((entry) => Effect.exit(ask(entry))))
      expect(exits.map(Exit.isFailure)).toEqual([true, true])
      expect(statements).toBe(1)
      away = false
      expect(yield* ask(3)).toBe(3)
    }
  )

  it.effect("turns a bug in a statement into StoreFailed and goes on", function* () {
    const ask = yield* makeQueryBatcher<number, number>({
      name: "test",
      queue: "keys",
      run: ([entry]) => {
        if (entry === 1) throw new Error("bug")
        return Effect.succeed([entry!])
      }
    })
    expect(yield* Effect.flip(ask(1))).toMatchObject({ _tag: "StoreFailed", operation: "test" })
    expect(yield* ask(2)).toBe(2)
  })

  it.effect("fails who waits or asks after its end instead of leaving them", function* () {
    const lifetime = yield* Scope.make()
    const { ask } = yield* Scope.provide(doubling({ gate: yield* Deferred.make<void>() }), lifetime)
    yield* Effect.forkChild(Effect.exit(ask(1)), { startImmediately: true })
    yield* settle
    const waiting = yield* Effect.forkChild(Effect.flip(ask(2)), { startImmediately: true })
    yield* Scope.close(lifetime, Exit.void)
    expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "StoreFailed" })
    expect(yield* Effect.flip(ask(3))).toMatchObject({ _tag: "StoreFailed" })
  })

  it("gives everyone their own answer, whatever the sizes", () =>
    forAllAsync(fc.array(fc.integer(), { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (entries, maxBatch) =>
      run(
        Effect.gen(function* () {
          const { ask, batches } = yield* doubling({ maxBatch })
          expect(yield* together(entries.map(ask))).toEqual(entries.map((entry) => entry * 2))
          expect(batches.every((batch) => batch.length <= maxBatch)).toBe(true)
        })
      )
    ))
})
