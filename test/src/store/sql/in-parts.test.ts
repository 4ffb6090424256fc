/** Entries that are written together: the one at fault keeps back no other, and nothing is cut for what passes. */
import { Effect, Exit } from "effect"
import { describe, expect } from "vitest"
import type { StoreFailed } from "../../../../src/errors.ts"
import { inParts } from "../../../../src/store/sql/in-parts.ts"
import { it } from "../../../support/effect-test.ts"
import { fc, forAll } from "../../../support/properties.ts"
import { failedWith } from "../../../support/store-failures.ts"

/** Writes numbers; those in `odd` fail as said. Tells which parts there were and how each number ended. */
const written = (
  entries: ReadonlyArray<number>,
  odd: ReadonlySet<number>,
  failure: Effect.Effect<never, StoreFailed>
) =>
  Effect.gen(function* () {
    const parts: Array<ReadonlyArray<number>> = []
    const ended: Array<readonly [number, boolean]> = []
    yield* inParts(
      entries,
      (part) => {
        parts.push(part)
        return part.some((one) => odd.has(one)) ? failure : Effect.void
      },
      (part, exit) => void ended.push(...part.map((one) => [one, Exit.isSuccess(exit)] as const))
    )
    return { parts, ended }
  })

describe("entries in parts", () => {
  it.effect("are cut at the one that the store refuses, by its SQLSTATE", function* () {
    for (const state of ["21000", "22021", "23505", "54000"]) {
      const { parts } = yield* written([1, 2, 3, 4], new Set([3]), Effect.fail(failedWith(state)))
      expect([state, parts]).toEqual([state, [[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]])
    }
  })

  it.effect("are cut at the one that a defect is in", function* () {
    const { ended } = yield* written([1, 2], new Set([1]), Effect.die("odd"))
    expect(ended).toEqual([
      [1, false],
      [2, true]
    ])
  })

  it.effect("are not cut for a state of the store, which passes", function* () {
    for (const state of ["40001", "42P01", "53100", "57P01", "58030", "XX001"]) {
      const { parts } = yield* written([1, 2, 3], new Set([1]), Effect.fail(failedWith(state)))
      expect([state, parts]).toEqual([state, [[1, 2, 3]]])
    }
  })

  it("end each once, in their order, and only those at fault badly", () => {
    const numbers = fc.uniqueArray(fc.nat(99), { maxLength: 40 })
    forAll(numbers, numbers, (entries, faults) => {
      const odd = new Set(faults)
      const { ended } = Effect.runSync(written(entries, odd, Effect.fail(failedWith("22021"))))
      expect(ended).toEqual(entries.map((one) => [one, !odd.has(one)]))
    })
  })
})
